//! Policy text to a typed model with spans; layers and their merge; the data tables compiled in from `policy/`.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
pub mod clients;
mod denied;
mod identity;
mod keys;
mod layer;
mod merge;
mod model;
mod profiles;
mod read;
mod role;
mod rules;
mod schema;
mod selector;
mod settings;
mod shape;
mod show;
mod text;
mod tighten;
mod tool;

pub use identity::command_names;
pub use merge::{DEFAULT, load};
pub use model::{Identity, Policy, RoleRule, RuleHit, Selector, Sourced, ToolSettings};
pub use profiles::{Profile, for_names as profile_for, named as profile_named, names as profile_names};
pub use role::{Access, Direction, Effect, Platform, Role, Shell};
pub use schema::schema;
pub use settings::{Approval, ArgumentRecord, AuditSettings, Channel, Limits, Require, Server, ServerRequest};
pub use show::show;
pub use text::{PolicyError, Problem, Text, Trust};
