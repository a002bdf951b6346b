//! The decision: discover (arguments to mentions), shell (command to mentions), contain, sensitive, access, judge. Pure: no I/O, no clock.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod access;
pub mod address;
mod choice;
pub mod contain;
mod definition;
mod discover;
mod finding;
mod grants;
mod judge;
mod located;
mod mention;
pub mod pathform;
mod pipeline;
mod question;
pub mod sensitive;
pub mod shell;
mod shown;
pub mod sql;
mod surroundings;
pub mod wildcard;
mod wording;

pub use access::{Capability, capability, objection};
pub use choice::{Channel, Choice};
pub use definition::{Definition, Hints};
pub use discover::{Subject, discover};
pub use finding::{Finding, Key, Kind};
pub use grants::Grants;
pub use judge::{Facts, Judged, Standing, findings, strictest};
pub use located::{Located, Outcome, Place};
pub use mention::{Condition, Confidence, Discovered, Form, Given, Mention, RoleNote, Unparsed};
pub use pipeline::{Cleared, Decision, Denied, Lens, LocatedCall, Mentions, Paused};
pub use question::{Answer, Ending, FULLY_SHOWN, Item, Question, Scopes, Settlement};
pub use sensitive::Sensitive;
pub use shown::{shown, shown_within};
pub use surroundings::Surroundings;
pub use wording::quoted;
