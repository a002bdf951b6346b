//! `run_command`: a shell command in its own process group, within a time, with bounded output.
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::command::capture::{self, Shared, look, pump};
use crate::command::process_group::Group;
use crate::outcome::{Payload, payloads};
use crate::place::{Base, plain};
use crate::settings::Settings;

/// Arguments of `run_command`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// Shell command to run. Pipes, `&&` and redirections work; standard input is closed.
    pub command: String,
    /// Directory to run it in, relative to the root or absolute; the root if left out.
    pub working_directory: Option<String>,
    /// Seconds before the command and all it started are ended. There is a ceiling, by default 600.
    #[serde(default = "half_a_minute")]
    pub timeout_seconds: f64,
    /// Characters kept of each output stream, half from its beginning and half from its end; 100000 at most.
    #[serde(default = "output_limit")]
    pub max_output_chars: u64,
}

/// Result of `run_command`. A non-zero exit is no error.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct RunCommand {
    /// The directory it ran in.
    pub working_directory: String,
    /// The exit code, if it exited by itself.
    pub returncode: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Whether the middle of the standard output is left out.
    pub stdout_truncated: bool,
    /// Whether the middle of the standard error is left out.
    pub stderr_truncated: bool,
    /// Whether it was ended because its time was over.
    pub timed_out: bool,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// What else there is to know.
    pub note: Option<String>,
    /// Why it did not run to its end.
    pub error: Option<String>,
}

payloads!(RunCommand);

/// Characters kept of a stream at most.
const OUTPUT: u64 = 100_000;
/// Time given to what the command left behind to close its output.
const DRAIN: Duration = Duration::from_secs(2);
const PROGRESS: Duration = Duration::from_millis(500);

fn half_a_minute() -> f64 {
    30.0
}

fn output_limit() -> u64 {
    OUTPUT
}

enum End {
    Exited(std::io::Result<ExitStatus>),
    TimedOut,
    Cancelled,
}

/// Runs a command.
pub async fn run_command(settings: &Settings, arguments: &Arguments, context: &RequestContext<RoleServer>) -> RunCommand {
    let base = Base::from(settings);
    let started = Instant::now();
    let (directory, limit) = match prepare(settings, &base, arguments) {
        Ok(prepared) => prepared,
        Err(error) => return RunCommand::failed(error),
    };
    let mut result = RunCommand { working_directory: base.show(&directory), ..RunCommand::default() };
    let mut group = match Group::spawn(&mut shell(&arguments.command, &directory)) {
        Ok(group) => group,
        Err(error) => {
            result.error = Some(format!("the command could not be started: {}", plain(&error)));
            return result;
        }
    };
    let limit_of_output = usize::try_from(arguments.max_output_chars.min(OUTPUT)).unwrap_or(0);
    let captures = [capture::shared(limit_of_output), capture::shared(limit_of_output)];
    let mut pumps = start_pumps(&mut group, &captures);
    let end = supervise(&mut group, &captures, limit, context).await;
    let status = conclude(&mut result, end, &mut group, limit).await;
    drain(&mut result, &mut pumps, &mut group).await;
    fill(&mut result, status, &captures);
    result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    result
}

fn prepare(settings: &Settings, base: &Base, arguments: &Arguments) -> Result<(std::path::PathBuf, Duration), String> {
    if arguments.command.trim().is_empty() {
        return Err("the command is empty; give a shell command".to_owned());
    }
    if arguments.command.contains('\0') {
        return Err("the command holds a NUL character, which no command can; correct it".to_owned());
    }
    let directory = base.resolve(arguments.working_directory.as_deref().unwrap_or("."))?;
    if !directory.is_dir() {
        return Err(format!("the working directory `{}` is no directory", base.show(&directory).escape_debug()));
    }
    let seconds = arguments.timeout_seconds;
    if seconds.is_nan() || seconds <= 0.0 {
        return Err(format!("`timeout_seconds` is {seconds}; give a number of seconds above 0"));
    }
    // A number too large for a duration is more than the ceiling, too.
    let asked = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).max(Duration::from_nanos(1));
    Ok((directory, asked.min(settings.command_ceiling)))
}

/// The shell that the gate reads commands for: bash where there is one, else the system's.
fn shell(command: &str, directory: &Path) -> Command {
    let bash = Path::new("/bin/bash");
    let mut shell = Command::new(if bash.exists() { bash } else { Path::new("/bin/sh") });
    shell.arg("-c").arg(command).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

fn start_pumps(group: &mut Group, [stdout, stderr]: &[Shared; 2]) -> JoinSet<()> {
    let mut pumps = JoinSet::new();
    if let Some(stream) = group.child().stdout.take() {
        pumps.spawn(pump(stream, Shared::clone(stdout)));
    }
    if let Some(stream) = group.child().stderr.take() {
        pumps.spawn(pump(stream, Shared::clone(stderr)));
    }
    pumps
}

/// Waits for the end of the command, of its time or of the call, and reports the growth of its output meanwhile.
async fn supervise(group: &mut Group, captures: &[Shared; 2], limit: Duration, context: &RequestContext<RoleServer>) -> End {
    let deadline = tokio::time::sleep(limit);
    tokio::pin!(deadline);
    let mut tick = tokio::time::interval(PROGRESS);
    let mut reported = 0;
    loop {
        tokio::select! {
            status = group.wait() => return End::Exited(status),
            () = &mut deadline => return End::TimedOut,
            () = context.ct.cancelled() => return End::Cancelled,
            _ = tick.tick() => reported = report(captures, reported, context).await,
        }
    }
}

/// Tells a client that asked for progress how much output there is, if there is more than before.
async fn report(captures: &[Shared; 2], before: u64, context: &RequestContext<RoleServer>) -> u64 {
    let total = captures.iter().map(|capture| look(capture, capture::Kept::total)).sum();
    let Some(token) = context.meta.get_progress_token().filter(|_| total > before) else { return before };
    let [stdout, stderr] = captures;
    let line = [stdout, stderr].map(|capture| look(capture, capture::Kept::last_line)).into_iter().find(|line| !line.is_empty());
    #[expect(clippy::cast_precision_loss, reason = "a count for people; no output is near 2^53 bytes")]
    let progress =
        ProgressNotificationParam::new(token, total as f64).with_message(format!("{total} bytes of output: {}", line.unwrap_or_default()));
    // A client that has gone away is noticed by the session, not here.
    let _ = context.peer.notify_progress(progress).await;
    total
}

async fn conclude(result: &mut RunCommand, end: End, group: &mut Group, limit: Duration) -> Option<ExitStatus> {
    match end {
        End::Exited(Ok(status)) => return Some(status),
        End::Exited(Err(error)) => result.error = Some(format!("waiting for the command failed: {}", plain(&error))),
        End::TimedOut => {
            result.timed_out = true;
            let seconds = limit.as_secs_f64();
            result.error =
                Some(format!("the command did not end within {seconds} seconds and was ended; raise timeout_seconds or do less"));
        }
        End::Cancelled => result.error = Some("the call was cancelled and the command was ended".to_owned()),
    }
    group.stop().await
}

/// Takes the rest of the output. Who still holds it open after the command's end is ended too, the others run on; and so does who
/// has left the process group, which is said.
async fn drain(result: &mut RunCommand, pumps: &mut JoinSet<()>, group: &mut Group) {
    if is_drained(pumps).await {
        return group.release();
    }
    group.kill();
    let note = if is_drained(pumps).await {
        "background processes that held the output open were ended; redirect their output to a file to let them run on"
    } else {
        "a process that left the command's process group still holds the output and runs on; what it writes is not seen here"
    };
    pumps.abort_all();
    result.note = Some(note.to_owned());
}

/// Whether nobody holds the output any more, after a while.
async fn is_drained(pumps: &mut JoinSet<()>) -> bool {
    let all = async { while pumps.join_next().await.is_some() {} };
    tokio::time::timeout(DRAIN, all).await.is_ok()
}

fn fill(result: &mut RunCommand, status: Option<ExitStatus>, [stdout, stderr]: &[Shared; 2]) {
    result.returncode = status.and_then(|status| status.code());
    result.signal = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
    let (out, err) = (look(stdout, capture::Kept::text), look(stderr, capture::Kept::text));
    (result.stdout, result.stdout_truncated) = (out.text, out.truncated);
    (result.stderr, result.stderr_truncated) = (err.text, err.truncated);
}
