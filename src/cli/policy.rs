//! `callgate policy`: shows, checks and tests the policy.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::escape::visible;
use crate::policy;

use super::cases;
use crate::assembly::policy_files;

/// Show, check or test the policy.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the effective policy, each value with the place it was set.
    Show {
        /// Print the built-in policy instead: the annotated reference of every key.
        #[arg(long)]
        default: bool,
        #[command(flatten)]
        sources: Sources,
    },
    /// Check a policy file, or all that make the effective policy.
    Check {
        /// The file.
        file: Option<PathBuf>,
        #[command(flatten)]
        sources: Sources,
    },
    /// Judge a policy's own cases
    Test(cases::Arguments),
    /// Print the JSON schema of a policy file.
    Schema,
}

/// Where the policy comes from.
#[derive(Debug, clap::Args)]
struct Sources {
    /// The project directory; the working directory if absent.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// This file in place of the user's and the project's.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

/// Runs the subcommand: 0, or 3 when a case of `policy test` is judged otherwise than it says.
///
/// # Errors
/// A policy that cannot be used (exit code 4), or an output that cannot be written.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let text = match arguments.command {
        Command::Show { default: true, .. } => policy::DEFAULT.to_owned(),
        Command::Show { sources, .. } => policy::show(&policy_files::policy(sources.policy.as_deref(), &sources.root)?),
        Command::Check { file, sources } => check(file.as_deref().or(sources.policy.as_deref()), &sources.root)?,
        Command::Test(arguments) => return cases::run(&arguments),
        Command::Schema => format!("{:#}\n", policy::schema()),
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn check(file: Option<&Path>, root: &Path) -> anyhow::Result<String> {
    let texts = policy_files::texts(file, root)?;
    policy::load(&texts)?;
    let names: Vec<_> = texts.iter().map(|text| visible(&text.name)).collect();
    Ok(if names.is_empty() { "ok: the built-in policy alone\n".to_owned() } else { format!("ok: {}\n", names.join(", ")) })
}
