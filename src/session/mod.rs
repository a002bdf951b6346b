//! (being built)
pub mod elicit;
