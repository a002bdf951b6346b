//! A table of a policy text whose form was checked: its values by key, each with its place.
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::sourced::Placed;
use super::text::Lines;

/// A table whose form was checked.
#[derive(Clone, Copy)]
pub(super) struct Section<'t, 'a> {
    table: &'t DeTable<'a>,
    lines: &'t Lines<'a>,
    /// What stands as the source of every value in the place of its line.
    source: Option<&'t str>,
}

impl<'t, 'a> Section<'t, 'a> {
    pub(super) fn new(table: &'t DeTable<'a>, lines: &'t Lines<'a>) -> Self {
        Self { table, lines, source: None }
    }

    /// The same, with `source` in the place of line numbers.
    pub(super) fn from(self, source: &'t str) -> Self {
        Self { source: Some(source), ..self }
    }

    /// The table that stands under `key`.
    pub(super) fn below(&self, key: &str) -> Option<Self> {
        Some(Self { table: self.table.get(key)?.get_ref().as_table()?, ..*self })
    }

    /// The tables that stand under `key` in a list, each with its place.
    pub(super) fn tables(&self, key: &str) -> impl Iterator<Item = Placed<Self>> {
        let table = |item: &'t Spanned<DeValue<'a>>| Some(self.placed(Self { table: item.get_ref().as_table()?, ..*self }, item.span()));
        self.items(key).filter_map(table)
    }

    /// The names and values of the table itself.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'t str, &'t DeValue<'a>)> + use<'t, 'a> {
        self.table.iter().map(|(name, value)| (name.get_ref().as_ref(), value.get_ref()))
    }

    pub(super) fn text(&self, key: &str) -> Option<Placed<String>> {
        self.value(key, |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn flag(&self, key: &str) -> Option<Placed<bool>> {
        self.value(key, DeValue::as_bool)
    }

    pub(super) fn count(&self, key: &str) -> Option<Placed<u64>> {
        self.value(key, |value| value.as_integer().and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok()))
    }

    /// The strings of a list, each with its own place.
    pub(super) fn texts(&self, key: &str) -> Vec<Placed<String>> {
        self.items(key).filter_map(|item| Some(self.placed(item.get_ref().as_str()?.to_owned(), item.span()))).collect()
    }

    /// The strings of a list, with the place of the list.
    pub(super) fn joined(&self, key: &str) -> Option<Placed<Vec<String>>> {
        let span = self.table.get(key)?.span();
        Some(self.placed(self.texts(key).into_iter().map(|placed| placed.value).collect(), span))
    }

    pub(super) fn value<T>(&self, key: &str, read: impl FnOnce(&'t DeValue<'a>) -> Option<T>) -> Option<Placed<T>> {
        let value = self.table.get(key)?;
        Some(self.placed(read(value.get_ref())?, value.span()))
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'a>>> + use<'t, 'a> {
        self.table.get(key).and_then(|value| value.get_ref().as_array()).into_iter().flatten()
    }

    fn placed<T>(&self, value: T, span: Range<usize>) -> Placed<T> {
        let source = self.source.map_or_else(|| self.lines.source(span.start), str::to_owned);
        Placed { value, source, span }
    }
}
