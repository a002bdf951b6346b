//! The words of `policy/commands.toml`, compiled in and read when first asked for.
use std::sync::LazyLock;

use crate::analyse::word_lists::{section, word_lists};

section! {
    /// What program text in an argument holds (Python, Node, Ruby, Perl, PHP and their like).
    CodeMarks = "code": home above encoded acts runs
}
section! {
    /// What the text of a database shell holds, in lower case.
    DatabaseMarks = "database": shells files
}
section! {
    /// Settings of `git` by the last part of their names, in lower case (git-config manual).
    GitSettings = "git": commands paths
}
section! {
    /// Predicates of `find`.
    FindWords = "find": runs writes reads names values
}
section! {
    /// Operators of `test`, `[` and `[[`.
    TestWords = "test": one_file two_files
}
section! {
    /// What shells and the texts they run are called.
    ShellWords = "shells": readers rules viewers tokens
}
section! {
    /// Commands of the shells of Windows, in lower case.
    WindowsWords = "windows": not_followed before_commands
}
section! {
    /// Addresses on a network.
    AddressWords = "addresses": schemes
}

/// All of it. What each list means stands beside it in the file.
#[derive(Debug)]
pub struct CommandWords {
    pub code: CodeMarks,
    pub database: DatabaseMarks,
    pub git: GitSettings,
    pub find: FindWords,
    pub test: TestWords,
    pub shells: ShellWords,
    pub windows: WindowsWords,
    pub addresses: AddressWords,
}

/// The words that are compiled in.
pub static COMMAND_WORDS: LazyLock<CommandWords> = LazyLock::new(|| {
    let lists = word_lists(TEXT);
    CommandWords {
        code: CodeMarks::of(&lists),
        database: DatabaseMarks::of(&lists),
        git: GitSettings::of(&lists),
        find: FindWords::of(&lists),
        test: TestWords::of(&lists),
        shells: ShellWords::of(&lists),
        windows: WindowsWords::of(&lists),
        addresses: AddressWords::of(&lists),
    }
});

const TEXT: &str = include_str!("../../../../policy/commands.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_the_file_is_used_and_read_as_the_whole_language_reads_it() {
        let parsed: toml::Table = toml::from_str(TEXT).unwrap();
        let shown = format!("{:?}", *COMMAND_WORDS);
        let mut lists = 0;
        for (section, members) in &parsed {
            for (key, words) in members.as_table().unwrap() {
                let words: Vec<&str> = words.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
                assert!(shown.contains(&format!("{key}: Words({words:?})")), "{section}.{key} is not used");
                lists += 1;
            }
        }
        assert_eq!(shown.matches("Words([").count(), lists, "a list is used that the file does not hold");
        assert!(!shown.contains("Words([])"));
    }
}
