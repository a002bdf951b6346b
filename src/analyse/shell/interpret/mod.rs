//! The interpretation of a parsed command line: each command is run in the mind, with the state of the shell before it.
mod acts;
mod branches;
mod builtins;
mod cmd;
mod command_at;
mod declare;
mod expand;
mod files;
mod frames;
mod functions;
mod interpreter;
mod limits;
mod parameter;
mod places;
mod powershell;
mod program;
mod redirection;
mod script;
mod simple;
mod sink;
mod special;
mod state;
mod variables;
mod windows;

pub use command_at::CommandAt;

use super::values::{Field, Stream};
use crate::analyse::{Discovered, Unparsed};
use crate::policy::Shell;

/// Longest command line that is followed, in bytes: more than a system runs at once, but a here-document may be long.
const LONGEST: usize = 4 * 1024 * 1024;

/// Every place that the command line `text` names, and what could not be followed.
pub fn command(text: &str, at: &CommandAt) -> Discovered {
    if text.len() > LONGEST {
        return refuse(text, at, "the command is too long to be followed");
    }
    let mut interpreter = interpreter::Interpreter::new(at, text);
    match at.shell {
        Shell::Posix => interpreter.posix_text(text),
        Shell::Cmd => interpreter.cmd_text(text),
        Shell::PowerShell => interpreter.powershell_text(text),
    }
    interpreter.into_found()
}

/// The same for a command that is already split into words.
pub fn argv(words: &[String], at: &CommandAt) -> Discovered {
    if words.iter().map(String::len).sum::<usize>() > LONGEST {
        return refuse(&words.join(" "), at, "the command is too long to be followed");
    }
    let fields: Vec<Field> = words.iter().map(Field::known).collect();
    let source = words.join(" ");
    let mut interpreter = interpreter::Interpreter::new(at, &source);
    match at.shell {
        Shell::Posix => drop(interpreter.run(&fields, &Stream::None)),
        Shell::Cmd | Shell::PowerShell => interpreter.windows_line(&windows::WindowsCommand { words: fields, targets: Vec::new() }),
    }
    interpreter.into_found()
}

fn refuse(text: &str, at: &CommandAt, why: &str) -> Discovered {
    let raw = text.chars().take(400).collect();
    let unparsed = Unparsed { argument: at.argument.to_owned(), raw, why: why.to_owned() };
    Discovered { unparsed: vec![unparsed], ..Discovered::default() }
}
