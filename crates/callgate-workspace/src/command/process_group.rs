//! A child process that leads a process group, so that what it started ends with it.
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// Time between asking a group to end and ending it.
pub const GRACE: Duration = Duration::from_secs(3);

/// A child and its group. The group is killed when this is dropped, unless it was released.
pub struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    /// Starts the command as the leader of a new group.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok(Self { child, leader })
    }

    /// The child, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the leader.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Asks the group to end, and ends it after [`GRACE`]. Processes that left the group are out of reach.
    pub async fn stop(&mut self) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        let status = tokio::time::timeout(GRACE, self.child.wait()).await;
        self.signal(Signal::KILL);
        match status {
            Ok(status) => status.ok(),
            Err(_) => self.child.wait().await.ok(),
        }
    }

    /// Ends the group at once.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Lets what the leader left behind run on.
    pub fn release(&mut self) {
        self.leader = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // A group that has already ended is what was wanted.
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
