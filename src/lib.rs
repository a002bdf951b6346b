//! callgate: a permission-gating proxy for the Model Context Protocol.
//!
//! It stands between a client and its servers, judges every tool call by what the call would touch, asks a person where it is not sure,
//! and sends on what is allowed, byte for byte. `docs/architecture.md` has the rooms in full, the words, and how to add to them.
//!
//! # The map
//!
//! Imports run downward only. The pure half decides and touches nothing: no file, clock, environment, process or socket.
//!
//! ```text
//! cli → assembly → runtime → ports · approve · report · store → locate    edges
//! session    one client and its servers: events in, outputs out           pure
//! gate       findings, the judge, verdicts, grants                        pure
//! analyse    arguments, shell commands and SQL → mentions                 pure
//! policy · wire · escape                                                  pure, and import nothing above
//! ```
//!
//! # The straight line
//!
//! Bytes → [`wire::read`] → [`gate::Judge`], which asks for the scripts that a command runs and for where its mentions lead →
//! allow, ask or deny → a question, its answer, and the judge again → the record → the same bytes on to the server, or a refusal.
//!
//! # What always holds
//!
//! - A server gets what was judged: its bytes come out of a [`gate::Cleared`], which only the judge makes.
//! - The strictest finding wins; an allow rule, a grant or an answer lifts the finding it is about and no other.
//! - What is not understood is asked about or refused; what is not answered is refused.
//! - A verdict is on record before it is acted on.
//! - Every wait, queue and list has a bound; the cost of a call is linear in its size.
//!
//! What a user of the library needs is documented here. The other modules are this crate's own, though its tests see some of them.
#![forbid(unsafe_code)]
#![deny(clippy::too_many_lines)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod analyse;
pub mod gate;
pub mod policy;
pub mod session;
pub mod wire;

#[doc(hidden)]
pub mod approve;
#[doc(hidden)]
pub mod escape;
#[doc(hidden)]
pub mod locate;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod store;

mod assembly;
mod cli;
mod ports;
mod runtime;

#[doc(hidden)]
pub use cli::main;
