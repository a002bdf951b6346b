//! `callgate tools`: the built-in workspace server by itself, or the list of its tools.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tokio::signal::unix::{SignalKind, signal};

use callgate_workspace::documents::{Format, conversion};
use callgate_workspace::{Settings, Workspace, left_out, root_guard, serve};

use crate::assembly::options::Offered;
use crate::gate::address;

/// Serve the built-in workspace tools over standard input and output, without a gate.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Directory where relative paths start and commands run
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    offered: Offered,
    /// Print the tools and stop
    #[arg(long)]
    list: bool,
    /// Turn the document on standard input into text on standard output and stop; the server starts itself with this
    #[arg(long, value_name = "FORMAT", hide = true, value_parser = formats())]
    convert: Option<Format>,
}

/// Runs the subcommand.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(format) = arguments.convert {
        conversion::run(format, std::io::stdin(), std::io::stdout())?;
        return Ok(ExitCode::SUCCESS);
    }
    let list = arguments.list;
    let settings = settings(arguments)?;
    if list {
        print(&Workspace::new(settings))?;
        for (tool, feature) in left_out::tools() {
            writeln!(std::io::stderr(), "left out of this build: {tool} (feature `{feature}`)")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(warning) = root_guard::warning() {
        writeln!(std::io::stderr(), "callgate tools: {warning}")?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (reader, writer) = rmcp::transport::io::stdio_pipes();
        tokio::select! {
            served = serve(reader, writer, settings) => served.map(|()| ExitCode::SUCCESS),
            code = told_to_end() => code,
        }
    });
    // Dropping the calls ends the commands they run. A read of standard input that cannot be interrupted must not keep the process.
    runtime.shutdown_background();
    served
}

/// Waits for a signal to end and gives the exit code that tells it. Without this the commands would outlive the server.
async fn told_to_end() -> anyhow::Result<ExitCode> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let number = tokio::select! {
        _ = terminate.recv() => SignalKind::terminate(),
        _ = hang_up.recv() => SignalKind::hangup(),
        interrupted = tokio::signal::ctrl_c() => interrupted.map(|()| SignalKind::interrupt())?,
    };
    Ok(ExitCode::from(128 + u8::try_from(number.as_raw_value())?))
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::word)).try_map(|word| Format::named(&word).ok_or("no such format"))
}

fn settings(arguments: Arguments) -> anyhow::Result<Settings> {
    let root = absolute(&arguments.root)?;
    let Offered { allow_internal, include, exclude } = arguments.offered;
    Ok(Settings { allow_internal, include, exclude, ..Settings::from_environment(root, address::host_is_private) })
}

fn absolute(root: &Path) -> anyhow::Result<PathBuf> {
    let shown = root.display();
    let resolved = dunce::canonicalize(root).with_context(|| format!("the root `{shown}` cannot be found; give an existing directory"))?;
    anyhow::ensure!(resolved.is_dir(), "the root `{shown}` is no directory; give a directory");
    Ok(resolved)
}

fn print(workspace: &Workspace) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for tool in workspace.tools() {
        let reads = tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true);
        let description = tool.description.as_deref().unwrap_or_default();
        let first = description.split(". ").next().unwrap_or_default().trim_end_matches('.');
        writeln!(out, "{:<14} {:<9} {first}", tool.name, if reads { "read-only" } else { "changes" })?;
    }
    Ok(())
}
