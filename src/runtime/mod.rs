//! The event loop: waits for bytes, answers and time, feeds them to the session and carries out what comes back. No decisions.
mod acting;
mod asker;
mod driver;
mod locator;
mod server_outbox;
mod signals;

pub use asker::Asker;
pub use driver::{Driver, Ended, Record};
