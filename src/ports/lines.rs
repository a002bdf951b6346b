//! A stream of bytes as lines, bounded: a line over the limit is reported by its ends and thrown away, never kept.
use bytes::{Bytes, BytesMut};

/// How much of an over-long line is kept at either end, to find the id of whoever waits for it.
const ENDS: usize = 4096;

/// Room to read into, in bytes.
const SMALL: usize = 16 * 1024;
/// The same while a long line is coming in.
const LARGE: usize = 256 * 1024;

/// One thing read from a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end.
    Whole(Bytes),
    /// A line over the limit: its first and last bytes.
    TooLong {
        /// Its first 4 KiB.
        head: Bytes,
        /// Its last 4 KiB, without the line end.
        tail: Bytes,
    },
}

/// Splits what is read into lines at `\n`.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    searched: usize,
    limit: usize,
    overflow: Option<Overflow>,
}

#[derive(Debug)]
struct Overflow {
    head: Bytes,
    tail: Vec<u8>,
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit, overflow: None }
    }

    /// Where to read into: always with room, more of it while a long line is coming in.
    pub fn buffer(&mut self) -> &mut BytesMut {
        let room = if self.buffer.len() >= SMALL { LARGE } else { SMALL };
        if self.buffer.capacity() - self.buffer.len() < SMALL / 4 {
            self.buffer.reserve(room);
        }
        &mut self.buffer
    }

    /// The next line that is complete.
    pub fn next_line(&mut self) -> Option<Line> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(found) = memchr::memchr(b'\n', unsearched) else {
            self.searched = self.buffer.len();
            self.spill();
            return None;
        };
        let line = self.buffer.split_to(self.searched + found + 1);
        self.searched = 0;
        if line.len() > LARGE && self.buffer.len() < SMALL {
            // The memory of a long line is freed with it, instead of being kept by what comes after.
            self.buffer = BytesMut::from(self.buffer.as_ref());
        }
        let line = line.freeze();
        Some(self.finish(line.slice(..line.len() - 1)))
    }

    /// What is left when the stream has ended without a line end.
    pub fn rest(&mut self) -> Option<Line> {
        let line = self.buffer.split().freeze();
        self.searched = 0;
        (!line.is_empty() || self.overflow.is_some()).then(|| self.finish(line))
    }

    fn finish(&mut self, line: Bytes) -> Line {
        if let Some(mut overflow) = self.overflow.take() {
            overflow.add(&line);
            return Line::TooLong { head: overflow.head, tail: overflow.tail.into() };
        }
        if line.len() > self.limit {
            let (head, tail) = (line.slice(..ENDS.min(line.len())), line.slice(line.len().saturating_sub(ENDS)..));
            return Line::TooLong { head: Bytes::copy_from_slice(&head), tail: Bytes::copy_from_slice(&tail) };
        }
        Line::Whole(line)
    }

    /// Keeps memory bounded while a line over the limit is still coming in.
    fn spill(&mut self) {
        if self.overflow.is_none() && self.buffer.len() <= self.limit {
            return;
        }
        let part = self.buffer.split();
        self.searched = 0;
        let head = || Bytes::copy_from_slice(part.get(..ENDS.min(part.len())).unwrap_or_default());
        self.overflow.get_or_insert_with(|| Overflow { head: head(), tail: Vec::new() }).add(&part);
    }
}

impl Overflow {
    fn add(&mut self, part: &[u8]) {
        self.tail.extend_from_slice(part.get(part.len().saturating_sub(ENDS)..).unwrap_or_default());
        let surplus = self.tail.len().saturating_sub(ENDS);
        self.tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(lines: &mut Lines, bytes: &[u8]) -> Vec<Line> {
        lines.buffer().extend_from_slice(bytes);
        std::iter::from_fn(|| lines.next_line()).collect()
    }

    #[test]
    fn splits_wherever_the_chunks_break() {
        for size in 1..12 {
            let mut lines = Lines::new(100);
            let got: Vec<Line> = "ä\nbb\n\nccc".as_bytes().chunks(size).flat_map(|chunk| feed(&mut lines, chunk)).collect();
            let whole = |text: &'static str| Line::Whole(Bytes::from_static(text.as_bytes()));
            assert_eq!(got, [whole("ä"), whole("bb"), whole("")]);
            assert_eq!(lines.rest(), Some(whole("ccc")));
            assert_eq!(lines.rest(), None);
        }
    }

    #[test]
    fn a_long_line_leaves_its_ends_and_the_next_line_is_whole() {
        let mut lines = Lines::new(10_000);
        let long = [b"HEAD".as_slice(), &[b'x'; 50_000], b"TAIL\nnext\n"].concat();
        let got: Vec<Line> = long.chunks(777).flat_map(|chunk| feed(&mut lines, chunk)).collect();
        let [Line::TooLong { head, tail }, Line::Whole(next)] = got.as_slice() else { panic!("{}", got.len()) };
        assert!(head.starts_with(b"HEAD") && tail.ends_with(b"TAIL") && head.len() <= ENDS && tail.len() <= ENDS);
        assert_eq!(next.as_ref(), b"next");
    }
}
