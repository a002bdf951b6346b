//! Ids out of lines that are not admitted, so that nobody waits for an answer that cannot come.
use super::id::Id;
use super::read::{Side, trim};
use super::refused::{Salvaged, Shape};

/// Replies to one refused line are bounded by this.
const MOST: usize = 256;

/// Looks through any bytes for messages, at the top or in a top-level array.
pub(super) fn salvage(line: &[u8], from: Side) -> Vec<Salvaged> {
    let line = trim(line);
    let level = if line.first() == Some(&b'[') { 2 } else { 1 };
    let mut search = Search { line, at: 0, depth: 0, level, from, found: Vec::new(), current: Current::default() };
    search.run();
    search.found
}

/// The id at the end of a line whose middle was not kept: `…,"id":7}` or `…,"id":7,"jsonrpc":"2.0"}`, as several libraries write it.
pub(super) fn salvage_tail(tail: &[u8], head: &[u8], from: Side) -> Option<Salvaged> {
    let end = tail.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let (name, raw, rest) = last_member(end)?;
    let raw = if name == b"\"jsonrpc\"" {
        last_member(rest.trim_ascii_end().strip_suffix(b",")?).filter(|last| last.0 == b"\"id\"")?.1
    } else {
        raw
    };
    let id = Id::from_raw(raw).filter(|_| name == b"\"id\"" || name == b"\"jsonrpc\"")?;
    let method = memchr::memmem::find(head.get(..256).unwrap_or(head), b"\"method\"").is_some();
    let shape = if method || from == Side::Client { Shape::Request } else { Shape::Response };
    Some(Salvaged { id, shape })
}

/// The last `name: scalar` of the text: name with quotes, scalar, and what stands before.
fn last_member(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (before, raw) = last_scalar(text.trim_ascii_end())?;
    let before = before.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let (rest, name) = last_scalar(before)?;
    Some((name, raw, rest))
}

fn last_scalar(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = match text.strip_suffix(b"\"") {
        Some(inside) => memchr::memrchr(b'"', inside)?,
        None => text.iter().rposition(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))? + 1,
    };
    text.split_at_checked(start)
}

#[derive(Default)]
struct Current {
    id: Option<Id>,
    method: bool,
    outcome: bool,
}

struct Search<'a> {
    line: &'a [u8],
    at: usize,
    depth: usize,
    level: usize,
    from: Side,
    found: Vec<Salvaged>,
    current: Current,
}

impl Search<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.line.get(self.at) {
            match byte {
                b'"' => self.string(),
                b'{' | b'[' => {
                    self.depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    if self.depth == self.level {
                        self.finish();
                    }
                    self.depth = self.depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            if self.found.len() >= MOST {
                return;
            }
        }
        self.finish();
    }

    /// Passes a string; at the level of a message's members it may be a name.
    fn string(&mut self) {
        let start = self.at;
        self.at = end_of_string(self.line, start).unwrap_or(self.line.len());
        if self.depth != self.level {
            return;
        }
        let rest = self.line.get(self.at..).unwrap_or_default();
        let Some(value) = rest.trim_ascii_start().strip_prefix(b":") else { return };
        match self.line.get(start..self.at) {
            Some(b"\"id\"") => self.current.id = scalar(value.trim_ascii_start()).and_then(Id::from_raw),
            Some(b"\"method\"") => self.current.method = true,
            Some(b"\"result\"" | b"\"error\"") => self.current.outcome = true,
            _ => {}
        }
    }

    fn finish(&mut self) {
        let current = std::mem::take(&mut self.current);
        let Some(id) = current.id else { return };
        let request = current.method || (!current.outcome && self.from == Side::Client);
        self.found.push(Salvaged { id, shape: if request { Shape::Request } else { Shape::Response } });
    }
}

/// The place after the string that starts at `start`; `None` when the line ends before it does.
pub(super) fn end_of_string(line: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        let rest = line.get(at..)?;
        let found = memchr::memchr2(b'"', b'\\', rest)?;
        if rest.get(found) == Some(&b'"') {
            return Some(at + found + 1);
        }
        at += found + 2;
    }
}

/// The string or number at the start of `text`.
fn scalar(text: &[u8]) -> Option<&[u8]> {
    let length = match text.first()? {
        b'"' => end_of_string(text, 0)?,
        _ => text.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).unwrap_or(text.len()),
    };
    text.get(..length)
}
