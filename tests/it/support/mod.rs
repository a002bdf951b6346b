//! What several modules need.
use std::time::Duration;

/// Nothing that a test waits for takes this long, on any machine, unless it hangs.
pub const HANG: Duration = Duration::from_secs(180);

pub mod bare_session;
pub mod gate_process;
pub mod lines;
pub mod project;
pub mod reader_checks;
pub mod terminal;
pub mod workspace;
