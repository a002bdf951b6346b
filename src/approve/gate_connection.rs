//! A short visit to a running gate: its permitted places, looked at or changed.
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::socket::directory;
use super::socket::protocol::{FromApprover, FromGate, LONGEST_FROM_GATE, VERSION, line};

/// A gate answers a request within a few seconds, or says that it could not.
const TIMEOUT: Duration = Duration::from_secs(8);

/// A connection to one gate.
#[derive(Debug)]
pub struct GateConnection {
    /// The gate's process id.
    pub pid: u32,
    /// The gate's root directory, as the gate says.
    pub root: PathBuf,
    /// To be typed back before a place is added.
    pub code: String,
    stream: BufReader<UnixStream>,
}

/// What a gate permits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPlaces {
    /// Directories with all below them, the gate's root first.
    pub directories: Vec<String>,
    /// Files that are permitted by themselves.
    pub files: Vec<String>,
    /// What became of a change.
    pub said: String,
}

/// Every gate of this user that runs and lets this process visit, and why others do not.
///
/// # Errors
/// When the socket directory is not safe.
pub fn all() -> io::Result<Vec<io::Result<GateConnection>>> {
    let sockets = directory::sockets(&directory::place()?)?;
    Ok(sockets.iter().filter_map(|path| GateConnection::to(path).transpose()).collect())
}

impl GateConnection {
    /// Connects to the gate at `path`; nothing if it is gone.
    fn to(path: &Path) -> io::Result<Option<Self>> {
        let stream = match UnixStream::connect(path) {
            Ok(stream) => stream,
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                directory::remove_stale(path);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let mut stream = BufReader::new(stream);
        match hear(&mut stream)? {
            FromGate::Hello { version: VERSION, pid, root, code } => Ok(Some(Self { pid, root: root.into(), code, stream })),
            FromGate::Refused { why } => Err(io::Error::other(why)),
            _ => Err(io::Error::other("a gate of another version of callgate runs")),
        }
    }

    /// Sends `request` and waits for the places as they are afterwards.
    ///
    /// # Errors
    /// Why the gate did not do it.
    pub fn ask(&mut self, request: &FromApprover) -> io::Result<ShownPlaces> {
        self.stream.get_mut().write_all(line(request).as_bytes())?;
        loop {
            match hear(&mut self.stream)? {
                FromGate::Places { directories, files, said } => return Ok(ShownPlaces { directories, files, said }),
                FromGate::Refused { why } => return Err(io::Error::other(why)),
                // Questions are told to everybody who is connected.
                _ => {}
            }
        }
    }
}

fn hear(stream: &mut BufReader<UnixStream>) -> io::Result<FromGate> {
    let mut text = Vec::new();
    stream.by_ref().take(LONGEST_FROM_GATE).read_until(b'\n', &mut text)?;
    if text.is_empty() {
        return Err(io::Error::other("the gate ended"));
    }
    serde_json::from_slice(&text).map_err(|_| io::Error::other("the gate said something that is not understood"))
}
