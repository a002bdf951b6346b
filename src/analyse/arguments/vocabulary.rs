//! The words of `policy/vocabulary.toml`: what names of arguments and tools say, compiled in and read when first asked for.
use std::sync::LazyLock;

use crate::analyse::word_lists::{section, sections};

section! {
    /// What the last word of an argument's name says.
    NameWords = "names": path command words pattern excluded url content route text neutral elsewhere file_nouns edited saved_before expression base label mount program language
}
section! {
    /// What the words of an argument's name say of its direction.
    DirectionWords = "direction": written read output
}
section! {
    /// What the words of an argument's description say.
    SchemaWords = "schema": fillers not_the_file no_files
}
section! {
    /// What the words of a tool's name say.
    ToolWords = "tools": shell language run grep sql write read moves
}
section! {
    /// Signs that a call changes something.
    SignWords = "signs": names verbs modes flags
}
section! {
    /// Spellings of places.
    PlaceWords = "places": home_variables system patch_headers
}

sections! {
    /// All of it. What each list means stands beside it in the file.
    Vocabulary:
        names NameWords,
        direction DirectionWords,
        schema SchemaWords,
        tools ToolWords,
        signs SignWords,
        places PlaceWords,
}

/// The vocabulary that is compiled in.
pub static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::read(TEXT));

const TEXT: &str = include_str!("../../../policy/vocabulary.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_the_file_is_used_and_read_as_the_whole_language_reads_it() {
        crate::analyse::word_lists::assert_reads_all(TEXT, &*VOCABULARY);
    }
}
