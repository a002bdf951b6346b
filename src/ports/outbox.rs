//! Lines on their way out: in order, bounded in bytes, written together where possible.
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::stdio::Writer;

/// Past this many bytes the other side is not read any further until this one has caught up.
const FULL: usize = 8 * 1024 * 1024;
/// Slices of one write.
const SLICES: usize = 64;

/// A writer with what still has to be written.
pub struct Outbox {
    writer: Option<Writer>,
    waiting: VecDeque<Bytes>,
    bytes: usize,
}

impl Outbox {
    /// An empty box in front of `writer`.
    pub fn new(writer: Writer) -> Self {
        Self { writer: Some(writer), waiting: VecDeque::new(), bytes: 0 }
    }

    /// Adds a line; its end is added here.
    pub fn push(&mut self, line: Bytes) {
        const END: Bytes = Bytes::from_static(b"\n");
        if self.writer.is_some() {
            self.bytes += line.len() + 1;
            self.waiting.extend([line, END]);
        }
    }

    /// Whether more may be added without the memory of a slow reader growing.
    pub const fn has_room(&self) -> bool {
        self.bytes < FULL
    }

    /// Whether every line was handed to the writer.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether what is added can still be written: nobody has closed the other end, as far as is known.
    pub const fn is_open(&self) -> bool {
        self.writer.is_some()
    }

    /// Writes what waits for as long as the other side takes some of it within each `pause`.
    pub async fn finish(&mut self, pause: Duration) {
        while !self.is_empty() && matches!(timeout(pause, self.write()).await, Ok(Ok(()))) {}
    }

    /// Writes all that waits. Can be dropped between writes without losing or repeating a byte.
    ///
    /// # Errors
    /// What the writer says; the box is closed then.
    pub async fn flush(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.write().await?;
        }
        match self.writer.as_mut() {
            Some(writer) => writer.flush().await,
            None => Ok(()),
        }
    }

    /// Writes some of what waits.
    async fn write(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.as_mut() else { return Ok(()) };
        let slices: Vec<IoSlice<'_>> = self.waiting.iter().take(SLICES).map(|line| IoSlice::new(line)).collect();
        match writer.write_vectored(&slices).await {
            Ok(count) if count > 0 => {
                self.advance(count);
                Ok(())
            }
            other => {
                self.close();
                Err(other.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into()))
            }
        }
    }

    fn advance(&mut self, mut count: usize) {
        self.bytes = self.bytes.saturating_sub(count);
        while let Some(line) = self.waiting.front_mut() {
            if line.len() > count {
                line.advance(count);
                return;
            }
            count -= line.len();
            self.waiting.pop_front();
        }
    }

    /// Closes the writer and forgets what waits.
    pub fn close(&mut self) {
        self.writer = None;
        self.waiting.clear();
        self.bytes = 0;
    }
}
