//! The words of `policy/vocabulary.toml`: what names of arguments and tools say, compiled in and read when first asked for.
use std::sync::LazyLock;

use crate::analyse::word_lists::{section, word_lists};

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

/// All of it. What each list means stands beside it in the file.
#[derive(Debug)]
pub struct Vocabulary {
    pub names: NameWords,
    pub direction: DirectionWords,
    pub schema: SchemaWords,
    pub tools: ToolWords,
    pub signs: SignWords,
    pub places: PlaceWords,
}

/// The vocabulary that is compiled in.
pub static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let lists = word_lists(TEXT);
    Vocabulary {
        names: NameWords::of(&lists),
        direction: DirectionWords::of(&lists),
        schema: SchemaWords::of(&lists),
        tools: ToolWords::of(&lists),
        signs: SignWords::of(&lists),
        places: PlaceWords::of(&lists),
    }
});

const TEXT: &str = include_str!("../../../policy/vocabulary.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_the_file_is_used_and_read_as_the_whole_language_reads_it() {
        let parsed: toml::Table = toml::from_str(TEXT).unwrap();
        let shown = format!("{:?}", *VOCABULARY);
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
