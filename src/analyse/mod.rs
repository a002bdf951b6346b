//! Analysis: a call's arguments, command lines and SQL to mentions of places. Pure: no I/O, no clock, and no decision.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod arguments;
mod definition;
mod mention;
pub mod pathform;
mod scripts;
pub mod shell;
pub mod sql;
mod surroundings;
pub mod wildcard;
mod word_lists;

pub use arguments::{DiscoveryInput, discover};
pub use definition::{Definition, Hints};
pub use mention::{Condition, Confidence, Discovered, Form, Given, Mention, RoleNote, Unparsed};
pub use scripts::Scripts;
pub use surroundings::Surroundings;
