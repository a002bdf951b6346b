//! Lines of a byte stream, one buffer at a time: `\n`, CRLF and a lone CR end a line.
use std::io::{self, BufRead};

use memchr::memchr2;

/// How taking one line came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The line ended with a line end.
    Ended,
    /// The line ended with the stream.
    Last,
    /// There was no line: the stream is at its end.
    Nothing,
    /// The line has more characters than were asked for.
    More,
    /// The scan cap was reached within the line.
    Capped,
}

/// Which part of a line to keep, in characters.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Characters to pass over.
    pub skip: u64,
    /// Characters to keep.
    pub take: u64,
    passed: bool,
}

impl Part {
    /// Nothing: the line is passed over.
    pub const NONE: Self = Self::new(0, 0);

    /// Passes over `skip` characters and keeps up to `take`.
    pub const fn new(skip: u64, take: u64) -> Self {
        Self { skip, take, passed: false }
    }
}

/// A reader of lines that stops after a number of bytes.
pub struct Lines<R> {
    reader: R,
    /// Bytes that may still be looked at.
    left: u64,
    /// Whether a NUL byte went by.
    pub saw_nul: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads at most `cap` bytes of `reader`.
    pub fn new(reader: R, cap: u64) -> Self {
        Self { reader, left: cap, saw_nul: false }
    }

    /// Takes the next line, keeping one part of it. With nothing to keep the rest of the line is passed over; a line that has
    /// more than was asked for is left where it is.
    pub fn take(&mut self, mut part: Part, into: &mut Vec<u8>) -> io::Result<Taken> {
        let keep = part.take > 0;
        let mut started = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(if started { Taken::Last } else { Taken::Nothing });
            }
            if self.left == 0 {
                return Ok(Taken::Capped);
            }
            started = true;
            let window = usize::try_from(self.left).map_or(buffer, |left| buffer.get(..left).unwrap_or(buffer));
            let end = memchr2(b'\n', b'\r', window);
            let segment = end.and_then(|end| window.get(..end)).unwrap_or(window);
            self.saw_nul |= memchr::memchr(0, segment).is_some();
            let consumed = if keep { keep_part(segment, &mut part, into) } else { segment.len() };
            let more = consumed < segment.len();
            let terminator = end.filter(|_| !more).and_then(|end| window.get(end)).copied();
            self.consume(consumed + usize::from(terminator.is_some()));
            match terminator {
                _ if more => return Ok(Taken::More),
                Some(byte) => return self.finish_end(byte),
                None => {}
            }
        }
    }

    /// Counts the lines that are left, or gives up at the cap.
    pub fn count_rest(&mut self) -> io::Result<Option<u64>> {
        let mut count = 0;
        loop {
            match self.take(Part::NONE, &mut Vec::new())? {
                Taken::Ended => count += 1,
                Taken::Last => return Ok(Some(count + 1)),
                Taken::Nothing => return Ok(Some(count)),
                Taken::More | Taken::Capped => return Ok(None),
            }
        }
    }

    /// Allows this many more bytes to be looked at.
    pub fn limit(&mut self, cap: u64) {
        self.left = cap;
    }

    /// Whether nothing is left to read.
    pub fn at_end(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.is_empty())
    }

    fn finish_end(&mut self, byte: u8) -> io::Result<Taken> {
        if byte == b'\r' && self.reader.fill_buf()?.first() == Some(&b'\n') {
            self.consume(1);
        }
        Ok(Taken::Ended)
    }

    fn consume(&mut self, count: usize) {
        self.reader.consume(count);
        self.left = self.left.saturating_sub(count as u64);
    }
}

/// Copies the wanted characters of a segment and says how many bytes of it are used up; fewer than all when there are more
/// characters than wanted.
fn keep_part(segment: &[u8], part: &mut Part, into: &mut Vec<u8>) -> usize {
    for (position, byte) in segment.iter().enumerate() {
        let begins_character = byte & 0b1100_0000 != 0b1000_0000;
        if begins_character {
            if part.skip > 0 {
                part.skip -= 1;
                part.passed = true;
                continue;
            }
            if part.take == 0 {
                return position;
            }
            part.take -= 1;
            into.push(*byte);
        } else if !into.is_empty() || !part.passed {
            // A stray continuation byte is kept as well, so that the line is seen not to be UTF-8.
            into.push(*byte);
        }
    }
    segment.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn all(text: &[u8], buffer: usize) -> Vec<String> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, text), u64::MAX);
        let mut found = Vec::new();
        loop {
            let mut line = Vec::new();
            match lines.take(Part::new(0, u64::MAX), &mut line).unwrap() {
                Taken::Nothing => return found,
                _ => found.push(String::from_utf8(line).unwrap()),
            }
        }
    }

    #[test]
    fn every_line_end_counts_once_at_every_buffer_size() {
        for buffer in 1..9 {
            assert_eq!(all(b"a\nb\r\nc\rd\r\r\n\ne", buffer), ["a", "b", "c", "d", "", "", "e"], "buffer {buffer}");
            assert_eq!(all(b"", buffer).len(), 0);
            assert_eq!(all(b"\n", buffer), [""]);
            assert_eq!(all(b"x\n", buffer), ["x"]);
        }
    }
}
