//! `callgate paths`: the places that running gates permit, and the answers that are kept for good.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::approve::gate_connection::{self, GateConnection, ShownPlaces};
use crate::approve::paths::{PermittedPlace, validated};
use crate::approve::prompt::{Tty, Typed};
use crate::approve::socket::protocol::FromApprover;
use crate::escape::visible;
use crate::gate::Grant;
use crate::gate::quoted;
use crate::store::grants::GrantFile;

use super::exit::NothingDone;

/// A person has this long to type a confirmation.
const TIMEOUT: Duration = Duration::from_secs(120);

/// List, add and remove the places of running gates; list and forget kept answers.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the places of every running gate and all kept answers (the default)
    List,
    /// Permit a directory or file until the gate's session ends
    Add(Where),
    /// Take a directory or file back
    Remove(Where),
    /// Forget a kept answer
    Forget {
        /// Its number in the list; without one it is chosen on the terminal
        number: Option<usize>,
    },
}

#[derive(Debug, clap::Args)]
struct Where {
    /// The directory or file
    path: PathBuf,
    /// Process id of the gate, if several run
    #[arg(long, value_name = "PID")]
    gate: Option<u32>,
}

/// Runs the subcommand: 0 when it was done, 5 when there was nothing to do or the person said no.
///
/// # Errors
/// When there is no such gate, it refuses, or the grants file is not usable.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command.unwrap_or(Command::List) {
        Command::List => list()?,
        Command::Add(place) => add(&place)?,
        Command::Remove(place) => remove(&place)?,
        Command::Forget { number } => forget(number)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list() -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for connected in gate_connection::all()? {
        lines.extend(listed(connected));
    }
    if lines.is_empty() {
        lines.push("no gate runs".to_owned());
    }
    let grants = kept_answers()?;
    for (place, grant) in grants.list().iter().enumerate() {
        lines.push(format!("kept {}: {}", place + 1, grant.rule()));
    }
    say(&lines)
}

fn listed(connected: std::io::Result<GateConnection>) -> Vec<String> {
    let asked = connected.and_then(|mut gate| Ok((gate.ask(&FromApprover::Places {})?, gate)));
    match asked {
        Ok((permitted, gate)) => {
            let mut lines = vec![format!("gate {} in {}:", gate.pid, visible(&gate.root.to_string_lossy()))];
            lines.extend(permitted.directories.iter().map(|path| format!("  {} and all below it", visible(path))));
            lines.extend(permitted.files.iter().map(|path| format!("  the file {}", visible(path))));
            lines
        }
        Err(error) => vec![format!("a gate that cannot be asked: {}", visible(&error.to_string()))],
    }
}

fn add(place: &Where) -> anyhow::Result<()> {
    let mut gate = the_gate(place.gate)?;
    let wanted = validated(&std::path::absolute(&place.path)?, &gate.root)?;
    let what = match &wanted {
        PermittedPlace::Directory(path) => format!("{} and all below it", visible(&path.to_string_lossy())),
        PermittedPlace::File(path) => format!("the file {}", visible(&path.to_string_lossy())),
    };
    confirmed(
        &format!("gate {} in {}: permit {what} until its session ends", gate.pid, visible(&gate.root.to_string_lossy())),
        &gate.code,
    )?;
    let path = text(wanted.path())?;
    let code = gate.code.clone();
    let permitted = gate.ask(&FromApprover::Add { path, code })?;
    say(&[visible(&permitted.said)])?;
    say(&permitted.directories.iter().chain(&permitted.files).map(|path| format!("  {}", visible(path))).collect::<Vec<_>>())
}

fn remove(place: &Where) -> anyhow::Result<()> {
    let mut gate = the_gate(place.gate)?;
    let spelled = std::path::absolute(&place.path)?;
    // What is gone from the disk can still be taken back as it was written.
    let path = spelled.canonicalize().unwrap_or(spelled);
    let path = text(&path)?;
    let is_permitted = |permitted: &ShownPlaces| permitted.directories.contains(&path) || permitted.files.contains(&path);
    if !is_permitted(&gate.ask(&FromApprover::Places {})?) {
        bail!(NothingDone(format!("{} is not permitted there, so there is nothing to take back", quoted(&path))));
    }
    let permitted = gate.ask(&FromApprover::Remove { path: path.clone() })?;
    if is_permitted(&permitted) {
        bail!(NothingDone(format!("{} is permitted by the policy or an option of that gate, and stays so", quoted(&path))));
    }
    say(&[visible(&permitted.said)])
}

fn forget(number: Option<usize>) -> anyhow::Result<()> {
    let mut grants = kept_answers()?;
    if grants.list().is_empty() {
        bail!(NothingDone("no answer is kept".to_owned()));
    }
    let place = match number {
        Some(number) => number.checked_sub(1),
        None => chosen(grants.list())?,
    };
    let grant = place.and_then(|place| grants.list().get(place)).cloned();
    let grant = grant.with_context(|| format!("no kept answer has this number: `callgate paths` shows {}", grants.list().len()))?;
    grants.remove(&grant)?;
    say(&[format!("forgotten: {}", grant.rule())])
}

fn chosen(grants: &[Grant]) -> anyhow::Result<Option<usize>> {
    let tty = Tty::controlling().context("without a terminal, give the number of the kept answer")?;
    let rules: Vec<String> = grants.iter().map(Grant::rule).collect();
    let select = dialoguer::Select::new().with_prompt("forget which answer (Esc for none)").items(&rules).default(0);
    Ok(Some(select.interact_on_opt(&tty.as_term()?)?.context(NothingDone("nothing is forgotten".to_owned()))?))
}

/// The gate with this process id, or the only one that runs.
fn the_gate(pid: Option<u32>) -> anyhow::Result<GateConnection> {
    let (mut gates, mut refusals) = (Vec::new(), Vec::new());
    for connected in gate_connection::all()? {
        match connected {
            Ok(gate) => gates.push(gate),
            Err(error) => refusals.push(visible(&error.to_string())),
        }
    }
    if let Some(pid) = pid {
        return gates.into_iter().find(|gate| gate.pid == pid).with_context(|| format!("no gate runs as process {pid}"));
    }
    let pids: Vec<String> = gates.iter().map(|gate| format!("{} in {}", gate.pid, quoted(&gate.root.to_string_lossy()))).collect();
    match (gates.pop(), gates.is_empty()) {
        (Some(gate), true) => Ok(gate),
        (Some(_), false) => bail!("several gates run ({}): choose one with `--gate`", pids.join(", ")),
        (None, _) if refusals.is_empty() => bail!("no gate runs"),
        (None, _) => bail!("no gate can be asked: {}", refusals.join("; ")),
    }
}

/// Widening what a gate permits takes the same care as an answer: a terminal, and a code typed back.
fn confirmed(what: &str, code: &str) -> anyhow::Result<()> {
    let tty = Tty::controlling().context("a place is added by a person at a terminal")?;
    tty.write(&format!("{what}\ntype `add {code}` to do so\n"))?;
    let until = Instant::now() + TIMEOUT;
    tty.settle(until, &|| false);
    tty.write("> ")?;
    match tty.line(until, &|| false) {
        Typed::Line(line) if line == format!("add {code}") => Ok(()),
        _ => bail!(NothingDone("nothing is added".to_owned())),
    }
}

fn kept_answers() -> anyhow::Result<GrantFile> {
    Ok(GrantFile::load(&GrantFile::default_path()?)?)
}

fn text(path: &Path) -> anyhow::Result<String> {
    path.to_str().map(str::to_owned).with_context(|| format!("{} is not text", quoted(&path.to_string_lossy())))
}

fn say(lines: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
