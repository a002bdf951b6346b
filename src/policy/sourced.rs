//! Values with the place they were set: those of one text with their span, those of the policy with the place in words.
use std::ops::Range;

/// A value with the place it was set: `built-in`, `server profile git`, `callgate.toml:12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was set.
    pub source: String,
}

/// A value of one text, the place it stands at as byte offsets, and the same place in words.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub value: T,
    pub span: Range<usize>,
    pub source: String,
}

/// Strings that several texts add to, each with its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listed {
    pub values: Vec<String>,
    pub sources: Vec<String>,
}

/// The name that sources give for what is compiled in.
pub(super) const BUILT_IN: &str = "built-in";

impl<T> Sourced<T> {
    pub(super) fn built_in(value: T) -> Self {
        Self { value, source: BUILT_IN.to_owned() }
    }
}

impl<T> From<Placed<T>> for Sourced<T> {
    fn from(placed: Placed<T>) -> Self {
        Self { value: placed.value, source: placed.source }
    }
}

impl<T> Placed<T> {
    pub(super) fn and<U>(self, read: impl FnOnce(T) -> Option<U>) -> Option<Placed<U>> {
        Some(Placed { value: read(self.value)?, span: self.span, source: self.source })
    }
}

impl Listed {
    pub(super) fn built_in(values: &[&str]) -> Self {
        let mut listed = Self::default();
        values.iter().for_each(|value| listed.add((*value).to_owned(), BUILT_IN.to_owned()));
        listed
    }

    /// Adds `value` unless it is there already. What is compiled in gets the line of the reference as its source.
    pub(super) fn add(&mut self, value: String, source: String) {
        match self.values.iter().position(|held| *held == value).and_then(|at| self.sources.get_mut(at)) {
            Some(held) if held == BUILT_IN => *held = source,
            Some(_) => {}
            None => {
                self.values.push(value);
                self.sources.push(source);
            }
        }
    }
}
