//! Which keys stand in a table and what values they take: what the check, the schema and the tests of the reference read.
use super::words::Role;

/// One key that may stand in a table.
#[derive(Debug)]
pub struct Key {
    /// The key, byte for byte.
    pub name: &'static str,
    /// What its value looks like.
    pub shape: Shape,
    /// What it means, in one line.
    pub says: &'static str,
}

/// What a value looks like.
#[derive(Debug)]
pub enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number between these two.
    Count(u64, u64),
    /// Any string that is not empty.
    Text,
    /// The absolute path of a program.
    Program,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words, none twice.
    Words(&'static [&'static str]),
    /// A list of strings, none empty.
    Texts,
    /// A list of strings, repeated and empty ones too.
    Strings,
    /// A list of path globs.
    Globs,
    /// One glob for a server's or tool's name.
    NameGlob,
    /// A list of arguments: names or JSON pointers.
    Arguments,
    /// No key of its own: each of these declares a role, for a list of arguments.
    Roles(&'static [(Key, Role)]),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table from names of the user's choice to tables with these keys.
    Named(&'static [Key]),
    /// A table from names of the user's choice to one of these words.
    NamedWords(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [Key]),
    /// JSON pointers with the value each must have.
    Conditions,
}

/// The keys that may really be written in a table, those that declare roles among them.
pub(super) fn each(keys: &'static [Key]) -> impl Iterator<Item = &'static Key> {
    keys.iter().flat_map(|key| -> Box<dyn Iterator<Item = &'static Key>> {
        match key.shape {
            Shape::Roles(roles) => Box::new(roles.iter().map(|(key, _)| key)),
            _ => Box::new(std::iter::once(key)),
        }
    })
}
