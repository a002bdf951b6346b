//! The upstream as a child process: its own group, our environment, the root as its directory, and an end within a bound.
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep, timeout_at};

/// From a polite signal to a final one.
const GRACE: Duration = Duration::from_millis(500);
/// How often a group is looked at while it ends.
const LOOK: Duration = Duration::from_millis(10);

/// A running upstream and the process group that it leads.
#[derive(Debug)]
pub struct Upstream {
    child: Box<dyn ChildWrapper>,
    group: Option<Pid>,
}

impl Upstream {
    /// Starts `command` in `directory` as the leader of a new process group, so that what it starts (`npx` starts a shell that
    /// starts Node) can be ended with it. Its standard error is ours, as it would be without the gate.
    ///
    /// # Errors
    /// What the system says, with the program named.
    pub fn start(command: &[String], directory: &Path) -> anyhow::Result<(Self, ChildStdin, ChildStdout)> {
        let [program, arguments @ ..] = command else { anyhow::bail!("no server command: give one after `--`") };
        let mut wrap = CommandWrap::with_new(program, |command| {
            command.args(arguments).current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        });
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::JobObject);
        let mut child = wrap.spawn().map_err(|problem| not_started(program, directory, &problem))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (Some(stdin), Some(stdout)) = (child.stdin().take(), child.stdout().take()) else {
            anyhow::bail!("the server `{program}` has no pipes");
        };
        Ok((Self { child, group }, stdin, stdout))
    }

    /// Waits for the leader to end.
    ///
    /// # Errors
    /// What the system says.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends the whole group: politely, then for good. Bounded by twice `GRACE`. Returns the leader's status if it is known.
    pub async fn end(&mut self) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        let until = Instant::now() + GRACE;
        let status = timeout_at(until, self.child.wait()).await.ok().and_then(Result::ok);
        while self.has_group() && Instant::now() < until {
            sleep(LOOK).await;
        }
        self.signal(Signal::KILL);
        match status {
            Some(status) => Some(status),
            None => timeout_at(until + GRACE, self.child.wait()).await.ok().and_then(Result::ok),
        }
    }

    fn has_group(&self) -> bool {
        self.group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group that is already gone is what was wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

fn not_started(program: &str, directory: &Path, problem: &io::Error) -> anyhow::Error {
    let directory = directory.display();
    match problem.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!(
            "the server `{program}` cannot be started in `{directory}`: no such program; check the spelling and `PATH`, or give its full path"
        ),
        io::ErrorKind::PermissionDenied => {
            anyhow::anyhow!("the server `{program}` cannot be started in `{directory}`: it may not be executed; check its mode")
        }
        _ => anyhow::anyhow!("the server `{program}` cannot be started in `{directory}`: {problem}"),
    }
}

/// The exit code that stands for `status`: the child's own, or 128 and the signal, as shells have it.
pub fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
