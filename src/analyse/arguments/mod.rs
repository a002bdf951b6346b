//! Discovery: from a call's arguments to the places it names, whatever the arguments are called and however deep they lie.
mod by_role;
mod code;
mod command;
mod context;
mod diff;
mod direction;
mod given;
mod guess;
mod leaf;
mod names;
mod path;
mod pattern;
mod schema;
mod text;
mod token;
mod tool;
mod uri;
mod value;
mod vocabulary;
mod words;
mod writes;

use serde_json::Value;

use crate::policy::ToolSettings;

use super::{Definition, Discovered, Scripts, Surroundings};
use context::Search;

/// One call as discovery sees it, with what is known besides.
#[derive(Debug, Clone, Copy)]
pub struct DiscoveryInput<'a> {
    /// The tool's name, byte for byte.
    pub tool: &'a str,
    /// The decoded arguments.
    pub arguments: &'a Value,
    /// The tool's definition, if listed.
    pub definition: Option<&'a Definition>,
    /// What policy and profile say of the tool.
    pub settings: &'a ToolSettings,
    /// Paths the caller says the call will touch.
    pub expected: &'a [String],
    /// Where the call is made from.
    pub surroundings: &'a Surroundings,
    /// Texts of script files that the call runs, as far as they were read.
    pub scripts: &'a Scripts,
    /// Whether notes for `explain` are wanted.
    pub explain: bool,
}

/// Finds every place that the call names. Pure, linear in the size of the arguments, never panics; what it cannot
/// follow, or what is larger than its budget, comes back as [`Discovered::unparsed`].
pub fn discover(input: &DiscoveryInput<'_>) -> Discovered {
    let mut search = Search::new(input);
    path::expected(&mut search);
    value::arguments(&mut search);
    search.found
}
