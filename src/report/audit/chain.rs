//! Whether a log is whole: each line unchanged and bound to the one before it.
use std::fmt;
use std::io::{self, BufRead};

use super::line::{FIRST, Hash, unseal};
use super::log::{Note, Torn};

/// More bytes than this are not called a line that was cut short.
const MOST_TORN: usize = 256 << 20;

/// What a whole log holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many, notes and torn ones among them.
    pub lines: usize,
    /// Lines (from 1) that a crash or a full disk cut short, each followed by a note that says so.
    pub torn: Vec<usize>,
    /// The line from which on the end is cut short, with nothing written since.
    pub ends_torn: Option<usize>,
    /// The last line's hash: whoever keeps it elsewhere can tell later that no line was cut off the end.
    pub last: Hash,
}

/// Where a log is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The first line, from 1, that does not hold.
    pub line: usize,
    /// What is wrong with it.
    pub what: Fault,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is no record, or it was changed.
    Changed,
    /// It is whole, but does not follow the line before it.
    Unlinked,
    /// It is the first, but not the beginning of a log.
    Headless,
}

/// Reads a log to its end, or to the first line that does not hold.
///
/// # Errors
/// Only if it cannot be read.
pub fn verify(log: impl BufRead) -> io::Result<Result<Summary, Break>> {
    follow(log, |_| ())
}

/// As [`verify`], handing the hash of each line to `seen`.
///
/// # Errors
/// As [`verify`].
pub fn follow(log: impl BufRead, mut seen: impl FnMut(&str)) -> io::Result<Result<Summary, Break>> {
    let mut chain = Chain { summary: Summary { last: FIRST.to_owned(), ..Summary::default() }, torn: Vec::new(), torn_from: 0 };
    let mut log = log;
    let mut line = Vec::new();
    loop {
        line.clear();
        if log.read_until(b'\n', &mut line)? == 0 {
            return Ok(chain.end());
        }
        if let Err(broken) = chain.line(&line) {
            return Ok(Err(broken));
        }
        seen(&chain.summary.last);
    }
}

struct Chain {
    summary: Summary,
    /// Lines that did not open, until the next one that does explains them.
    torn: Vec<u8>,
    /// The first of them.
    torn_from: usize,
}

impl Chain {
    fn line(&mut self, line: &[u8]) -> Result<(), Break> {
        self.summary.lines += 1;
        let number = self.summary.lines;
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let Some((previous, hash)) = unseal(body) else {
            return self.unopened(line, body);
        };
        self.explained(body)?;
        if previous != self.summary.last {
            let what = if number == 1 { Fault::Headless } else { Fault::Unlinked };
            return Err(Break { line: number, what });
        }
        hash.clone_into(&mut self.summary.last);
        Ok(())
    }

    /// A line that does not open is forgiven when the note behind it names its bytes. One that has a record's end was not cut short.
    fn unopened(&mut self, line: &[u8], body: &[u8]) -> Result<(), Break> {
        if self.torn.is_empty() {
            self.torn_from = self.summary.lines;
        }
        if body.ends_with(b"\"}") || self.torn.len() > MOST_TORN {
            return Err(Break { line: self.summary.lines, what: Fault::Changed });
        }
        self.torn.extend_from_slice(line);
        Ok(())
    }

    /// Whether `body` is the note that what stands before it asks for.
    fn explained(&mut self, body: &[u8]) -> Result<(), Break> {
        if self.torn.is_empty() {
            return Ok(());
        }
        let cut_short = Torn::of(self.torn.strip_suffix(b"\n").unwrap_or(&self.torn));
        self.torn.clear();
        let note = serde_json::from_slice::<Note>(body).ok();
        if note.is_none_or(|note| note.torn != cut_short) {
            return Err(Break { line: self.torn_from, what: Fault::Changed });
        }
        self.summary.torn.push(self.torn_from);
        Ok(())
    }

    fn end(mut self) -> Result<Summary, Break> {
        if !self.torn.is_empty() {
            self.summary.ends_torn = Some(self.torn_from);
        }
        Ok(self.summary)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "it was changed, or is no record",
            Self::Unlinked => "it does not follow the line before it: a line was removed, added or moved",
            Self::Headless => "it is the first line but not the beginning of a log: lines before it were removed",
        })
    }
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}
