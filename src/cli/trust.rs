//! `callgate trust`: lets a project's policy file loosen the policy, after showing what it would loosen.
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::escape::visible;
use crate::policy::{self, Text, Trust};

use crate::assembly::text_file::{Links, read};
use crate::assembly::{policy_files, trusted_files};

/// Let a project's policy file loosen the policy for as long as its text stays the same.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file.
    #[arg(default_value = policy_files::PROJECT_FILE)]
    file: PathBuf,
    /// Take the trust back.
    #[arg(long)]
    remove: bool,
}

/// Runs the subcommand: 0 when the file is trusted (or with `--remove`, no longer), 3 when you said no, 5 when there was nothing to do.
///
/// # Errors
/// A file that is not understood, a store that cannot be written, or no terminal to ask on: trust is a person's to give.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.remove {
        return remove(&arguments.file);
    }
    let name = arguments.file.to_string_lossy().into_owned();
    let text = read(&arguments.file, Links::Refused)?.with_context(|| format!("there is no `{}` here; name the file", visible(&name)))?;
    if trusted_files::is_trusted(&arguments.file, &text)? {
        println!("{} is trusted already", visible(&name));
        return Ok(ExitCode::from(5));
    }
    let loosened = loosened(&name, &text)?;
    if loosened.is_empty() {
        println!("{} only tightens the policy; it counts without trust", visible(&name));
        return Ok(ExitCode::from(5));
    }
    if !confirmed(&name, &loosened)? {
        println!("nothing was changed");
        return Ok(ExitCode::from(3));
    }
    trusted_files::trust(&arguments.file, &text)?;
    println!("{} is trusted until its text changes", visible(&name));
    Ok(ExitCode::SUCCESS)
}

fn remove(file: &Path) -> anyhow::Result<ExitCode> {
    let had = trusted_files::distrust(file)?;
    println!("{} {}", visible(&file.to_string_lossy()), if had { "is no longer trusted" } else { "was not trusted" });
    Ok(if had { ExitCode::SUCCESS } else { ExitCode::from(5) })
}

/// Every entry by which the file would loosen the built-in policy and the user's.
fn loosened(name: &str, text: &str) -> anyhow::Result<Vec<policy::Problem>> {
    let mut texts: Vec<Text> = policy_files::user_text()?.into_iter().collect();
    let project = |trust| Text { name: name.to_owned(), text: text.to_owned(), trust };
    texts.push(project(Trust::Trusted));
    policy::load(&texts)?;
    texts.pop();
    texts.push(project(Trust::Untrusted));
    Ok(policy::load(&texts).err().map(|error| error.problems).unwrap_or_default())
}

fn confirmed(name: &str, loosened: &[policy::Problem]) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("trust is given by a person: run `callgate trust` in a terminal, or name the file with `--policy`");
    }
    println!("{} loosens the policy:\n", visible(name));
    for problem in loosened {
        println!("{:>6}  {}", problem.line, problem.excerpt);
    }
    print!("\nType `trust` to let it: ");
    io::stdout().flush()?;
    let mut typed = String::new();
    io::stdin().lock().read_line(&mut typed)?;
    Ok(typed.trim() == "trust")
}
