//! The protocol state machine, sans-I/O: events in, outputs out. Both eras on one path; one owner, no locks, no clock of its own.
//!
//! Four parts, each with private fields and a directory of its own, that know nothing of one another: `client`, `upstream`, `calls` and
//! `questions`. They meet through the types that stand beside them here: events come in, steps go from part to part, outputs go out.
//! `calls/advance.rs` is the story of one call.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod approval;
mod calls;
mod client;
mod config;
mod era;
mod event;
mod ids;
mod lockfile;
mod questions;
mod refusal;
mod retry;
mod seal;
mod sender;
mod sent;
mod servers;
#[expect(clippy::module_inception, reason = "the session itself, beside its parts")]
mod session;
mod step;
mod store_request;
mod turn;
mod upstream;

pub use config::Config;
pub use event::{Event, Output, Passed, Source, Then};
pub use ids::{CallId, UpstreamId};
pub use lockfile::{Locked, Lockfile, Tools};
pub use questions::elicit;
pub use refusal::{named as named_tool, text as refusal_text};
pub use session::Session;
pub use store_request::{Repeat, StoreRequest, Stored};
pub use upstream::{Catalogue, MOST_PAGES, Outgoing, Port, UpstreamDoor, page_params};
