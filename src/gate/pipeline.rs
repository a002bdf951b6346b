//! The proof types of one call: `Call → Mentions → LocatedCall → Decision → Cleared`, each step consuming the last.
use std::path::PathBuf;

use bytes::Bytes;

use crate::analyse::Discovered;
use crate::policy::{Effect, ToolSettings};
use crate::wire::Call;

use super::facts::{CallAnswers, Facts};
use super::finding::Finding;
use super::findings::{CallFacts, findings, strictest};
use super::grant::Grant;
use super::grant_store::GrantStore;
use super::located::Located;
use super::preparation::touched;

/// A call whose arguments were searched.
#[derive(Debug)]
pub struct Mentions {
    call: Call,
    digest: String,
    answers: CallAnswers,
    scripts: Option<String>,
    discovered: Discovered,
}

/// A call whose mentions were looked up.
#[derive(Debug)]
pub struct LocatedCall {
    mentions: Mentions,
    located: Vec<Located>,
}

/// What is to be done with a call.
#[derive(Debug)]
pub enum Decision {
    Allow(Cleared),
    /// Only a person's answer can clear it.
    Ask(NeedsApproval),
    Deny(Denied),
}

/// A call that may go to the upstream. Made here alone, so what was judged is what is sent.
///
/// ```compile_fail
/// fn forge(call: callgate::wire::Call) -> callgate::gate::Cleared {
///     callgate::gate::Cleared { mentions: todo!(), findings: Vec::new(), touches: Vec::new(), spliced: None }
/// }
/// ```
///
/// It can be read, though:
///
/// ```
/// fn read(cleared: &callgate::gate::Cleared) -> &callgate::wire::Call {
///     cleared.call()
/// }
/// ```
#[derive(Debug)]
pub struct Cleared {
    mentions: Mentions,
    findings: Vec<Finding>,
    touches: Vec<PathBuf>,
    spliced: Option<Bytes>,
}

/// A call that waits for a person.
#[derive(Debug)]
pub struct NeedsApproval {
    mentions: Mentions,
    findings: Vec<Finding>,
}

/// A call that is refused.
#[derive(Debug)]
pub struct Denied {
    mentions: Mentions,
    findings: Vec<Finding>,
}

impl Mentions {
    /// `call` with what was found in it, and what was answered for it.
    pub(super) fn new(call: Call, answers: CallAnswers, scripts: Option<String>, discovered: Discovered) -> Self {
        let digest = call.digest();
        Self { call, digest, answers, scripts, discovered }
    }

    pub const fn call(&self) -> &Call {
        &self.call
    }

    pub const fn discovered(&self) -> &Discovered {
        &self.discovered
    }

    /// Digest of the script files that were read for the call; nothing if it runs none.
    pub fn scripts(&self) -> Option<&str> {
        self.scripts.as_deref()
    }

    /// The call, to be searched anew, and what was answered for it.
    pub(super) fn into_parts(self) -> (Call, CallAnswers) {
        (self.call, self.answers)
    }

    /// What was allowed for this call, and for more than this call.
    fn granted<'a>(&'a self, facts: &'a Facts<'_>) -> Vec<&'a Grant> {
        let of_tool = facts.granted.for_tool((facts.server, self.call.tool()), facts.definition);
        self.answers.grants.iter().chain(of_tool).collect()
    }

    /// Adds what the disk says.
    pub(super) const fn located(self, located: Vec<Located>) -> LocatedCall {
        LocatedCall { mentions: self, located }
    }
}

impl LocatedCall {
    pub const fn call(&self) -> &Call {
        &self.mentions.call
    }

    pub const fn discovered(&self) -> &Discovered {
        &self.mentions.discovered
    }

    /// What became of each mention.
    pub fn outcomes(&self) -> &[Located] {
        &self.located
    }

    /// What speaks against the call.
    pub fn findings(&self, facts: &Facts<'_>) -> Vec<Finding> {
        self.findings_with(&facts.settings_for(self.call()), facts)
    }

    /// Decides. A grant answers a question, never a denial.
    pub fn decide(self, facts: &Facts<'_>) -> Decision {
        let settings = facts.settings_for(self.call());
        self.decide_with(&settings, facts)
    }

    pub(super) fn decide_with(self, settings: &ToolSettings, facts: &Facts<'_>) -> Decision {
        let findings = self.findings_with(settings, facts);
        let Self { mentions, located } = self;
        match strictest(&findings, &mentions.granted(facts)) {
            Effect::Allow => {
                let touches = touched(&mentions.call, &located);
                Decision::Allow(Cleared { mentions, findings, touches, spliced: None })
            }
            Effect::Ask => Decision::Ask(NeedsApproval { mentions, findings }),
            Effect::Deny => Decision::Deny(Denied { mentions, findings }),
        }
    }

    fn findings_with(&self, settings: &ToolSettings, facts: &Facts<'_>) -> Vec<Finding> {
        let Self { mentions: Mentions { call, digest, discovered, .. }, located } = self;
        findings(CallFacts { facts, call, digest, settings }, discovered, located)
    }
}

impl Decision {
    /// What is to be done, in a word.
    pub const fn effect(&self) -> Effect {
        match self {
            Self::Allow(_) => Effect::Allow,
            Self::Ask(_) => Effect::Ask,
            Self::Deny(_) => Effect::Deny,
        }
    }

    /// What was found in the arguments.
    pub const fn discovered(&self) -> &Discovered {
        let (Self::Allow(Cleared { mentions, .. }) | Self::Ask(NeedsApproval { mentions, .. }) | Self::Deny(Denied { mentions, .. })) =
            self;
        &mentions.discovered
    }

    /// What spoke against the call, answered or not.
    pub fn into_findings(self) -> Vec<Finding> {
        match self {
            Self::Allow(Cleared { findings, .. }) | Self::Ask(NeedsApproval { findings, .. }) | Self::Deny(Denied { findings, .. }) => {
                findings
            }
        }
    }
}

impl Cleared {
    pub const fn call(&self) -> &Call {
        &self.mentions.call
    }

    /// Digest of tool and arguments.
    pub fn digest(&self) -> &str {
        &self.mentions.digest
    }

    /// The bytes for the upstream: those that came in, or with only the gate's own members cut out of a retry.
    pub fn bytes(&self) -> &Bytes {
        self.spliced.as_ref().unwrap_or_else(|| self.mentions.call.bytes())
    }

    /// Cuts the gate's own answers and state out of a retry and gives the upstream its own state back.
    pub fn returning(mut self, own_responses: &[&str], upstream_state: Option<&str>) -> Self {
        self.spliced = Some(self.mentions.call.without_own_keys(own_responses, upstream_state));
        self
    }

    /// What spoke against the call and was answered.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The resolved files that the call's own path arguments name; calls that share one must not overlap.
    pub fn touches(&self) -> &[PathBuf] {
        &self.touches
    }

    /// What was answered for the call, so that it was cleared.
    pub const fn answers(&self) -> &CallAnswers {
        &self.mentions.answers
    }

    pub(super) fn into_mentions(self) -> Mentions {
        self.mentions
    }
}

impl NeedsApproval {
    pub const fn call(&self) -> &Call {
        &self.mentions.call
    }

    /// Digest of tool and arguments.
    pub fn digest(&self) -> &str {
        &self.mentions.digest
    }

    /// Digest of the script files that were read for the call; nothing if it runs none.
    pub fn scripts(&self) -> Option<&str> {
        self.mentions.scripts()
    }

    /// What speaks against the call.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Allows for this call, with the script files that it runs now, what `grants` allow.
    pub fn allow(&mut self, grants: GrantStore) {
        let CallAnswers { grants: own, scripts } = &mut self.mentions.answers;
        scripts.clone_from(&self.mentions.scripts);
        own.extend(grants);
    }

    pub(super) fn into_mentions(self) -> Mentions {
        self.mentions
    }

    /// Gives the call up.
    pub fn deny(self) -> Denied {
        Denied { mentions: self.mentions, findings: self.findings }
    }
}

impl Denied {
    pub const fn call(&self) -> &Call {
        &self.mentions.call
    }

    /// Digest of tool and arguments.
    pub fn digest(&self) -> &str {
        &self.mentions.digest
    }

    /// What speaks against the call.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
