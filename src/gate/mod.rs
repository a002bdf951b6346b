//! The decision on a call: containment, sensitive names, access level, rules, and the judge over all of them. Pure: no I/O, no clock.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod access;
pub mod address;
mod choice;
pub mod contain;
mod difference;
mod facts;
mod finding;
mod findings;
mod gathered;
mod grants;
mod judge;
mod key;
mod located;
mod pin_status;
mod pipeline;
mod plan;
mod preparation;
mod question;
pub mod sensitive;
mod wording;

pub use access::{Capability, capability, known_to_destroy, objection};
pub use choice::{Channel, Choice};
pub use difference::Difference;
pub use facts::{CallAnswers, Facts};
pub use finding::{Finding, Kind};
pub use grants::Grants;
pub use judge::{Arrived, Judge, Reading, Step};
pub use key::Key;
pub use located::{Located, Outcome, Place};
pub use pin_status::{PinStatus, Since};
pub use pipeline::{Cleared, Decision, Denied, LocatedCall, Mentions, NeedsApproval};
pub use question::{Answer, AskedCall, Ending, FULLY_SHOWN, Item, Question, Scopes, Settlement};
pub use sensitive::Sensitive;
pub use wording::{heading, quoted, remarks};
