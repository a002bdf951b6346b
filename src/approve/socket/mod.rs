//! The gate's side of `callgate approve`: a socket where approvers of this user see the open questions and answer them.
mod board;
mod connection;
pub mod directory;
mod peer;
pub mod protocol;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::gate::{Answer, Question};

use super::code;
use super::paths::PermittedPlace;
use board::Board;
use peer::ClientSide;
use protocol::{FromGate, VERSION};

/// Answers and requests that may wait for the session.
const WAITING: usize = 64;

/// A gate's socket; it is removed when this is dropped.
#[derive(Debug)]
pub struct Listener {
    board: SharedBoard,
    path: PathBuf,
    accepting: JoinHandle<()>,
}

/// What approvers want of the session.
#[derive(Debug)]
pub enum Heard {
    /// A question was answered.
    Answer {
        /// The question's id.
        id: String,
        /// The choices, one for each key that was asked about.
        answer: Answer,
        /// Whether the call was refused before it came, so that a yes is for its next try.
        late: bool,
    },
    /// Somebody looks at or changes the permitted places. An unanswered request is reported as such after a few seconds.
    Places {
        /// What is to become of the places.
        change: Change,
        /// For the places as they are afterwards.
        reply: oneshot::Sender<PermittedPlaces>,
    },
}

/// A change of the permitted places of a running gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// No change: only say what is permitted.
    Look,
    /// Permit a place; it exists, is resolved and does not lie in the root.
    Add(PermittedPlace),
    /// Take a place back.
    Remove(PathBuf),
}

/// The permitted places of a running gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermittedPlaces {
    /// Directories, the root first.
    pub directories: Vec<PathBuf>,
    /// Files that are permitted by themselves.
    pub files: Vec<PathBuf>,
    /// What became of the change, in words for a person.
    pub said: String,
}

#[derive(Debug, Clone)]
struct SharedBoard(Arc<Mutex<Board>>);

/// What every connection needs to know of its gate.
#[derive(Debug, Clone)]
struct Gate {
    board: SharedBoard,
    heard: mpsc::Sender<Heard>,
    client: Arc<ClientSide>,
    root: Arc<PathBuf>,
    code: Arc<str>,
}

impl Listener {
    /// Listens in the user's socket directory on `runtime`. `root` is the gate's root, already resolved.
    ///
    /// # Errors
    /// When the directory is not safe, the socket cannot be bound, or the system does not describe processes: the gate then
    /// runs without this channel, and says so.
    pub fn start(runtime: &Handle, root: PathBuf) -> io::Result<(Self, mpsc::Receiver<Heard>)> {
        Self::start_in(&directory::place()?, runtime, root)
    }

    /// As [`Listener::start`], in another directory.
    ///
    /// # Errors
    /// As [`Listener::start`].
    pub fn start_in(directory: &Path, runtime: &Handle, root: PathBuf) -> io::Result<(Self, mpsc::Receiver<Heard>)> {
        directory::secure(directory)?;
        let path = directory::own_socket(directory)?;
        let _entered = runtime.enter();
        let socket = UnixListener::bind(&path)?;
        directory::close_to_others(&path)?;
        let (sender, receiver) = mpsc::channel(WAITING);
        let board = SharedBoard(Arc::new(Mutex::new(Board::default())));
        let client = Arc::new(ClientSide::of_this_process()?);
        let gate = Gate { board: board.clone(), heard: sender, client, root: Arc::new(root), code: Arc::from(code::fresh()?) };
        let accepting = runtime.spawn(connection::accept(socket, gate));
        Ok((Self { board, path, accepting }, receiver))
    }

    /// Shows `question`; the call is refused in `left`. `false` if it cannot be shown because too many are open.
    pub fn publish(&self, question: Question, left: Duration) -> bool {
        code::fresh().is_ok_and(|code| self.board.lock().publish(question, left, code))
    }

    /// Says that the call was refused for want of an answer. The question stays open: a yes is for the call's next try.
    pub fn expire(&self, id: &str) {
        self.board.lock().expire(id);
    }

    /// Takes the question away, with the reason in words.
    pub fn withdraw(&self, id: &str, why: &str) {
        self.board.lock().withdraw(id, why);
    }

    /// Whether an approver is attached that shows questions on a terminal.
    pub fn attached(&self) -> bool {
        self.board.lock().attached()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
        self.board.lock().close();
        // If this fails the socket is stale, and the next approver removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl SharedBoard {
    // A panic elsewhere cannot leave the board half changed in a way that allows anything.
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate {
    fn hello(&self) -> FromGate {
        let root = self.root.to_string_lossy().into_owned();
        FromGate::Hello { version: VERSION, pid: std::process::id(), root, code: self.code.to_string() }
    }
}

impl From<PermittedPlaces> for FromGate {
    fn from(places: PermittedPlaces) -> Self {
        let texts = |paths: Vec<PathBuf>| paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self::Places { directories: texts(places.directories), files: texts(places.files), said: places.said }
    }
}
