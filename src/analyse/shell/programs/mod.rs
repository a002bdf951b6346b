//! What each program's operands and options mean: the table, and the programs whose arguments are a small language each.
mod act;
mod arguments;
mod by_role;
mod code;
mod command_words;
mod connection;
mod env;
mod find;
mod git;
mod guess;
mod link;
mod own_commands;
mod own_gate;
mod printing;
mod replace;
mod sed;
mod table;
mod text_programs;

pub use act::{Act, Acts, Setting, Use};
pub use arguments::{ReadArguments, read as read_arguments};
pub use by_role::output;
pub use command_words::COMMAND_WORDS;
pub use env::{EnvStep, env_steps};
pub use guess::{has_drive, is_absolute};
#[cfg(test)]
pub use own_commands::OWN_COMMANDS;
pub use replace::{mark_of_xargs, replace};
pub use table::{Program, Special, TABLE, WordRole};
