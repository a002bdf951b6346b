//! Splits the name of an argument or a tool into lower-case words.

/// The words of `name`: split at anything that is not a letter, at digits, and where a capital begins a word, so that
/// `filePath`, `file_path`, `--file.path2` and `FILE-PATH` all give `file`, `path`.
pub fn words(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
        if !letter.is_alphabetic() || begins_word(before, letter, next_is_small) {
            take(&mut word, &mut found);
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    take(&mut word, &mut found);
    found
}

fn begins_word(before: char, letter: char, next_is_small: bool) -> bool {
    letter.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small))
}

fn take(word: &mut String, found: &mut Vec<String>) {
    if !word.is_empty() {
        found.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn splits_every_spelling_alike() {
        for name in ["filePath", "file_path", "FILE-PATH", "file.path", "--file path2", "FilePath", "file1Path"] {
            assert_eq!(words(name), ["file", "path"], "{name}");
        }
        assert_eq!(words("baseURLPath"), ["base", "url", "path"]);
        assert_eq!(words("12"), [""; 0]);
    }
}
