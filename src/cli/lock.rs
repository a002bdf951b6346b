//! `callgate lock`: accept a server's tools as they are now, or show what has changed since.
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::escape::visible_within;
use crate::gate::{PinStatus, Since, quoted};
use crate::policy::Access;
use crate::session::{Lockfile, Tools};

use super::exit;
use crate::assembly::client;
use crate::assembly::executor::block_on;
use crate::assembly::judge_context::JudgeContext;
use crate::assembly::lockfile::LockfilePlace;
use crate::assembly::options::{ApprovalOptions, Offered, Options};
use crate::assembly::server_command::{command_or_own, server_name};
use crate::assembly::session_config::session_config;

/// Accept a server's tools as they are now, for `--locked`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only show what has changed since the file was written; exit code 3 if anything has
    #[arg(long)]
    check: bool,
    /// The lock file, if it is not `callgate.lock` at the root
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The project, where the server is started and the lock file lies
    #[arg(long, value_name = "DIR")]
    root: Option<String>,
    /// Use this policy alone, not the user's or the project's
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// What the server is called in policy, questions, audit and lock file
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// The server's command and its arguments; without one, the built-in workspace server
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// A line of a definition longer than this is cut in the middle.
const SHOWN: usize = 600;

/// Runs the subcommand: 0 when the tools are those of the file, or were written to it; 3 when `--check` finds a difference.
///
/// # Errors
/// A server that does not list its tools, or a lock file that is damaged, missing (for `--check`) or cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { root, policy, server, command, .. } = arguments;
    let options = Options {
        root: root.clone(),
        policy: policy.clone(),
        server: server.clone(),
        // Nothing is called, so nothing is asked; and no tool is hidden from the list.
        access: Some(Access::Full),
        non_interactive: true,
        ..Options::default()
    };
    let server = server_name(&options, command);
    let context = JudgeContext::prepare(&options, &server, None)?;
    let place = LockfilePlace::of(arguments.file.as_deref(), &context.surroundings.root);
    let before = place.read()?;
    let now = listed(&options, &context, command)?;
    if arguments.check {
        return check(&place, &before.ok_or_else(|| place.missing())?, &server, &now);
    }
    accept(&place, before.unwrap_or_default(), &server, now)
}

/// The tools that the server lists now.
fn listed(options: &Options, context: &JudgeContext, command: &[String]) -> anyhow::Result<Tools> {
    let command = command_or_own(command, context, &Offered::default())?;
    let config = session_config(options, &ApprovalOptions::default(), context)?;
    block_on(client::tools(config, &command))?
}

fn check(place: &LockfilePlace, file: &Lockfile, server: &str, now: &Tools) -> anyhow::Result<ExitCode> {
    let name = quoted(place.name());
    let Some(before) = file.tools(server) else {
        println!("{name} does not name server {}; `callgate lock` accepts its tools", quoted(server));
        return Ok(exit::FINDINGS.into());
    };
    let differences = differences(before, now)?;
    if differences.is_empty() {
        println!("{} of {} as in {name}", counted(now.len()), quoted(server));
        return Ok(ExitCode::SUCCESS);
    }
    print!("{differences}");
    println!("the tools of {} are not as in {name}; `callgate lock` without `--check` accepts them", quoted(server));
    Ok(exit::FINDINGS.into())
}

fn accept(place: &LockfilePlace, mut file: Lockfile, server: &str, now: Tools) -> anyhow::Result<ExitCode> {
    let count = now.len();
    if let Some(before) = file.tools(server) {
        print!("{}", differences(before, &now)?);
    }
    file.accept(server, now);
    place.write(&file)?;
    println!("locked {} of {} in {}", counted(count), quoted(server), quoted(place.name()));
    Ok(ExitCode::SUCCESS)
}

fn counted(tools: usize) -> String {
    if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") }
}

/// Every tool that is new, gone or changed, each with what changed.
fn differences(before: &Tools, now: &Tools) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for (name, tool) in now {
        match PinStatus::of(tool, before.get(name).map(|accepted| (accepted, Since::Lock))) {
            PinStatus::Unlocked { .. } => writeln!(text, "{} is new: {}", quoted(name), visible_within(&tool.description, SHOWN))?,
            changed @ PinStatus::Changed { .. } => {
                writeln!(text, "{} changed:", quoted(name))?;
                changed.changed_lines().iter().try_for_each(|line| writeln!(text, "  {}", visible_within(line, SHOWN)))?;
            }
            PinStatus::Known | PinStatus::Unknown | PinStatus::NotATool => {}
        }
    }
    for name in before.keys().filter(|name| !now.contains_key(*name)) {
        writeln!(text, "{} is gone", quoted(name))?;
    }
    Ok(text)
}
