//! What one line of the audit says: when, in which session, and the verdict.
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use crate::gate::Verdict;

/// One verdict, or one step towards it.
#[derive(Debug, Clone, Serialize)]
pub struct Record<'a> {
    /// When, by the edge's clock; written as RFC 3339 in UTC with milliseconds.
    #[serde(serialize_with = "rfc3339")]
    pub time: SystemTime,
    /// The gate's session, unique among gates.
    pub session: &'a str,
    #[serde(flatten)]
    pub verdict: &'a Verdict,
    /// The arguments as they stood, as one string; only with `[audit] arguments = "full"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<&'a str>,
}

/// A time as the log writes it.
pub(super) fn timestamp(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn rfc3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&timestamp(*time))
}
