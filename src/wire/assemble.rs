//! An answer that a server prints over several lines, put together again.
use bytes::Bytes;

use super::message::Message;
use super::read::{Limits, Side, read};
use super::refused::{Reason, Refused, Shape};
use super::salvage::{end_of_string, salvage};

/// The lines of one server, in order.
///
/// A message is one line, but some servers indent theirs, and then the call would wait for ever. Lines from an opening brace on are kept
/// until they close it. Only an answer is taken from them: servers also print requests they were sent, to see what is going on.
#[derive(Debug, Default)]
pub struct ServerLines {
    open: Vec<u8>,
    depth: usize,
}

impl ServerLines {
    /// Reads the next line, as [`read`] does for a server; a line that belongs to a longer text is refused with nothing salvaged.
    ///
    /// # Errors
    /// As [`read`]. Ids of a text over several lines are salvaged when it ends.
    pub fn read(&mut self, line: Bytes, limits: &Limits) -> Result<Message, Refused> {
        let alone = read(line.clone(), Side::Server, limits);
        let Err(refused) = alone else {
            self.open.clear();
            return alone;
        };
        let brace = line.trim_ascii_start().first() == Some(&b'{');
        if brace && balance(&line, 0) == Some(0) && memchr::memmem::find(&line, b"\"jsonrpc\"").is_some() {
            // A message by itself, though a bad one; what was open before it was noise.
            self.open.clear();
            return Err(refused);
        }
        // A line that already names its call is a torn answer, and that call is told at once.
        if self.open.is_empty() && !(brace && refused.salvaged.is_empty()) {
            return Err(refused);
        }
        self.gather(&line, refused, limits)
    }

    fn gather(&mut self, line: &[u8], refused: Refused, limits: &Limits) -> Result<Message, Refused> {
        let first = self.open.is_empty();
        let depth = balance(line, if first { 0 } else { self.depth });
        let fits = self.open.len() + line.len() < limits.bytes;
        match depth.filter(|_| fits) {
            Some(0) if first => Err(refused),
            Some(0) => {
                self.open.push(b'\n');
                self.open.extend(line);
                answer(std::mem::take(&mut self.open), limits)
            }
            Some(depth) => {
                self.depth = depth;
                self.open.push(b'\n');
                self.open.extend(line);
                Err(Refused { reason: refused.reason, salvaged: Vec::new() })
            }
            None if first => Err(refused),
            None => {
                let mut open = std::mem::take(&mut self.open);
                open.extend(line);
                Err(only_responses(Refused { reason: refused.reason, salvaged: salvage(&open, Side::Server) }))
            }
        }
    }
}

fn answer(text: Vec<u8>, limits: &Limits) -> Result<Message, Refused> {
    match read(text.into(), Side::Server, limits) {
        Ok(Message::Response(response)) => Ok(Message::Response(response)),
        Ok(_) => Err(Refused { reason: Reason::BadShape { why: "only an answer may stand on several lines" }, salvaged: Vec::new() }),
        Err(refused) => Err(only_responses(refused)),
    }
}

fn only_responses(mut refused: Refused) -> Refused {
    refused.salvaged.retain(|found| found.shape == Shape::Response);
    refused
}

/// The containers open after the line, or `None` when it ends inside a string or closes more than is open.
fn balance(line: &[u8], before: usize) -> Option<usize> {
    let (mut depth, mut at) = (before, 0);
    while let Some(&byte) = line.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(line, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    Some(depth)
}
