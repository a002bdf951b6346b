//! Bytes to events and actions to bytes: standard streams, the child process, the disk, the clock. No decisions.
mod acting;
mod asker;
mod child;
mod driver;
mod lines;
mod locator;
mod outbox;
mod signals;
mod stdio;

pub use asker::Asker;
pub use child::{Upstream, exit_code};
pub use driver::{Driver, Ended, Record};
pub use lines::{Line, Lines};
pub use stdio::{Reader, Writer, open as open_stdio};
