//! Policy text to a typed model with spans; layers and their merge; the data tables compiled in from `policy/`.
//!
//! Every key is declared once, in `keys`, which says how to add one.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod cell;
pub mod clients;
mod conditions;
mod consistency;
mod declare;
mod denied;
mod form;
mod identity;
mod keys;
mod load;
mod model;
mod name_glob;
mod page;
mod profiles;
mod roles;
mod rules;
mod schema;
mod section;
mod selector;
mod settings;
mod shape;
mod show;
mod sourced;
mod strictness;
#[cfg(test)]
mod tests;
mod text;
mod tool;
mod untrusted;
mod value;
mod words;

pub use identity::command_names;
pub use keys::{Approval, AuditSettings, Limits, Server};
pub use load::{DEFAULT, load};
pub use model::{Identity, Policy};
pub use profiles::{Profile, for_names as profile_for, named as profile_named, names as profile_names};
pub use roles::RoleRule;
pub use rules::RuleHit;
pub use schema::schema;
pub use selector::Selector;
pub use show::show;
pub use sourced::Sourced;
pub use text::{PolicyError, Problem, Text, Trust};
pub use tool::ToolSettings;
pub use words::{Access, ArgumentRecord, Channel, Direction, Effect, Platform, Require, Role, ServerRequest, Shell};
