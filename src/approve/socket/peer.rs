//! Who is at the other end of the socket: this user, at a terminal, and not a process of the gated client.
use std::fmt;
use std::io;

use tokio::net::unix::UCred;

/// A process that cannot be mistaken for a later one of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// The process id, which the system gives to another process once this one is gone.
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub started: u64,
}

/// What the kernel says of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStatus {
    /// Which process it is, beyond reuse of its id.
    pub process: Process,
    /// Its program's name, cut to 15 bytes by the kernel.
    pub name: String,
    /// Its parent's id; 0 for the first process.
    pub parent: i32,
    /// Its process group, to be compared with the terminal's foreground group.
    pub group: i32,
    /// The device number of its controlling terminal; 0 if it has none.
    pub terminal: i32,
    /// The terminal's foreground process group; -1 if it has none.
    pub foreground: i32,
}

/// The processes on the client's side of a gate: what descends from them may not answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientSide {
    processes: Vec<Process>,
    terminal: i32,
}

/// Programs that only start another one: behind them stands the client.
const LAUNCHERS: [&str; 14] = ["sh", "bash", "dash", "zsh", "ash", "busybox", "env", "npx", "npm", "pnpm", "yarn", "bunx", "uv", "uvx"];
/// No chain of parents is longer than this, unless somebody makes it so.
const LONGEST_CHAIN: usize = 256;

/// A peer that may see the questions.
#[derive(Debug, Clone)]
pub struct Peer {
    pid: i32,
    uid: u32,
    side: ClientSide,
}

impl ProcessStatus {
    /// Reads what the kernel says of `pid`.
    ///
    /// # Errors
    /// When the process is gone, or the system has no `/proc` of Linux's form.
    pub fn of(pid: i32) -> io::Result<Self> {
        let text = std::fs::read(format!("/proc/{pid}/stat"))?;
        Self::parse(pid, &String::from_utf8_lossy(&text))
            .ok_or_else(|| io::Error::other("the system does not describe processes in a known form"))
    }

    // The name stands in parentheses and may hold blanks and parentheses itself, so the last one ends it (proc(5)).
    fn parse(pid: i32, text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = after.split_whitespace().collect();
        let number = |place: usize| fields.get(place).and_then(|field| field.parse::<i32>().ok());
        Some(Self {
            process: Process { pid, started: fields.get(19)?.parse().ok()? },
            name,
            parent: number(1)?,
            group: number(2)?,
            terminal: number(4)?,
            foreground: number(5)?,
        })
    }

    fn is_launcher(&self) -> bool {
        LAUNCHERS.contains(&self.name.as_str()) || self.name.starts_with("npm ")
    }

    fn is_at_a_terminal(&self) -> bool {
        self.terminal != 0 && self.foreground == self.group
    }
}

impl ClientSide {
    /// The client of this process: its parent, what stands behind launchers, and all that share the client's terminal.
    ///
    /// # Errors
    /// When the chain of parents cannot be read.
    pub fn of_this_process() -> io::Result<Self> {
        let own = ProcessStatus::of(i32::try_from(std::process::id()).map_err(io::Error::other)?)?;
        let mut side = Self { processes: Vec::new(), terminal: own.terminal };
        let mut behind_launcher = true;
        for ancestor in ancestors(own.parent)? {
            let shares_terminal = own.terminal != 0 && ancestor.terminal == own.terminal;
            if !behind_launcher && !shares_terminal {
                break;
            }
            behind_launcher = behind_launcher && ancestor.is_launcher();
            side.processes.push(ancestor.process);
        }
        Ok(side)
    }

    fn holds_ancestor_of(&self, pid: i32) -> io::Result<bool> {
        Ok(ancestors(pid)?.iter().any(|ancestor| self.processes.contains(&ancestor.process)))
    }
}

impl Peer {
    /// The peer with these credentials, if it may see the questions of a gate with this client's side.
    ///
    /// # Errors
    /// Why it may not, in words.
    pub fn admitted(credentials: &UCred, side: &ClientSide) -> Result<Self, &'static str> {
        if credentials.uid() != rustix::process::geteuid().as_raw() {
            return Err("this gate belongs to another user");
        }
        let pid = credentials.pid().ok_or("the system does not say which process this is")?;
        let status = ProcessStatus::of(pid).map_err(|_| "the system does not say where this process comes from")?;
        if side.terminal != 0 && status.terminal == side.terminal {
            return Err("this is the terminal of the client that is gated: answer from another one");
        }
        match side.holds_ancestor_of(pid) {
            Ok(false) => Ok(Self { pid, uid: credentials.uid(), side: side.clone() }),
            Ok(true) => Err("this process was started by the client that is gated, so it may not answer for a person"),
            Err(_) => Err("the system does not say where this process comes from"),
        }
    }

    /// Whether the peer is in the foreground of a terminal now, and still may see the questions.
    ///
    /// # Errors
    /// Why not, in words.
    pub fn at_terminal(&self) -> Result<(), &'static str> {
        let status = ProcessStatus::of(self.pid).map_err(|_| "the approver is gone")?;
        if self.side.terminal != 0 && status.terminal == self.side.terminal {
            return Err("this is the terminal of the client that is gated: answer from another one");
        }
        if status.is_at_a_terminal() { Ok(()) } else { Err("answers count only from the foreground of a terminal") }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of user {}", self.pid, self.uid)?;
        match ProcessStatus::of(self.pid) {
            Ok(status) if status.terminal != 0 => write!(f, " on terminal {}", terminal_name(status.terminal)),
            _ => Ok(()),
        }
    }
}

/// The processes from `pid` upwards, itself first; the system's first process, of which everything descends, is left out.
fn ancestors(pid: i32) -> io::Result<Vec<ProcessStatus>> {
    let mut chain = Vec::new();
    let mut next = pid;
    while next > 1 {
        if chain.len() == LONGEST_CHAIN {
            return Err(io::Error::other("too many ancestors"));
        }
        let status = ProcessStatus::of(next)?;
        next = status.parent;
        chain.push(status);
    }
    Ok(chain)
}

/// Linux packs major and minor number into one; majors 136 to 143 are pseudo-terminals (proc(5), devices.txt).
fn terminal_name(device: i32) -> String {
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xf_ff00));
    if (136..144).contains(&major) { format!("pts/{}", (major - 136) * 256 + minor) } else { format!("{major}:{minor}") }
}
