//! The command line: one file per subcommand.
pub mod tools;

use std::process::ExitCode;

/// Runs the program.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
