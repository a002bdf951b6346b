//! `callgate run`: gate one server over standard input and output.
use std::process::ExitCode;

use crate::assembly::gate;
use crate::assembly::options::{ApprovalOptions, Offered, Options};
use crate::ports::exit_code;
use crate::runtime::Ended;

/// Gate a server: stand between an MCP client and the server's command.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    approval: ApprovalOptions,
    #[command(flatten)]
    offered: Offered,
    /// The server's command and its arguments; without one, the built-in workspace server
    #[arg(last = true, value_name = "CMD", conflicts_with = "offered")]
    command: Vec<String>,
}

/// Runs the subcommand: ends as the server does, or with the code that stands for the signal that ended the gate.
///
/// # Errors
/// Whatever keeps the gate from starting. Once it runs, faults are answered in the session.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let ended = gate::run(&arguments.options, &arguments.approval, &arguments.offered, &arguments.command)?;
    Ok(match ended {
        Ended::Server(status) => status.map_or(1, exit_code).into(),
        Ended::Signal(code) => code.into(),
    })
}
