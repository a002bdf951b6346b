//! `callgate approve`: answer the questions of running gates.
use std::process::ExitCode;

use crate::approve::attend;
use crate::assembly::executor::block_on;

/// Answer questions of running gates from this terminal.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Plain lines one after the other, for screen readers: the cursor is never moved
    #[arg(long)]
    plain: bool,
}

/// Runs the subcommand until the person stops.
///
/// # Errors
/// Without a terminal, or when the socket directory is not safe.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    block_on(attend::run(arguments.plain))??;
    Ok(ExitCode::SUCCESS)
}
