//! `callgate run`: gate one server over standard input and output.
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use crate::approve::socket::Listener;
use crate::policy::{Channel, Identity, command_names};
use crate::ports::{Upstream, exit_code, open_stdio};
use crate::runtime::{Asker, Driver, Ended};
use crate::session::{Config, Session};
use crate::wire::Limits;

use crate::assembly::judge_context::JudgeContext;
use crate::assembly::options::Options;
use crate::assembly::recorder::Recorder;

/// Gate a server: stand between an MCP client and the server's command.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    reach: ApprovalOptions,
    /// The server's command and its arguments; without one, the built-in workspace server
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Who is asked, and where verdicts are written.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ApprovalOptions {
    /// Also ask on the controlling terminal
    #[arg(long)]
    pub tty: bool,
    /// Also ask through this helper program (absolute path; exit 0 allows once)
    #[arg(long, value_name = "PATH")]
    pub askpass: Option<PathBuf>,
    /// Write verdicts to this file instead of the one in the user's state directory
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
    /// Give a question up after this many seconds instead of what fits the client
    #[arg(long, value_name = "SECONDS")]
    pub ask_timeout: Option<u64>,
}

/// Runs the subcommand.
///
/// # Errors
/// Whatever keeps the gate from starting. Once it runs, faults are answered in the session.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { options, reach, command } = arguments;
    let server = server_name(options, command);
    let mut ground = JudgeContext::prepare(options, &server, None)?;
    reach.audit.iter().for_each(|file| ground.guard(file));
    if let [program, rest @ ..] = command.as_slice() {
        ground.policy.identify(&server, &command_names(program, rest), Identity::Command);
    } else {
        ground.policy.identify(&server, &[callgate_workspace::NAME.to_owned()], Identity::Command);
    }
    let command = command_or_own(command, &ground)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime cannot be started")?;
    let ended = runtime.block_on(gate(options, reach, ground, &command));
    // A read of standard input that cannot be interrupted, or a look at a dead mount, must not keep the process.
    runtime.shutdown_background();
    Ok(match ended? {
        Ended::Server(status) => status.map_or(1, exit_code).into(),
        Ended::Signal(code) => code.into(),
    })
}

async fn gate(options: &Options, reach: &ApprovalOptions, ground: JudgeContext, command: &[String]) -> anyhow::Result<Ended> {
    let recorder = Recorder::open(reach.audit.as_deref(), &ground)?;
    let asker = asker(options, reach, &ground);
    let config = config(options, reach, &ground)?;
    let (limit, surroundings) = (config.limits.bytes, Arc::clone(&config.surroundings));
    let (upstream, stdin, stdout) = Upstream::start(command, &ground.surroundings.root)?;
    let driver = Driver {
        session: Session::new(config),
        surroundings,
        record: recorder.record(),
        keep: Box::new(crate::assembly::recorder::keep),
        asker,
        limit,
    };
    Ok(driver.run(open_stdio(), (Box::pin(stdin), Box::pin(stdout)), upstream).await?)
}

/// The server's name: as given, else what its command is called.
pub fn server_name(options: &Options, command: &[String]) -> String {
    let named = || match command {
        [program, rest @ ..] => command_names(program, rest).into_iter().next(),
        [] => Some(callgate_workspace::NAME.to_owned()),
    };
    options.server.clone().or_else(named).unwrap_or_else(|| "server".to_owned())
}

/// The server's command as given, else the built-in workspace server's.
///
/// # Errors
/// When our own program cannot be found.
pub fn command_or_own(command: &[String], ground: &JudgeContext) -> anyhow::Result<Vec<String>> {
    if command.is_empty() { own_server(ground) } else { Ok(command.to_vec()) }
}

/// The built-in workspace server, as a child like any other.
pub fn own_server(ground: &JudgeContext) -> anyhow::Result<Vec<String>> {
    let program = std::env::current_exe().context("the program's own file cannot be found")?;
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    Ok(vec![text(&program), "tools".to_owned(), "--root".to_owned(), text(&ground.surroundings.root)])
}

/// The settings of the session.
///
/// # Errors
/// When no random bytes can be had, or the store of grants is damaged.
pub fn config(options: &Options, reach: &ApprovalOptions, ground: &JudgeContext) -> anyhow::Result<Config> {
    let limits = ground.policy.limits();
    let approval = ground.policy.approval();
    let mut seed = [0; 40];
    rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty()).context("no random bytes can be had")?;
    let bytes = usize::try_from(limits.message_bytes.value).unwrap_or(usize::MAX);
    let depth = usize::try_from(limits.depth.value).unwrap_or(usize::MAX);
    Ok(Config {
        server: ground.server.clone(),
        policy: Arc::new(ground.policy.clone()),
        sensitive: Arc::clone(&ground.sensitive),
        surroundings: Arc::clone(&ground.surroundings),
        access: ground.access(),
        channels: channels(options, reach, &approval.channels.value),
        limits: Limits { bytes, depth, ..Limits::default() },
        call_timeout: call_timeout(ground),
        timeout: reach.ask_timeout.map(Duration::from_secs).or_else(|| approval.timeout.as_ref().map(|set| set.value)),
        soonest_answer: approval.minimum_answer.value,
        kept: crate::assembly::recorder::kept()?,
        locked: ground.locked.clone(),
        grants: crate::gate::Grants::default(),
        rewrite_relative: ground.rewrites_relative(),
        seed,
    })
}

/// The policy's channels that this run may use. The terminal and the helper program have to be asked for.
fn channels(options: &Options, reach: &ApprovalOptions, by_policy: &[Channel]) -> Vec<Channel> {
    if options.non_interactive {
        return Vec::new();
    }
    let usable = |channel: &Channel| match channel {
        Channel::Elicitation | Channel::Socket => true,
        Channel::Tty => reach.tty,
        Channel::Program => reach.askpass.is_some(),
    };
    by_policy.iter().copied().filter(usable).collect()
}

/// Seconds in `CALLGATE_TOOL_CALL_TIMEOUT` go over the policy; 0 or less waits for ever, and what is no number is not heeded.
fn call_timeout(ground: &JudgeContext) -> Option<Duration> {
    let by_hand = ground.surroundings.variables.get("CALLGATE_TOOL_CALL_TIMEOUT").and_then(|text| text.trim().parse::<f64>().ok());
    match by_hand.filter(|seconds| seconds.is_finite()) {
        Some(seconds) if seconds > 0.0 => Some(Duration::from_secs_f64(seconds.min(1e9))),
        Some(_) => None,
        None => ground.policy.limits().call_timeout(),
    }
}

fn asker(options: &Options, reach: &ApprovalOptions, ground: &JudgeContext) -> Asker {
    let wanted = !options.non_interactive && ground.policy.approval().channels.value.contains(&Channel::Socket);
    let root = ground.surroundings.root.clone();
    let socket = wanted.then(|| Listener::start(&tokio::runtime::Handle::current(), root));
    let socket = socket
        .and_then(|started| started.inspect_err(|problem| tracing::warn!("`callgate approve` cannot reach this gate: {problem}")).ok());
    Asker::new(reach.askpass.clone(), socket)
}
