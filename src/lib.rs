//! callgate: a permission-gating proxy for the Model Context Protocol.
//!
//! Imports run downward only: `cli` → `transport`, `approve`, `audit`, `tools` → `session`, `locate` → `gate` → `policy`, `wire`.
//! The pure half (`wire`, `policy`, `gate`, `session`) does no I/O and reads no clock.
#![forbid(unsafe_code)]
#![deny(clippy::too_many_lines)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod approve;
pub mod audit;
pub mod cli;
pub mod gate;
pub mod locate;
pub mod policy;
pub mod session;
pub mod tools;
pub mod transport;
pub mod wire;
