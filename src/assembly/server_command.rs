//! Which server is meant: its name, and the command that starts it.
use std::path::Path;

use anyhow::Context;

use crate::policy::command_names;

use super::judge_context::JudgeContext;
use super::options::{Offered, Options};

/// What the server is called in policy, questions, audit and lock file: as given, else what its command is called.
pub fn server_name(options: &Options, command: &[String]) -> String {
    options.server.clone().or_else(|| names(command).into_iter().next()).unwrap_or_else(|| "server".to_owned())
}

/// Every name by which a policy can mean the server that `command` starts, the most telling first.
pub fn names(command: &[String]) -> Vec<String> {
    match command {
        [program, rest @ ..] => command_names(program, rest),
        [] => vec![callgate_workspace::NAME.to_owned()],
    }
}

/// The server's command as given, else the built-in workspace server's, with those of its tools that are `offered`.
///
/// # Errors
/// When our own program cannot be found.
pub fn command_or_own(command: &[String], context: &JudgeContext, offered: &Offered) -> anyhow::Result<Vec<String>> {
    if command.is_empty() { own_server(&context.surroundings.root, offered) } else { Ok(command.to_vec()) }
}

/// The built-in workspace server, as a child like any other.
fn own_server(root: &Path, offered: &Offered) -> anyhow::Result<Vec<String>> {
    let program = std::env::current_exe().context("the program's own file cannot be found")?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let words = [text(&program), "tools".to_owned(), "--root".to_owned(), text(root)];
    Ok(words.into_iter().chain(offered.words()).collect())
}
