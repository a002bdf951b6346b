//! The decision: discover (arguments to mentions), shell (command to mentions), contain, sensitive, access, judge. Pure: no I/O, no clock.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod definition;
mod discover;
mod finding;
mod located;
mod mention;
mod question;
pub mod shell;
mod shown;
pub mod sql;
mod surroundings;
mod wording;

pub use definition::{Definition, Hints};
pub use discover::{Subject, discover};
pub use finding::{Finding, Key, Kind};
pub use located::{Located, Outcome, Place};
pub use mention::{Condition, Confidence, Discovered, Form, Given, Mention, RoleNote, Unparsed};
pub use question::{Answer, Channel, Choice, Ending, FULLY_SHOWN, Item, Question, Scopes, Settlement};
pub use shown::{shown, shown_within};
pub use surroundings::Surroundings;
pub use wording::quoted;
