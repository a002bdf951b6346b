//! What was decided on a call, as it is written down and reported.
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::policy::Effect;

use super::choice::Choice;
use super::finding::{Finding, Reader};
use super::key::Key;
use super::refusal_reason::RefusalReason;

/// A verdict, or one step towards it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The client's own name, a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What policy and questions call the upstream.
    pub server: String,
    /// The tool, byte for byte, or the method where it is no tool call.
    pub tool: String,
    pub method: String,
    /// The request's id as it stood.
    pub id: String,
    /// SHA-256 of tool and arguments.
    pub digest: String,
    /// What was decided: `ask` while the call waits for an answer.
    #[serde(rename = "verdict", serialize_with = "word")]
    pub effect: Effect,
    /// Why it was refused, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalReason>,
    /// What spoke against the call.
    #[serde(serialize_with = "recorded")]
    pub findings: Vec<Finding>,
    /// How many more there were than are listed.
    #[serde(skip_serializing_if = "is_none")]
    pub more_findings: usize,
    /// How a person answered, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerNote>,
    /// The arguments as they stood. Whoever writes the verdict down decides whether to keep them.
    #[serde(skip)]
    pub arguments: String,
}

/// How an answer came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerNote {
    /// `elicitation`, `socket`, `terminal` or `program`.
    pub channel: &'static str,
    /// Who answered, where the channel knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Whether only the client says that a person answered.
    pub asserted_by_client: bool,
    /// Each key with the choice made.
    #[serde(serialize_with = "in_words")]
    pub choices: Vec<(Key, Choice)>,
    /// From question to answer; written in milliseconds.
    #[serde(rename = "latency_ms", serialize_with = "milliseconds")]
    pub latency: Duration,
}

impl Verdict {
    /// The findings that are written down: a call with thousands must not fill a disk.
    pub const MOST_FINDINGS: usize = 50;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
const fn is_none(count: &usize) -> bool {
    *count == 0
}

fn word<S: Serializer>(effect: &Effect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(effect)
}

fn recorded<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(|finding| finding.told(Reader::Record)))
}

fn in_words<S: Serializer>(choices: &[(Key, Choice)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(choices.iter().map(|(key, choice)| (key.text(), choice.words())))
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
