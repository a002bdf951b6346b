//! What one key is in the policy: how it is read from a text, put over what stands, held against its rule and written down.
use std::collections::BTreeMap;
use std::fmt::Debug;

use super::page::Page;
use super::section::Section;
use super::shape::Key;
use super::sourced::{BUILT_IN, Listed, Placed, Sourced};
use super::untrusted::{Check, Untrusted};
use super::value::Value;
use super::words::Effect;

/// What stands under one key.
pub(super) trait Cell {
    /// What one text says of it.
    type Layer: Debug + Default;
    /// The values that its rule for untrusted texts speaks of.
    type Said: 'static;
    /// Whether it is a table of its own.
    const IS_TABLE: bool = false;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer;
    /// Puts what a nearer text says over what is here.
    fn cover(&mut self, layer: Self::Layer);
    /// Holds what an untrusted text says against what is here.
    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<Self::Said>, check: &mut Check<'_, '_>);
    fn show(&self, page: &mut Page, key: &str);
}

/// A table whose keys are declared (see `keys`).
pub(super) trait Table: Default {
    /// What one text says of it.
    type Layer: Debug + Default;
    const KEYS: &'static [Key];

    fn read(section: &Section<'_, '_>) -> Self::Layer;
    fn cover(&mut self, layer: Self::Layer);
    fn tighten(&self, layer: &Self::Layer, check: &mut Check<'_, '_>);
    fn show(&self, page: &mut Page);
}

/// A value whose source nobody asks for.
#[derive(Debug, Clone)]
pub(super) struct Bare<T>(pub Option<T>);

/// An effect of which the strictest that any text says stays.
#[derive(Debug, Clone, Default)]
pub(super) struct Strictest(pub Option<Sourced<Effect>>);

/// The version, which is checked with the form and then is of no more interest.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Version;

impl<T> Default for Bare<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl Strictest {
    pub(super) fn built_in(effect: Effect) -> Self {
        Self(Some(Sourced::built_in(effect)))
    }
}

impl<T: Value> Cell for Sourced<T> {
    type Layer = Option<Placed<T>>;
    type Said = T;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        T::read(section, key)
    }

    fn cover(&mut self, layer: Self::Layer) {
        layer.into_iter().for_each(|placed| *self = placed.into());
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<T>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, Some(&self.value), rule));
    }

    fn show(&self, page: &mut Page, key: &str) {
        page.value(key, self, T::text);
    }
}

impl<T: Value> Cell for Option<Sourced<T>> {
    type Layer = Option<Placed<T>>;
    type Said = T;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        T::read(section, key)
    }

    fn cover(&mut self, layer: Self::Layer) {
        layer.into_iter().for_each(|placed| *self = Some(placed.into()));
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<T>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, self.as_ref().map(|held| &held.value), rule));
    }

    fn show(&self, page: &mut Page, key: &str) {
        self.iter().for_each(|sourced| page.value(key, sourced, T::text));
    }
}

impl<T: Value> Cell for Bare<T> {
    type Layer = Option<Placed<T>>;
    type Said = T;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        T::read(section, key)
    }

    fn cover(&mut self, layer: Self::Layer) {
        layer.into_iter().for_each(|placed| self.0 = Some(placed.value));
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<T>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, self.0.as_ref(), rule));
    }

    fn show(&self, page: &mut Page, key: &str) {
        self.0.iter().for_each(|value| page.bare(key, &value.text()));
    }
}

impl Cell for Strictest {
    type Layer = Option<Placed<Effect>>;
    type Said = Effect;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        Effect::read(section, key)
    }

    fn cover(&mut self, layer: Self::Layer) {
        let is_stricter = |placed: &Placed<Effect>| {
            self.0.as_ref().is_none_or(|held| placed.value > held.value || held.source == BUILT_IN && placed.value == held.value)
        };
        if let Some(placed) = layer.filter(is_stricter) {
            self.0 = Some(placed.into());
        }
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<Effect>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, self.0.as_ref().map(|held| &held.value), rule));
    }

    fn show(&self, page: &mut Page, key: &str) {
        self.0.show(page, key);
    }
}

impl Cell for Listed {
    type Layer = Vec<Placed<String>>;
    type Said = String;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        section.texts(key)
    }

    fn cover(&mut self, layer: Self::Layer) {
        layer.into_iter().for_each(|placed| self.add(placed.value, placed.source));
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<String>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, None, rule));
    }

    fn show(&self, page: &mut Page, key: &str) {
        page.list(key, self);
    }
}

impl Cell for Version {
    type Layer = ();
    type Said = ();

    fn read(_section: &Section<'_, '_>, _key: &str) {}

    fn cover(&mut self, _layer: ()) {}

    fn tighten(&self, _layer: &(), _rule: &Untrusted<()>, _check: &mut Check<'_, '_>) {}

    fn show(&self, page: &mut Page, key: &str) {
        page.bare(key, "1");
    }
}

impl<T: Table> Cell for T {
    type Layer = T::Layer;
    type Said = ();
    const IS_TABLE: bool = true;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        section.below(key).map(|below| T::read(&below)).unwrap_or_default()
    }

    fn cover(&mut self, layer: Self::Layer) {
        Table::cover(self, layer);
    }

    fn tighten(&self, layer: &Self::Layer, _inside: &Untrusted<()>, check: &mut Check<'_, '_>) {
        Table::tighten(self, layer, check);
    }

    fn show(&self, page: &mut Page, key: &str) {
        page.table(key, |page| Table::show(self, page));
    }
}

/// Names of the user's choice.
impl<T: Cell + Default> Cell for BTreeMap<String, T> {
    type Layer = Vec<(String, T::Layer)>;
    type Said = T::Said;

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        let each = |below: Section<'_, '_>| below.pairs().map(|(name, _)| (name.to_owned(), T::read(&below, name))).collect();
        section.below(key).map(each).unwrap_or_default()
    }

    fn cover(&mut self, layer: Self::Layer) {
        layer.into_iter().for_each(|(name, layer)| self.entry(name).or_default().cover(layer));
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<T::Said>, check: &mut Check<'_, '_>) {
        let unheard = T::default();
        layer.iter().for_each(|(name, layer)| self.get(name).unwrap_or(&unheard).tighten(layer, rule, check));
    }

    fn show(&self, page: &mut Page, key: &str) {
        let each = |page: &mut Page| self.iter().for_each(|(name, cell)| cell.show(page, name));
        if T::IS_TABLE { page.below(key, each) } else { page.table(key, each) }
    }
}

/// Entries that stand beside each other, each with its place.
impl<T: Table> Cell for Vec<Sourced<T>> {
    type Layer = Vec<Placed<T::Layer>>;
    type Said = ();

    fn read(section: &Section<'_, '_>, key: &str) -> Self::Layer {
        let each = |placed: Placed<Section<'_, '_>>| Placed { value: T::read(&placed.value), span: placed.span, source: placed.source };
        section.tables(key).map(each).collect()
    }

    fn cover(&mut self, layer: Self::Layer) {
        self.extend(layer.into_iter().map(|placed| {
            let mut value = T::default();
            Table::cover(&mut value, placed.value);
            Sourced { value, source: placed.source }
        }));
    }

    fn tighten(&self, layer: &Self::Layer, _inside: &Untrusted<()>, check: &mut Check<'_, '_>) {
        let unheard = T::default();
        layer.iter().for_each(|placed| check.within(placed.span.clone(), |check| Table::tighten(&unheard, &placed.value, check)));
    }

    fn show(&self, page: &mut Page, key: &str) {
        self.iter().for_each(|entry| page.entry(key, &entry.source, |page| Table::show(&entry.value, page)));
    }
}
