//! Bounded capture of an output stream: its beginning and its end.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// What was kept of a stream.
#[derive(Debug, Default)]
pub struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
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

/// A capture of about `limit` bytes.
pub fn shared(limit: usize) -> Shared {
    Arc::new(Mutex::new(Kept { half: (limit / 2).max(1), ..Kept::default() }))
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
        let recent: Vec<u8> = if self.tail.is_empty() { self.head.clone() } else { self.tail.iter().copied().collect() };
        let recent = recent.get(recent.len().saturating_sub(2000)..).unwrap_or_default();
        let text = String::from_utf8_lossy(recent);
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.chars().filter(|character| !character.is_control()).take(200).collect()
    }

    /// All as text.
    pub fn text(&self) -> Text {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let missing = self.total - (self.head.len() + tail.len()) as u64;
        if missing == 0 {
            let whole = [self.head.as_slice(), &tail].concat();
            return Text { text: String::from_utf8_lossy(&whole).into_owned(), truncated: false, bytes: self.total };
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        let text = format!("{head}\n[{missing} bytes are not shown]\n{tail}");
        Text { text, truncated: true, bytes: self.total }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.half.saturating_sub(self.head.len())));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_and_the_middle_is_counted() {
        let mut kept = Kept { half: 4, ..Kept::default() };
        kept.add(b"abcd");
        assert_eq!(kept.text(), Text { text: "abcd".into(), truncated: false, bytes: 4 });
        kept.add(b"efgh");
        assert_eq!(kept.text().text, "abcdefgh");
        kept.add(b"ijklmnopqrst");
        assert_eq!(kept.text(), Text { text: "abcd\n[12 bytes are not shown]\nqrst".into(), truncated: true, bytes: 20 });
    }

    #[test]
    fn the_last_line_is_free_of_control_characters() {
        let mut kept = Kept { half: 100, ..Kept::default() };
        kept.add(b"one\n\x1b[31mtwo\x07\n\n");
        assert_eq!(kept.last_line(), "[31mtwo");
    }
}
