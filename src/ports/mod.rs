//! Bytes in and out: standard streams, the child process, lines, bounded outboxes. No decisions and no words.
pub(crate) mod child;
pub(crate) mod lines;
pub(crate) mod outbox;
pub(crate) mod stdio;
pub(crate) mod turns;

pub use child::{Upstream, exit_code};
pub use outbox::Outbox;
pub use stdio::{Writer, open as open_stdio};
