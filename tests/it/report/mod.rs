//! Sinks of verdicts.
mod audit_log;
