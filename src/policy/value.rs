//! Single values of a policy: how each kind is read from a text and written as TOML.
use std::fmt::Debug;

use super::conditions::{Conditions, Wanted};
use super::name_glob::NameGlob;
use super::page::{array, quoted};
use super::section::Section;
use super::selector;
use super::sourced::Placed;
use super::words::Word;

/// A single value.
pub(super) trait Value: Debug + Sized + 'static {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>>;
    /// As TOML.
    fn text(&self) -> String;
}

impl Value for bool {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.flag(key)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Value for u64 {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.count(key)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.text(key)
    }

    fn text(&self) -> String {
        quoted(self)
    }
}

impl Value for Vec<String> {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.joined(key)
    }

    fn text(&self) -> String {
        array(self.iter().map(String::as_str))
    }
}

impl<W: Word> Value for W {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.text(key)?.and(|text| W::from_word(&text))
    }

    fn text(&self) -> String {
        quoted(self.word())
    }
}

impl<W: Word> Value for Vec<W> {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.joined(key)?.and(|words| words.iter().map(|word| W::from_word(word)).collect())
    }

    fn text(&self) -> String {
        array(self.iter().map(|word| word.word()))
    }
}

impl Value for NameGlob {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        section.text(key)?.and(|text| Self::new(&text))
    }

    fn text(&self) -> String {
        quoted(self.text())
    }
}

impl Value for Conditions {
    fn read(section: &Section<'_, '_>, key: &str) -> Option<Placed<Self>> {
        let below = section.below(key)?;
        let pairs = below.pairs().filter_map(|(argument, value)| Some((selector::parse(argument)?, Wanted::of(value)?)));
        let conditions = Self(pairs.collect());
        section.value(key, |_| (!conditions.0.is_empty()).then_some(conditions))
    }

    fn text(&self) -> String {
        let pairs = self.0.iter().map(|(argument, wanted)| format!("{} = {}", quoted(&argument.text()), wanted.text()));
        format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
    }
}

impl Wanted {
    fn text(&self) -> String {
        match self {
            Self::Text(glob) => quoted(glob.text()),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}
