//! Refusals: the words for the model, and the replies that carry them.
use bytes::Bytes;
use serde_json::{Value, json};

use crate::escape::visible_within;
use crate::gate::{Finding, Kind, Reader, RefusalReason, Told};
use crate::policy::Effect;
use crate::wire::{self, Call};

impl RefusalReason {
    /// What happened and what to do next, for the model.
    const fn advice(self) -> &'static str {
        match self {
            Self::DeniedByUser => "the user denied it; do not try it again, choose another way or ask the user",
            Self::Dismissed => "the user closed the question without answering, so nothing was sent; ask the user before trying again",
            Self::BadAnswer => "the answer that came back was not one of those offered, so nothing was sent; ask the user",
            Self::DeniedByPolicy => "the policy refuses it; asking again changes nothing, choose another way",
            Self::TimedOut => "nobody answered in time, so nothing was sent; the user may still approve it, then try again",
            Self::NoApprover => {
                "a person would have to approve it and none can be reached; the user can run `callgate approve` in another terminal, \
                 or permit it in the policy or by `--allow-dir`, then try again"
            }
            Self::Silenced => "the user denied the same three times in this session, so it is no longer asked about; choose another way",
            Self::RateLimited => {
                "the user is not asked for a while, so that questions stay few enough to be read; wait, or choose another way"
            }
            Self::ServerGone => "the server ended while the call was held, so nothing was sent; restart the session",
            Self::Cancelled => "the call was cancelled while it was held, so nothing was sent",
            Self::Unparsed => {
                "it could not be analysed and no person can be reached to look at it; write it more plainly (no computed paths, \
                 no encoded commands) or let the user run `callgate approve`"
            }
            Self::UnknownTool => "the server has no tool of exactly this name; list the tools and use a name as listed",
            Self::ChangedDefinition => {
                "the tool's definition is not the one that was first seen or locked, and no person can be reached to look at it; the user \
                 can look at it with `callgate lock --check`, and accept it with `callgate lock` or a new session"
            }
            Self::Unrecorded => "the verdict could not be written to the audit log, so nothing was sent; tell the user",
            Self::BadState => {
                "the state that came with this retry is not valid for it (changed, expired, used or of another call); send the call afresh"
            }
        }
    }
}

/// Which refusal fits findings that nobody could be asked about.
pub fn unasked(findings: &[Finding]) -> RefusalReason {
    let asks = |kind| findings.iter().any(|finding| finding.kind == kind && finding.action == Effect::Ask);
    match () {
        () if asks(Kind::Outside) || asks(Kind::Sensitive) || asks(Kind::Rule) || asks(Kind::PrivateAddress) => RefusalReason::NoApprover,
        () if asks(Kind::Definition) => RefusalReason::ChangedDefinition,
        () if asks(Kind::Unparsed) => RefusalReason::Unparsed,
        () => RefusalReason::NoApprover,
    }
}

/// Which refusal fits findings of which one denies.
pub fn denied(findings: &[Finding]) -> RefusalReason {
    if findings.iter().any(|finding| finding.kind == Kind::UnknownTool) {
        RefusalReason::UnknownTool
    } else {
        RefusalReason::DeniedByPolicy
    }
}

/// A long name must not crowd out the reason.
const NAME: usize = 200;
const MOST_LINES: usize = 12;

/// A tool by its name.
pub fn named(tool: &str) -> String {
    if tool.is_empty() { "a tool without a name".to_owned() } else { format!("`{}`", visible_within(tool, NAME)) }
}

/// The text a model reads.
pub fn text(tool: &str, why: RefusalReason, findings: &[Finding], reason: Option<&str>) -> String {
    let mut lines = vec![format!("callgate refused {}: {}", named(tool), why.advice())];
    let whose = if why == RefusalReason::DeniedByUser { "the user's reason: " } else { "" };
    lines.extend(reason.map(|reason| format!("{whose}{}", visible_within(reason, 1000))));
    lines.extend(findings.iter().take(MOST_LINES).map(Finding::line));
    let more = findings.len().saturating_sub(MOST_LINES);
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    lines.join("\n")
}

/// `_meta["callgate/refusal"]`.
pub fn meta(why: RefusalReason, findings: &[Finding]) -> Value {
    let listed: Vec<Told<'_>> = findings.iter().take(MOST_LINES).map(|finding| finding.told(Reader::Client)).collect();
    json!({ "callgate/refusal": { "kind": why, "findings": listed } })
}

/// The reply to a refused call: for tools a normal result with `isError`, so that the model can react and the session goes on.
pub fn reply(call: &Call, why: RefusalReason, findings: &[Finding], reason: Option<&str>, modern: bool) -> Bytes {
    let text = text(call.tool(), why, findings, reason);
    if why == RefusalReason::BadState {
        return wire::error(Some(call.id()), wire::codes::INVALID_PARAMS, &text, None);
    }
    if call.method() == "tools/call" {
        return wire::refusal(call.id(), &text, meta(why, findings), modern);
    }
    wire::error(Some(call.id()), wire::codes::DENIED, &text, Some(meta(why, findings)))
}

#[cfg(test)]
mod tests {
    use super::meta;
    use crate::analyse::Confidence;
    use crate::gate::{Finding, Key, Kind, RefusalReason};
    use crate::policy::{Direction, Effect};

    #[test]
    fn what_a_client_is_told_of_a_refusal_holds_these_members() {
        let finding = Finding {
            kind: Kind::PrivateAddress,
            action: Effect::Ask,
            key: Key::Call("http://127.0.0.1/".to_owned()),
            path: None,
            covered: Vec::new(),
            direction: Direction::Read,
            argument: "/url".to_owned(),
            raw: "http://127.0.0.1/".to_owned(),
            confidence: Confidence::Declared,
            because: "the URL names a loopback address".to_owned(),
        };
        assert_eq!(
            meta(RefusalReason::RateLimited, &[finding]).to_string(),
            r#"{"callgate/refusal":{"findings":[{"argument":"/url","because":"the URL names a loopback address","key":"http://127.0.0.1/","kind":"private_address"}],"kind":"paused"}}"#
        );
        assert_eq!(meta(RefusalReason::TimedOut, &[]).to_string(), r#"{"callgate/refusal":{"findings":[],"kind":"timed_out"}}"#);
    }
}
