//! Lines typed by a person on an opened terminal: never what was typed before the question, never past a deadline.
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use console::Term;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp, tcgetwinsize};

/// What is typed this soon after a question appeared was not meant for it: the person was typing to something else.
pub const UNREAD: Duration = Duration::from_millis(400);
/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(200);
/// A terminal hands over one line of at most this many bytes in its line mode (Linux: 4,096).
const LINE: usize = 4096;

/// A terminal, open for reading and writing, in its ordinary line mode.
#[derive(Debug)]
pub struct Tty {
    file: File,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// A line, without its end and without blanks around it.
    Line(String),
    /// The terminal was closed, or its end-of-input key pressed.
    End,
    /// The time is up.
    Late,
    /// The question is not wanted any more.
    Withdrawn,
}

impl Tty {
    /// The controlling terminal, if this process has one and is in its foreground.
    pub fn controlling() -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let tty = Self { file };
        tty.is_foreground().then_some(tty)
    }

    /// Whether this process's group is the terminal's foreground group. A background process that reads is stopped by
    /// the kernel, so this is looked at before each read and write.
    pub fn is_foreground(&self) -> bool {
        tcgetpgrp(&self.file).is_ok_and(|foreground| foreground == rustix::process::getpgrp())
    }

    /// Writes `text` as it is, so foreign text has to be made visible before.
    ///
    /// # Errors
    /// When the terminal is gone or this process is in the background.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if !self.is_foreground() {
            return Err(io::Error::other("the terminal belongs to another process now"));
        }
        let mut file = &self.file;
        file.write_all(text.as_bytes())?;
        file.flush()
    }

    /// The same terminal for a dialogue that reads single keys.
    ///
    /// # Errors
    /// When the handle cannot be doubled.
    pub fn as_term(&self) -> io::Result<Term> {
        Ok(Term::read_write_pair(self.file.try_clone()?, self.file.try_clone()?))
    }

    /// Throws away what was typed so far.
    pub fn drain(&self) {
        if self.is_foreground() {
            // A terminal that cannot be drained is gone; the read that follows finds that out.
            let _ = tcflush(&self.file, QueueSelector::IFlush);
        }
    }

    /// Rows and columns, at least 10 by 40; 24 by 80 where the terminal does not say.
    pub fn size(&self) -> (usize, usize) {
        let size = tcgetwinsize(&self.file).ok().filter(|size| size.ws_row > 0 && size.ws_col > 0);
        size.map_or((24, 80), |size| (usize::from(size.ws_row).max(10), usize::from(size.ws_col).max(40)))
    }

    /// Ignores what is typed before a person can have read the question.
    pub fn settle(&self, until: Instant, unwanted: &dyn Fn() -> bool) {
        let end = until.min(Instant::now() + UNREAD);
        while Instant::now() < end && !unwanted() {
            std::thread::sleep(end.saturating_duration_since(Instant::now()).min(LOOK));
        }
        self.drain();
    }

    /// The next line, waiting until `until` at most and only while not `unwanted`.
    pub fn line(&self, until: Instant, unwanted: &dyn Fn() -> bool) -> Typed {
        loop {
            if unwanted() {
                return Typed::Withdrawn;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Typed::Late;
            }
            match self.wait(left.min(LOOK)) {
                Ok(false) => {}
                Ok(true) if self.is_foreground() => return self.read(),
                Ok(true) | Err(_) => return Typed::End,
            }
        }
    }

    fn wait(&self, time: Duration) -> io::Result<bool> {
        let mut waiting = [PollFd::new(&self.file, PollFlags::IN)];
        let time = Timespec::try_from(time).map_err(io::Error::other)?;
        match poll(&mut waiting, Some(&time)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let happened = waiting.first().map_or(PollFlags::empty(), PollFd::revents);
        if happened.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(happened.contains(PollFlags::IN))
    }

    fn read(&self) -> Typed {
        let mut bytes = [0; LINE];
        match rustix::io::read(&self.file, &mut bytes) {
            Ok(0) | Err(_) => Typed::End,
            Ok(length) => Typed::Line(String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).trim().to_owned()),
        }
    }
}
