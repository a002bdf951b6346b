//! The protocol state machine, sans-I/O: events in, actions out. Both eras on one path; one owner, no locks, no clock of its own.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod asking;
mod batch;
mod call;
mod catalogue;
mod client;
mod config;
pub mod elicit;
mod event;
mod flights;
mod held;
mod late;
mod listing;
mod lockfile;
mod machine;
mod open;
mod order;
mod pace;
mod peers;
mod plan;
mod refusal;
mod retry;
mod seal;
mod search;
mod server;
mod tick;

pub use catalogue::Catalogue;
pub use config::Config;
pub use event::{AnswerNote, Event, Kept, Outbound, Output, Then, Ticket, Verdict};
pub use listing::{MOST_PAGES, page_params};
pub use lockfile::{Locked, Lockfile, Tools};
pub use machine::Session;
pub use refusal::{RefusalReason, line as finding_line, text as refusal_text};
