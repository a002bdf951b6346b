//! What has to be known of a call, or of what a server asks of the client, to ask a person about it.
use std::time::Duration;

use crate::gate::{Question, RefusalReason};

use super::era::Version;
use super::ids::{CallId, UpstreamId};
use super::retry::RetryAnswer;

/// A call that a person has to be asked about.
#[derive(Debug)]
pub(super) struct ApprovalRequest {
    /// What is asked; it gets its id when it is put to a person.
    pub question: Question,
    /// How the call can be asked about, and what becomes of it.
    pub about: About,
}

/// A call that is asked about, beside the question itself.
#[derive(Debug)]
pub(super) struct About {
    /// The call.
    pub call: CallId,
    /// Its server.
    pub upstream: UpstreamId,
    /// Digest of the tool's definition; without one nothing can be kept for good.
    pub definition: Option<String>,
    /// How often it was asked about, this time included.
    pub rounds: u8,
    /// How it is refused if nobody can be asked.
    pub unasked: RefusalReason,
    /// How its client can be asked, while it is there.
    pub form: Form,
    /// How long the question may stay open.
    pub timeout: Duration,
    /// Raw `_meta` of the call.
    pub meta: Option<String>,
    /// What a sealed state is bound to.
    pub bound: String,
    /// The server's own state, to be given back to it.
    pub upstream_state: Option<String>,
    /// The answer that the call brought, if it is a retry.
    pub answer: Option<RetryAnswer>,
    /// Whether it is a server that wants something, and no call.
    pub for_server: bool,
}

impl About {
    /// How long a sealed state is good for, when a question of this call's may stay open for so long: a retry takes its time.
    pub fn lifetime(timeout: Duration) -> Duration {
        timeout.max(Duration::from_secs(600))
    }
}

/// How a client can be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// By a request with a form of this version.
    Request(Version),
    /// By the reply to its call, which it then sends again.
    RoundTrip,
    /// Not at all.
    #[default]
    None,
}
