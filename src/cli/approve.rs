//! `callgate approve`: answer the questions of running gates.
use std::process::ExitCode;

use crate::approve::attend;

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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(attend::run(arguments.plain));
    // The thread that reads the terminal ends by itself; it must not keep the program.
    runtime.shutdown_background();
    done?;
    Ok(ExitCode::SUCCESS)
}
