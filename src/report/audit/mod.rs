//! The record of verdicts: one JSON line for each, written before the verdict is acted on, each bound to the line before it by a hash.
mod chain;
mod line;
mod log;
mod record;
mod sink;

pub use chain::{Break, Fault, Summary, follow, verify};
pub use log::{AuditError, Log, make_private};
pub use record::Record;
pub use sink::Audit;
