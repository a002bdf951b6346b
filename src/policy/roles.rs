//! The keys that declare what an argument of a tool is, and the declarations in the order of their strength.
use super::cell::Cell;
use super::page::Page;
use super::section::Section;
use super::selector::{self, Selector};
use super::shape::{Key, Shape};
use super::sourced::{Listed, Placed};
use super::untrusted::{Check, Untrusted};
use super::words::Role;

/// Which key declares which role.
pub(super) const ROLES: &[(Key, Role)] = &[
    declares("paths", Role::Path, "arguments that are paths"),
    declares("write_paths", Role::WritePath, "arguments that are paths it writes, creates or deletes"),
    declares("commands", Role::Command, "arguments that are command lines"),
    declares("patterns", Role::Pattern, "arguments that are globs"),
    declares("urls", Role::Url, "arguments that are URLs"),
    declares("content", Role::Content, "arguments that are file bodies, messages or queries"),
    declares("code", Role::Code, "arguments that are program text"),
    declares("sql", Role::Sql, "arguments that are SQL"),
    declares("plain", Role::Plain, "arguments that never name a path"),
];

/// A declared role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    /// For which argument.
    pub selector: Selector,
    /// What it is.
    pub role: Role,
    /// Where that was said.
    pub source: String,
}

/// The roles that texts declare, the nearest text's first: the first that is said of an argument is its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Roles(pub Vec<RoleRule>);

const fn declares(name: &'static str, role: Role, says: &'static str) -> (Key, Role) {
    (Key { name, shape: Shape::Arguments, says }, role)
}

impl Cell for Roles {
    type Layer = Vec<Placed<(Selector, Role)>>;
    type Said = (Selector, Role);

    fn read(section: &Section<'_, '_>, _key: &str) -> Self::Layer {
        let declared = |(key, role): &(Key, Role)| {
            let role = *role;
            let rule = move |placed: Placed<String>| placed.and(|text| Some((selector::parse(&text)?, role)));
            section.texts(key.name).into_iter().filter_map(rule)
        };
        ROLES.iter().flat_map(declared).collect()
    }

    fn cover(&mut self, layer: Self::Layer) {
        let rule = |placed: Placed<(Selector, Role)>| RoleRule { selector: placed.value.0, role: placed.value.1, source: placed.source };
        self.0.splice(0..0, layer.into_iter().map(rule));
    }

    fn tighten(&self, layer: &Self::Layer, rule: &Untrusted<(Selector, Role)>, check: &mut Check<'_, '_>) {
        layer.iter().for_each(|placed| check.entry(placed, None, rule));
    }

    fn show(&self, page: &mut Page, _key: &str) {
        for (key, role) in ROLES {
            let mut listed = Listed::default();
            self.effective(*role).for_each(|rule| listed.add(rule.selector.text(), rule.source.clone()));
            if !listed.values.is_empty() {
                page.list(key.name, &listed);
            }
        }
    }
}

impl Roles {
    /// The rules that give this role in the end.
    fn effective(&self, role: Role) -> impl Iterator<Item = &RoleRule> {
        let first = |selector: &Selector| self.0.iter().find(|rule| rule.selector == *selector).map(|rule| rule.role);
        self.0.iter().filter(move |rule| rule.role == role && first(&rule.selector) == Some(role))
    }
}
