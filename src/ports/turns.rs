//! Two sides that are read in turn, so that neither can keep the other from being heard by never falling silent.
use std::io;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;

use super::stdio::Reader;
use crate::wire::Side;

/// What both sides say.
pub struct Turns {
    client: Reader,
    server: Reader,
    client_first: bool,
}

impl Turns {
    /// The client is heard first.
    pub fn new(client: Reader, server: Reader) -> Self {
        Self { client, server, client_first: true }
    }

    /// Reads once from a side that has a buffer, whichever has something to say; of two that have, the one that was not read last.
    /// Gives the side and whether it said anything: it has ended if not. Can be dropped while it waits without losing a byte.
    pub async fn read(&mut self, client: Option<&mut BytesMut>, server: Option<&mut BytesMut>) -> (Side, bool) {
        let (client, server) = (some(&mut self.client, client), some(&mut self.server, server));
        let (side, read) = if self.client_first {
            tokio::select! { biased; read = client => (Side::Client, read), read = server => (Side::Server, read) }
        } else {
            tokio::select! { biased; read = server => (Side::Server, read), read = client => (Side::Client, read) }
        };
        self.client_first = side == Side::Server;
        (side, matches!(read, Ok(count) if count > 0))
    }
}

async fn some(reader: &mut Reader, buffer: Option<&mut BytesMut>) -> io::Result<usize> {
    match buffer {
        Some(buffer) => reader.read_buf(buffer).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn two_that_never_fall_silent_are_both_heard() {
        let mut turns = Turns::new(Box::pin(tokio::io::repeat(b'c')), Box::pin(tokio::io::repeat(b's')));
        let mut heard = Vec::new();
        for _ in 0..4 {
            let (mut client, mut server) = (BytesMut::with_capacity(8), BytesMut::with_capacity(8));
            heard.push(turns.read(Some(&mut client), Some(&mut server)).await);
        }
        assert_eq!(heard, [(Side::Client, true), (Side::Server, true), (Side::Client, true), (Side::Server, true)]);
    }

    #[tokio::test]
    async fn a_side_without_a_buffer_is_not_read() {
        let mut turns = Turns::new(Box::pin(tokio::io::repeat(b'c')), Box::pin(tokio::io::empty()));
        let mut server = BytesMut::with_capacity(8);
        assert_eq!(turns.read(None, Some(&mut server)).await, (Side::Server, false));
    }
}
