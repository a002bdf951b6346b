//! What a 2026-07-28 client's retry of a call brings with it.
use std::time::Duration;

use serde_json::Value;

use crate::gate::{CallAnswers, Key};

use super::ids::CallId;

/// A sealed state as it came in.
#[derive(Debug)]
pub(super) struct SealedRetry {
    /// The state without the tag that says it is ours.
    pub state: String,
    /// What it has to be bound to.
    pub bound: String,
    /// The client's answer to our form, if it gave one.
    pub response: Option<Value>,
}

/// What a retry brought, its state opened.
#[derive(Debug)]
pub(super) struct Retry {
    /// The client's answer to our form.
    pub answer: Option<RetryAnswer>,
    /// What was answered for the call before.
    pub answers: CallAnswers,
    /// The upstream's own state, to be given back to it.
    pub upstream: Option<String>,
    /// The question that it answers, where that is about a reply of the upstream's and not about the call.
    pub parked: Option<CallId>,
}

/// A client's answer to our form.
#[derive(Debug)]
pub(super) struct RetryAnswer {
    /// The answer.
    pub response: Value,
    /// The keys that were asked about.
    pub asked: Vec<Key>,
    /// When the client was asked.
    pub since: Duration,
}
