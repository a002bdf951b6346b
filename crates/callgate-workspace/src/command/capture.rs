//! Bounded capture of an output stream: its beginning and its end.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// What was kept of a stream: whole characters of its beginning and of its end.
#[derive(Debug, Default)]
pub struct Kept {
    head: Ends<Vec<u8>>,
    tail: Ends<VecDeque<u8>>,
    /// Whether the beginning takes no more.
    is_full: bool,
    /// Bytes so far.
    total: u64,
    /// Characters so far; a byte that is no text counts as one.
    characters: u64,
}

/// One end of a stream.
#[derive(Debug, Default)]
struct Ends<T> {
    bytes: T,
    /// Characters in it.
    characters: usize,
    /// Characters that it may hold.
    most: usize,
}

/// A stream's capture, shared with the task that reads it.
pub type Shared = Arc<Mutex<Kept>>;

/// A stream as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, with a line that says how much is missing in the middle.
    pub text: String,
    /// Whether something is missing.
    pub truncated: bool,
    /// Bytes the stream had.
    pub bytes: u64,
}

/// A capture of `limit` characters.
pub fn shared(limit: usize) -> Shared {
    let head = Ends { most: limit.div_ceil(2), ..Ends::default() };
    let tail = Ends { most: limit / 2, ..Ends::default() };
    Arc::new(Mutex::new(Kept { head, tail, ..Kept::default() }))
}

/// Looks at a capture; a reader that died leaves what it had.
pub fn look<T>(capture: &Shared, at: impl FnOnce(&Kept) -> T) -> T {
    at(&capture.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Reads a stream to its end.
pub async fn pump(mut stream: impl AsyncRead + Unpin, into: Shared) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        into.lock().unwrap_or_else(PoisonError::into_inner).add(buffer.get(..length).unwrap_or_default());
    }
}

impl Kept {
    /// Bytes so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The last line that has text, for a progress message.
    pub fn last_line(&self) -> String {
        let recent: Vec<u8> = if self.tail.bytes.is_empty() { self.head.bytes.clone() } else { self.tail.bytes.iter().copied().collect() };
        let recent = recent.get(recent.len().saturating_sub(2000)..).unwrap_or_default();
        let text = String::from_utf8_lossy(recent);
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.chars().filter(|character| !character.is_control()).take(200).collect()
    }

    /// All as text.
    pub fn text(&self) -> Text {
        let tail: Vec<u8> = self.tail.bytes.iter().copied().collect();
        let missing = self.characters - (self.head.characters + self.tail.characters) as u64;
        if missing == 0 {
            let whole = [self.head.bytes.as_slice(), &tail].concat();
            return Text { text: String::from_utf8_lossy(&whole).into_owned(), truncated: false, bytes: self.total };
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head.bytes), String::from_utf8_lossy(&tail));
        let text = format!("{head}\n[{missing} characters are not shown]\n{tail}");
        Text { text, truncated: true, bytes: self.total }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        for byte in bytes {
            // No character has more than four bytes, so that bytes which are no text cannot grow an end without bound.
            let begins = begins_character(*byte);
            self.characters += u64::from(begins);
            if !self.is_full && (!begins || self.head.characters < self.head.most) && self.head.bytes.len() < self.head.most * 4 {
                self.head.bytes.push(*byte);
                self.head.characters += usize::from(begins);
            } else {
                self.is_full = true;
                self.tail.add(*byte, begins);
            }
        }
    }
}

impl Ends<VecDeque<u8>> {
    fn add(&mut self, byte: u8, begins: bool) {
        self.bytes.push_back(byte);
        self.characters += usize::from(begins);
        while self.characters > self.most || self.bytes.len() > self.most * 4 {
            self.drop_first();
        }
    }

    /// Drops a byte, and what belongs to its character.
    fn drop_first(&mut self) {
        if self.bytes.pop_front().is_some_and(begins_character) {
            self.characters -= 1;
        }
        while self.bytes.front().is_some_and(|byte| !begins_character(*byte)) {
            self.bytes.pop_front();
        }
    }
}

fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_and_the_middle_is_counted() {
        let kept = shared(8);
        let mut kept = kept.lock().unwrap();
        kept.add(b"abcd");
        assert_eq!(kept.text(), Text { text: "abcd".into(), truncated: false, bytes: 4 });
        kept.add(b"efgh");
        assert_eq!(kept.text().text, "abcdefgh");
        kept.add(b"ijklmnopqrst");
        assert_eq!(kept.text(), Text { text: "abcd\n[12 characters are not shown]\nqrst".into(), truncated: true, bytes: 20 });
    }

    #[test]
    fn characters_are_kept_whole_and_counted_as_such() {
        for (limit, given, wanted) in [
            (15, "é".repeat(15), "é".repeat(15)),
            (11, "é".repeat(15), format!("{}\n[4 characters are not shown]\n{}", "é".repeat(6), "é".repeat(5))),
            (2, "a€😀z".to_owned(), "a\n[2 characters are not shown]\nz".to_owned()),
            (1, "€€".to_owned(), "€\n[1 characters are not shown]\n".to_owned()),
            (0, "ab".to_owned(), "\n[2 characters are not shown]\n".to_owned()),
        ] {
            for step in 1..5 {
                let kept = shared(limit);
                given.as_bytes().chunks(step).for_each(|bytes| kept.lock().unwrap().add(bytes));
                assert_eq!(look(&kept, Kept::text).text, wanted, "{limit} of {given}, {step} bytes at a time");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay_within_four_times_the_limit() {
        let kept = shared(100);
        for byte in [0x80, 0xff] {
            kept.lock().unwrap().add(&vec![byte; 100_000]);
            let kept = kept.lock().unwrap();
            assert!(kept.head.bytes.len() <= 200 && kept.tail.bytes.len() <= 200);
        }
        assert!(look(&kept, Kept::text).truncated);
    }

    #[test]
    fn the_last_line_is_free_of_control_characters() {
        let kept = shared(200);
        let mut kept = kept.lock().unwrap();
        kept.add(b"one\n\x1b[31mtwo\x07\n\n");
        assert_eq!(kept.last_line(), "[31mtwo");
    }
}
