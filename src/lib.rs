//! callgate: a permission-gating proxy for the Model Context Protocol.
//!
//! Imports run downward only: `cli` → `assembly` → `runtime`, `approve`, `report`, `store` → `session`, `locate` → `gate` → `analyse` → `policy`, `wire`, `escape`.
//! The pure half (`wire`, `escape`, `policy`, `analyse`, `gate`, `session`) does no I/O and reads no clock.
#![forbid(unsafe_code)]
#![deny(clippy::too_many_lines)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod analyse;
pub mod approve;
pub mod assembly;
pub mod cli;
pub mod escape;
pub mod gate;
pub mod locate;
pub mod policy;
pub mod ports;
pub mod report;
pub mod runtime;
pub mod session;
pub mod store;
pub mod wire;
