//! The approver's connections to all running gates of this user.
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::approve::socket::directory;
use crate::approve::socket::protocol::{FromApprover, FromGate, LONGEST_FROM_GATE, line};

use super::approver_state::GateNumber;

/// A gate that does not take a line or a connection in this time is left.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Messages that may wait to be shown.
const WAITING: usize = 256;

/// A message of a gate; nothing when it is gone.
pub type News = (GateNumber, Option<FromGate>);

/// One connection for each gate that runs; gates that turned this approver away are not spoken to again.
#[derive(Debug)]
pub struct Gates {
    directory: PathBuf,
    connected: BTreeMap<GateNumber, Connected>,
    left: BTreeSet<PathBuf>,
    number: GateNumber,
    news: mpsc::Sender<News>,
}

#[derive(Debug)]
struct Connected {
    path: PathBuf,
    writing: OwnedWriteHalf,
}

impl Gates {
    /// The gates with a socket in `directory`, and the stream of what they say.
    pub fn in_directory(directory: PathBuf) -> (Self, mpsc::Receiver<News>) {
        let (news, receiver) = mpsc::channel(WAITING);
        (Self { directory, connected: BTreeMap::new(), left: BTreeSet::new(), number: 0, news }, receiver)
    }

    /// Connects to the gates that are new.
    ///
    /// # Errors
    /// When the directory is not safe.
    pub async fn look(&mut self) -> io::Result<()> {
        let sockets = directory::sockets(&self.directory)?;
        self.left.retain(|path| sockets.contains(path));
        for path in sockets {
            let known = self.left.contains(&path) || self.connected.values().any(|gate| gate.path == path);
            if !known {
                self.connect(path).await;
            }
        }
        Ok(())
    }

    /// Sends `message` to a gate.
    pub async fn tell(&mut self, gate: GateNumber, message: &FromApprover) {
        let Some(connected) = self.connected.get_mut(&gate) else { return };
        let sent = timeout(TIMEOUT, connected.writing.write_all(line(message).as_bytes())).await;
        if !matches!(sent, Ok(Ok(()))) {
            // Its reader ends as well, and reports the gate gone.
            self.connected.remove(&gate);
        }
    }

    /// Does not speak to this gate again.
    pub fn leave(&mut self, gate: GateNumber) {
        if let Some(connected) = self.connected.remove(&gate) {
            self.left.insert(connected.path);
        }
    }

    /// The gate closed its connection; a later look tries again if its socket is still there.
    pub fn lost(&mut self, gate: GateNumber) {
        self.connected.remove(&gate);
    }

    async fn connect(&mut self, path: PathBuf) {
        match timeout(TIMEOUT, UnixStream::connect(&path)).await {
            Ok(Ok(stream)) => {
                let (reading, writing) = stream.into_split();
                self.number += 1;
                self.connected.insert(self.number, Connected { path, writing });
                tokio::spawn(read(reading, self.number, self.news.clone()));
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => directory::remove_stale(&path),
            _ => {
                self.left.insert(path);
            }
        }
    }
}

async fn read(stream: OwnedReadHalf, gate: GateNumber, news: mpsc::Sender<News>) {
    let mut stream = BufReader::new(stream);
    let mut text = Vec::new();
    loop {
        text.clear();
        let length = (&mut stream).take(LONGEST_FROM_GATE).read_until(b'\n', &mut text).await;
        let message = match length {
            Ok(1..) if text.last() == Some(&b'\n') => serde_json::from_slice(&text).ok(),
            _ => None,
        };
        let is_gone = message.is_none();
        if news.send((gate, message)).await.is_err() || is_gone {
            return;
        }
    }
}
