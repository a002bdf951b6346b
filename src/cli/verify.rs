//! `callgate verify`: whether an audit log is whole, and if not, its first broken line.
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::escape::visible;
use crate::report::audit;

use crate::assembly::policy_files;

/// Check that no line of an audit log was changed, removed, added or moved.
///
/// Lines cut off at the end leave no trace in the file itself: keep the last hash that this prints to be able to tell.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The log; the one in your state directory if absent.
    file: Option<PathBuf>,
    /// A last hash that was printed before: it must still be in the log.
    #[arg(long, value_name = "HASH")]
    holds: Option<String>,
}

/// Runs the subcommand: 0 for a whole log, 3 for a broken one, 5 for an empty one.
///
/// # Errors
/// If the log cannot be read.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let file = match arguments.file {
        Some(file) => file,
        None => policy_files::audit_in_force()?,
    };
    let name = visible(&file.to_string_lossy());
    let log = File::open(&file).map(BufReader::new).with_context(|| format!("`{name}` cannot be read"))?;
    let mut out = std::io::stdout().lock();
    let mut is_held = false;
    let summary = match audit::follow(log, |hash| is_held |= arguments.holds.as_deref() == Some(hash))? {
        Ok(summary) => summary,
        Err(broken) => {
            writeln!(out, "{name}: {broken}")?;
            return Ok(ExitCode::from(3));
        }
    };
    for line in summary.torn.iter().chain(&summary.ends_torn) {
        writeln!(out, "{name}: line {line}: it was cut short by a crash or a full disk")?;
    }
    if let Some(hash) = arguments.holds.filter(|_| !is_held) {
        writeln!(out, "{name}: no line has the hash `{}`: lines were cut off the end", visible(&hash))?;
        return Ok(ExitCode::from(3));
    }
    writeln!(out, "ok: {} lines, last hash {}", summary.lines, summary.last)?;
    Ok(if summary.lines == 0 { ExitCode::from(5) } else { ExitCode::SUCCESS })
}
