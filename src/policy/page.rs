//! A policy written as TOML: values with the place they were set behind them, tables in the order a reader looks for them.
use std::fmt::Write as _;

use crate::escape::{each_character, visible};

use super::sourced::{Listed, Sourced};

/// The order of the top-level tables; one that is not named here stands before the three long ones at the end.
const ORDER: [&str; 8] = ["", "paths", "sensitive", "approval", "server_requests", "methods", "audit", "limits"];
/// The tables that grow with what the user has.
const LAST: [&str; 3] = ["tools", "servers", "rules"];

/// The page as it is written.
pub(super) struct Page {
    /// The table that is being written.
    path: Vec<String>,
    /// Each table's text, by the top-level table it belongs to.
    parts: Vec<(String, String)>,
}

impl Page {
    /// A page that begins with a comment.
    pub(super) fn new(heading: &str) -> Self {
        Self { path: Vec::new(), parts: vec![(String::new(), format!("# {heading}\n"))] }
    }

    /// The whole text.
    pub(super) fn text(mut self) -> String {
        self.parts.sort_by_key(|(top, _)| place(top));
        self.parts.into_iter().map(|(_, text)| text).collect()
    }

    /// Writes a table with its heading.
    pub(super) fn table(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.below(name, |page| {
            page.open(&format!("[{}]", page.path.join(".")));
            inside(page);
        });
    }

    /// Writes one table of a list.
    pub(super) fn entry(&mut self, name: &str, source: &str, inside: impl FnOnce(&mut Self)) {
        self.below(name, |page| {
            page.open(&format!("[[{}]]  # {}", page.path.join("."), visible(source)));
            inside(page);
        });
    }

    /// Writes tables whose names stand below `name`, which has no heading of its own.
    pub(super) fn below(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.path.push(key(name));
        inside(self);
        self.path.pop();
    }

    /// One value with its source.
    pub(super) fn value<T>(&mut self, name: &str, sourced: &Sourced<T>, text: impl FnOnce(&T) -> String) {
        self.line(&format!("{} = {}  # {}", key(name), text(&sourced.value), visible(&sourced.source)));
    }

    /// One value alone.
    pub(super) fn bare(&mut self, name: &str, value: &str) {
        self.line(&format!("{name} = {value}"));
    }

    /// Strings on a line each, with their sources.
    pub(super) fn list(&mut self, name: &str, listed: &Listed) {
        if listed.values.is_empty() {
            return self.bare(name, "[]");
        }
        self.line(&format!("{name} = ["));
        let pairs = listed.values.iter().zip(&listed.sources);
        pairs.for_each(|(value, source)| self.line(&format!("    {},  # {}", quoted(value), visible(source))));
        self.line("]");
    }

    fn open(&mut self, heading: &str) {
        self.parts.push((self.path.first().cloned().unwrap_or_default(), format!("\n{heading}\n")));
    }

    fn line(&mut self, line: &str) {
        if let Some((_, text)) = self.parts.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
}

/// A TOML string on one line, with escapes for what a person could not see or would mistake.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    each_character(text, |character, misleads| match character {
        '"' | '\\' => out.extend(['\\', character]),
        // Writing to a `String` cannot fail.
        _ if misleads => drop(write!(out, "\\U{:08x}", u32::from(character))),
        plain => out.push(plain),
    });
    out.push('"');
    out
}

/// A list on one line.
pub(super) fn array<'t>(values: impl Iterator<Item = &'t str>) -> String {
    format!("[{}]", values.map(quoted).collect::<Vec<_>>().join(", "))
}

/// A key as TOML takes it.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_bare { name.to_owned() } else { quoted(name) }
}

fn place(top: &str) -> usize {
    let last = LAST.iter().position(|name| *name == top).map(|at| ORDER.len() + 1 + at);
    last.or_else(|| ORDER.iter().position(|name| *name == top)).unwrap_or(ORDER.len())
}
