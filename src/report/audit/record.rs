//! What one line of the audit says: plain data.
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use crate::gate::Finding;
use crate::policy::Effect;

/// One verdict, or one step towards it.
#[derive(Debug, Clone, Serialize)]
pub struct Record<'a> {
    /// When, by the edge's clock; written as RFC 3339 in UTC with milliseconds.
    #[serde(serialize_with = "rfc3339")]
    pub time: SystemTime,
    /// The gate's session, unique among gates.
    pub session: &'a str,
    /// The client's own name, a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<&'a str>,
    /// The upstream's name.
    pub server: &'a str,
    /// The tool, byte for byte, or what the method names.
    pub tool: &'a str,
    /// The method.
    pub method: &'a str,
    /// The request's id as it stood.
    pub id: &'a str,
    /// SHA-256 of tool and arguments.
    pub digest: &'a str,
    /// What was decided: `ask` while the call waits for an answer.
    #[serde(serialize_with = "word")]
    pub verdict: Effect,
    /// Why it was refused, in the vocabulary of refusals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<&'a str>,
    /// What spoke against the call.
    pub findings: Vec<Found>,
    /// How a person answered, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answered>,
    /// The arguments as they stood, as one string; only with `[audit] arguments = "full"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<&'a str>,
}

/// One finding.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// Its kind.
    pub kind: &'static str,
    /// What it asked for.
    #[serde(serialize_with = "word")]
    pub action: Effect,
    /// What an answer would be for.
    pub key: String,
    /// The resolved path, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Read or write.
    pub direction: String,
    /// JSON pointer of the argument.
    pub argument: String,
    /// Why, in words.
    pub because: String,
}

/// How an answer came about.
#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    /// Through which channel.
    pub channel: String,
    /// Who answered, where the channel knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Whether only the client says that a person answered.
    pub asserted_by_client: bool,
    /// Each key with the choice made.
    pub choices: Vec<(String, String)>,
    /// From question to answer, in milliseconds.
    #[serde(rename = "latency_ms", serialize_with = "milliseconds")]
    pub latency: Duration,
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Self {
        Self {
            kind: finding.kind.word(),
            action: finding.action,
            key: finding.key.text(),
            path: finding.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            direction: finding.direction.to_string(),
            argument: finding.argument.clone(),
            because: finding.because.clone(),
        }
    }
}

/// A time as the log writes it.
pub(super) fn timestamp(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn rfc3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&timestamp(*time))
}

fn word<S: Serializer>(action: &Effect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(action)
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
