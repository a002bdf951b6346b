//! Sinks of verdicts.
pub mod audit;
