//! Goes through all strings and keys of a call and hands each to the treatment of its role.
use std::rc::Rc;

use serde_json::Value;

use crate::analyse::Unparsed;

use super::by_role::{SiteRole, key, search_by_role};
use super::context::{ArgumentSite, Opened, Search};
use super::given::{RoleReading, reading};
use super::leaf::{Step, Tree, ValueNode};
use super::names::{Hint, is_base};
use super::path::{joined, leads_away};
use super::token::{Look, look};
use super::{command, direction, writes};

/// Searches the arguments, then every JSON text found in them.
pub fn arguments(search: &mut Search<'_>) {
    let top = search.input.arguments;
    tree(search, top, &Opened::default());
    while let Some(opened) = search.opened.pop() {
        tree(search, &opened.value, &opened);
    }
}

fn tree(search: &mut Search<'_>, top: &Value, outer: &Opened) {
    let tree = Tree::of(top);
    if tree.overflow {
        let why = "more values or text than is searched in one call".to_owned();
        search.found.unparsed.push(Unparsed { argument: outer.pointer.clone(), raw: String::new(), why });
    }
    let first = bases(search, top, std::slice::from_ref(&search.root));
    let mut visitor = Visitor { tree: &tree, outer, bases: vec![first], set_of: Vec::with_capacity(tree.nodes.len()), shared: None };
    for (index, node) in tree.nodes.iter().enumerate() {
        visitor.enter(search, index, node);
        visitor.visit(search, index, node);
    }
}

/// The directories that relative values of `object` start from: those of the outer object and its own directory arguments.
fn bases(search: &Search<'_>, object: &Value, outer: &[String]) -> Rc<[String]> {
    let mut found = outer.to_vec();
    let members = object.as_object().into_iter().flatten();
    for text in members.filter(|(key, _)| is_base(key)).filter_map(|(_, value)| value.as_str()) {
        if let Some(full) = base(search, text)
            && !found.contains(&full)
        {
            found.push(full);
        }
    }
    found.into()
}

/// The directory that a directory argument names.
fn base(search: &Search<'_>, text: &str) -> Option<String> {
    const LONGEST: usize = 4096;
    let text = text.trim();
    let full = match look(text) {
        Look::Home => text.replacen('~', &search.home(), 1),
        Look::Absolute | Look::Relative | Look::Climbing if text != "." => joined(&search.root, text, search.input.surroundings.platform),
        _ => return None,
    };
    (text.len() < LONGEST).then_some(full)
}

struct Visitor<'v, 'o> {
    tree: &'v Tree<'v>,
    outer: &'o Opened,
    /// The sets of base directories in use.
    bases: Vec<Rc<[String]>>,
    /// Which set each node uses.
    set_of: Vec<usize>,
    /// The role that the strings of one array share, and which array that is.
    shared: Option<(usize, SiteRole)>,
}

impl Visitor<'_, '_> {
    fn enter(&mut self, search: &Search<'_>, index: usize, node: &ValueNode<'_>) {
        let mut set = self.set_of.get(node.parent).copied().unwrap_or(0);
        if index > 0
            && node.value.is_object()
            && let Some(known) = self.bases.get(set)
        {
            let own = bases(search, node.value, known);
            if own.len() > known.len() {
                self.bases.push(own);
                set = self.bases.len() - 1;
            }
        }
        self.set_of.push(set);
    }

    fn visit(&mut self, search: &mut Search<'_>, index: usize, node: &ValueNode<'_>) {
        if let Step::Key(name) = node.step {
            self.key(search, index, node, name);
        }
        match node.value {
            Value::String(text) => {
                let role = self.string_role(search, index, node);
                if !self.is_word_of_command(node, role.hint) {
                    search_by_role(search, &role, text, self.siblings(node));
                }
            }
            Value::Array(items) => {
                let role = self.role(search, index);
                if matches!(role.hint, Hint::Command | Hint::Words) {
                    command::words(search, &role, items, self.siblings(node));
                }
            }
            Value::Bool(true) => writes::flag(search, &self.role(search, index).site),
            _ => {}
        }
    }

    /// An object key names a place when what holds it is a map of files, or when it looks like one by itself.
    fn key(&mut self, search: &mut Search<'_>, index: usize, node: &ValueNode<'_>, name: &str) {
        let looks = leads_away(name);
        let holder_is_named = matches!(self.tree.node(node.parent).step, Step::Key(_));
        if !looks && !holder_is_named {
            return;
        }
        let holder = self.role(search, node.parent);
        if looks || holder.hint == Hint::Path {
            let site = ArgumentSite { argument: format!("{}{}", self.outer.pointer, self.tree.pointer(index)), ..holder.site };
            key(search, &SiteRole { site, ..holder }, name);
        }
    }

    /// Strings of a command's word list are judged together, where the list is visited.
    fn is_word_of_command(&self, node: &ValueNode<'_>, hint: Hint) -> bool {
        matches!(node.step, Step::Index(_)) && matches!(hint, Hint::Command | Hint::Words) && self.tree.node(node.parent).value.is_array()
    }

    fn siblings<'n>(&'n self, node: &ValueNode<'n>) -> Option<&'n serde_json::Map<String, Value>> {
        self.tree.node(node.parent).value.as_object()
    }

    /// Elements of one array share a role, so that a long array costs little more than its text.
    fn string_role(&mut self, search: &Search<'_>, index: usize, node: &ValueNode<'_>) -> SiteRole {
        if !matches!(node.step, Step::Index(_)) {
            return self.role(search, index);
        }
        let argument = format!("{}{}", self.outer.pointer, self.tree.pointer(index));
        if let Some((array, role)) = &self.shared
            && *array == node.parent
            && search.shares_roles
        {
            return SiteRole { site: ArgumentSite { argument, ..role.site.clone() }, ..*role };
        }
        let role = self.role(search, index);
        self.shared = Some((node.parent, role.clone()));
        role
    }

    /// The directories that the value starts from; a directory argument does not start from itself.
    fn bases_of(&self, search: &Search<'_>, index: usize) -> Rc<[String]> {
        let set = self.set_of.get(index).and_then(|set| self.bases.get(*set)).or_else(|| self.bases.first());
        let Some(set) = set else { return Rc::from([]) };
        let node = self.tree.node(index);
        let own = match (node.step, node.value) {
            (Step::Key(name), Value::String(text)) if set.len() > 1 && is_base(name) => base(search, text),
            _ => None,
        };
        match own {
            Some(own) if own != search.root => set.iter().filter(|base| **base != own).cloned().collect(),
            _ => Rc::clone(set),
        }
    }

    fn role(&self, search: &Search<'_>, index: usize) -> SiteRole {
        let outer = (self.outer.nest > 0).then_some(self.outer.name.as_ref());
        let RoleReading { hint, source, confidence, direction, sealed } = reading(search.input, &search.tool, self.tree, index, outer);
        let name = self.tree.name(index).map_or_else(|| Rc::clone(&self.outer.name), |(name, _)| Rc::from(name));
        let direction = direction.unwrap_or_else(|| direction::of(&name, &search.tool));
        let site = ArgumentSite {
            argument: format!("{}{}", self.outer.pointer, self.tree.pointer(index)),
            name,
            source,
            confidence,
            direction,
            bases: self.bases_of(search, index),
            runs: hint == Hint::Environment,
            nest: self.outer.nest,
        };
        SiteRole { site, hint, sealed }
    }
}
