//! What outlives a call: grants, denials, late answers and used marks, in memory and in files of the user's state directory.
mod files;
pub mod grants;
mod memory;
pub mod state;

use std::time::Duration;

use crate::session::{StoreRequest, Stored};

pub use files::Files;
pub use memory::Memory;

/// Remembers for a session what outlives its calls, and decides what may be used once.
pub trait Store {
    /// Does what a session asks for at this moment of its time; answers where it waits for that. What cannot be done is not granted.
    fn carry_out(&mut self, request: StoreRequest, now: Duration) -> Option<Stored>;
}
