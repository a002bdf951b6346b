//! The command line: one file per subcommand.
pub mod check;
pub mod exit;
pub mod judging;
pub mod options;
pub mod setup;
pub mod tools;

use std::process::ExitCode;

use clap::Parser;

/// A permission gate for the Model Context Protocol: every tool call is judged before a server sees it.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Judge a call without sending it
    Check(check::Arguments),
    /// Serve the built-in workspace tools by themselves, without a gate
    Tools(tools::Arguments),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(usage) => {
            let _ = usage.print();
            return if usage.use_stderr() { exit::USAGE.into() } else { ExitCode::SUCCESS };
        }
    };
    let done = match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Tools(arguments) => tools::run(arguments),
    };
    done.unwrap_or_else(|problem| {
        eprintln!("callgate: {problem:#}");
        exit::code(&problem).into()
    })
}
