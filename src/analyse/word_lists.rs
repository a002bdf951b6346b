//! Lists of words in the data tables of `policy/`. Every process needs a few of them at once, so they are read by a scanner of just
//! this form (sections, `key = ["…", '…']`, comments outside of lists) instead of a parser of the whole language; a test holds both to one meaning.

/// One list: its section, its key, its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordList {
    /// The section as written between brackets, empty above the first.
    pub section: &'static str,
    pub key: &'static str,
    /// The words in order.
    pub words: Vec<&'static str>,
}

/// A set of words.
#[derive(Debug)]
pub struct Words(Vec<&'static str>);

impl Words {
    /// The words of the list `key` in `section`; none if there is no such list, which a test rules out.
    pub fn of(lists: &[WordList], section: &str, key: &str) -> Self {
        Self(words_of(lists, section, key))
    }

    /// Whether `word` is one of them.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(&word)
    }

    /// Whether any of `words` is one of them.
    pub fn any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// The words in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

/// Declares a section: the type, its name in the file, its lists.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident = $section:literal: $($list:ident)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            $(pub $list: $crate::analyse::word_lists::Words,)*
        }

        impl $name {
            pub fn of(lists: &[$crate::analyse::word_lists::WordList]) -> Self {
                Self { $($list: $crate::analyse::word_lists::Words::of(lists, $section, stringify!($list)),)* }
            }
        }
    };
}

/// Declares all sections of a table as one type.
macro_rules! sections {
    ($(#[$doc:meta])* $name:ident: $($field:ident $section:ident),* $(,)?) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            $(pub $field: $section,)*
        }

        impl $name {
            fn read(table: &'static str) -> Self {
                let lists = $crate::analyse::word_lists::word_lists(table);
                Self { $($field: $section::of(&lists),)* }
            }
        }
    };
}

pub(crate) use {section, sections};

/// All lists of a table, in order.
pub fn word_lists(table: &'static str) -> Vec<WordList> {
    let mut found = Vec::new();
    let mut section = "";
    let mut at = 0;
    while let Some(line) = table.get(at..).filter(|rest| !rest.is_empty()).and_then(|rest| rest.split('\n').next()) {
        let start = at;
        at += line.len() + 1;
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']', ' ']);
        } else if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.contains('#'))
            && let Some(first) = value.trim_start().strip_prefix('[')
        {
            let from = start + line.len() - first.len();
            let (words, length) = quoted(table.get(from..).unwrap_or_default());
            at = from + length;
            found.push(WordList { section, key: key.trim(), words });
        }
    }
    found
}

/// The words of the list `key` in `section`; none if there is no such list, which a test rules out.
pub fn words_of(lists: &[WordList], section: &str, key: &str) -> Vec<&'static str> {
    lists.iter().find(|list| list.section == section && list.key == key).map(|list| list.words.clone()).unwrap_or_default()
}

/// The quoted words up to the bracket that closes the list, and how many bytes they take.
fn quoted(text: &'static str) -> (Vec<&'static str>, usize) {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| memchr::memchr3(b'"', b'\'', b']', rest.as_bytes())).map(|found| at + found) {
        let rest = text.get(next + 1..).unwrap_or_default();
        match text.as_bytes().get(next).copied() {
            None | Some(b']') => return (words, next + 1),
            Some(quote) => {
                let length = memchr::memchr(quote, rest.as_bytes()).unwrap_or(rest.len());
                words.extend(rest.get(..length));
                at = next + length + 2;
            }
        }
    }
    (words, text.len())
}

/// Checks that `read` shows each list of `table` as a parser of the whole language reads it, and no list besides.
#[cfg(test)]
pub fn assert_reads_all(table: &str, read: &impl std::fmt::Debug) {
    let parsed: toml::Table = toml::from_str(table).unwrap();
    let shown = format!("{read:?}");
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

#[cfg(test)]
mod tests {
    use super::{word_lists, words_of};

    const TABLE: &str = r#"# top = ["no"]
version = 1
a = ["x"]
[one]
b = [
  "y", 'z"',
  "]",
]
c = []
[two] 
b = ["w"]"#;

    #[test]
    fn lists_are_read_as_the_whole_language_reads_them() {
        let lists = word_lists(TABLE);
        let parsed: toml::Table = toml::from_str(TABLE).unwrap();
        assert_eq!(lists.len(), 4);
        for list in &lists {
            let holder = if list.section.is_empty() { &parsed } else { parsed[list.section].as_table().unwrap() };
            let words: Vec<&str> = holder[list.key].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            assert_eq!(list.words, words, "{} {}", list.section, list.key);
        }
        assert_eq!(words_of(&lists, "one", "b"), ["y", "z\"", "]"]);
        assert!(words_of(&lists, "one", "d").is_empty());
    }
}
