//! (being built)
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
pub mod elicit;
