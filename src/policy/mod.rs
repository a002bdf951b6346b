//! Policy text to a typed model with spans; layers and their merge; the data tables compiled in from `policy/`.
mod model;
mod role;

pub use model::{Policy, RoleRule, RuleHit, Selector, Sourced, ToolSettings};
pub use role::{Access, Action, Direction, Platform, Role, Shell};
