//! The words of `policy/commands.toml`, compiled in and read when first asked for.
use std::sync::LazyLock;

use crate::analyse::word_lists::{section, sections};

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

sections! {
    /// All of it. What each list means stands beside it in the file.
    CommandWords:
        code CodeMarks,
        database DatabaseMarks,
        git GitSettings,
        find FindWords,
        test TestWords,
        shells ShellWords,
        windows WindowsWords,
        addresses AddressWords,
}

/// The words that are compiled in.
pub static COMMAND_WORDS: LazyLock<CommandWords> = LazyLock::new(|| CommandWords::read(TEXT));

const TEXT: &str = include_str!("../../../../policy/commands.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_the_file_is_used_and_read_as_the_whole_language_reads_it() {
        crate::analyse::word_lists::assert_reads_all(TEXT, &*COMMAND_WORDS);
    }
}
