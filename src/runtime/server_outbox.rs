//! What waits to be written to a server: it takes only what came through the door.
use std::io;

use crate::ports::{Outbox, Writer};
use crate::session::{Outgoing, Port};

/// The outbox of one server.
pub(super) struct ServerOutbox {
    lines: Outbox,
}

impl ServerOutbox {
    /// An empty one in front of `writer`.
    pub(super) fn new(writer: Writer) -> Self {
        Self { lines: Outbox::new(writer) }
    }

    /// Whether more may be added without the memory of a slow reader growing.
    pub(super) const fn has_room(&self) -> bool {
        self.lines.has_room()
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Writes all that waits.
    ///
    /// # Errors
    /// What the writer says; the box is closed then.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        self.lines.flush().await
    }

    /// Closes the writer and forgets what waits.
    pub(super) fn close(&mut self) {
        self.lines.close();
    }
}

impl Port for ServerOutbox {
    fn push(&mut self, message: Outgoing) {
        self.lines.push(message.into_bytes());
    }
}
