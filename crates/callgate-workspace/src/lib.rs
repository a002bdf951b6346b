//! The built-in workspace server of callgate: an ordinary upstream, gated like any other. The tools check no permissions; the gate does.
//!
//! `files` and `command` are always there; `web`, `sqlite` and most of `documents` come with the cargo feature of that name. What a
//! build is without is neither listed nor missed in silence: a call says which feature brings it (see [`left_out`]).
#![forbid(unsafe_code)]
#![deny(clippy::too_many_lines)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod atomic;
pub mod command;
pub mod documents;
pub mod files;
pub mod left_out;
pub mod outcome;
pub mod place;
pub mod root_guard;
pub mod server;
pub mod settings;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod toolset;
#[cfg(feature = "web")]
pub mod web;
pub mod work;

/// What the server calls itself, and what a gate calls it.
pub const NAME: &str = "callgate-workspace";

pub use server::{Workspace, serve};
pub use settings::{IsInternal, Settings, Tag};
