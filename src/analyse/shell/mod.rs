//! From a command line to mentions: parse with a shell grammar, run each command in the mind, read each program's arguments by a table.
mod grammar;
mod interpret;
mod programs;
mod values;

pub use interpret::{CommandAt, argv, command};
#[cfg(test)]
pub(crate) use programs::OWN_COMMANDS;
