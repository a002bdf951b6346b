//! From a command line to mentions: parse with a shell grammar, walk the tree, read each program's arguments by a table.
mod arguments;
mod braces;
mod branches;
mod builtins;
mod cmd;
mod code;
mod compound;
mod emit;
mod escapes;
mod expand;
mod field;
mod find;
mod git;
mod guess;
mod interpreter;
mod own_gate;
mod parameter;
mod parse;
mod plumbing;
mod powershell;
mod printing;
mod program;
mod programs;
mod redirection;
mod scan;
mod script;
mod sed;
mod simple;
mod special;
mod state;
mod stream;
mod substitution;
mod syntax;
mod variables;
mod windows;

use crate::policy::Shell;

use super::mention::{Confidence, Discovered, Unparsed};
use super::scripts::Scripts;
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
    /// Texts of script files, as far as they were read.
    pub scripts: &'a Scripts,
    /// How sure the caller is that the argument is a command.
    pub confidence: Confidence,
    /// The command language.
    pub shell: Shell,
    /// Whether to note the role of each word.
    pub explain: bool,
}

/// Longest command line that is followed, in bytes: more than a system runs at once, but a here-document may be long.
const LONGEST: usize = 4 * 1024 * 1024;

/// Every place that the command line `text` names, and what could not be followed.
pub fn command(text: &str, at: &CommandAt) -> Discovered {
    if text.len() > LONGEST {
        return refuse(text, at, "the command is too long to be followed");
    }
    let mut walk = interpreter::Interpreter::new(at, text);
    match at.shell {
        Shell::Posix => walk.posix_text(text),
        Shell::Cmd => walk.cmd_text(text),
        Shell::PowerShell => walk.powershell_text(text),
    }
    walk.found
}

/// The same for a command that is already split into words.
pub fn argv(words: &[String], at: &CommandAt) -> Discovered {
    if words.iter().map(String::len).sum::<usize>() > LONGEST {
        return refuse(&words.join(" "), at, "the command is too long to be followed");
    }
    let fields: Vec<field::Field> = words.iter().map(field::Field::known).collect();
    let source = words.join(" ");
    let mut walk = interpreter::Interpreter::new(at, &source);
    match at.shell {
        Shell::Posix => drop(walk.run(&fields, &stream::Stream::None)),
        Shell::Cmd | Shell::PowerShell => walk.windows_line(&windows::Line { words: fields, targets: Vec::new() }),
    }
    walk.found
}

fn refuse(text: &str, at: &CommandAt, why: &str) -> Discovered {
    let raw = text.chars().take(400).collect();
    let unparsed = Unparsed { argument: at.argument.to_owned(), raw, why: why.to_owned() };
    Discovered { unparsed: vec![unparsed], ..Discovered::default() }
}
