//! The proof types of one call: `Call → Mentions → LocatedCall → Decision → Cleared`, each step consuming the last (design 3).
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::policy::Effect;
use crate::wire::Call;

use super::finding::Finding;
use super::grants::Grants;
use super::judge::{Facts, Judged, findings, strictest};
use super::located::Located;
use super::preparation::{can_exist, half_character, keep_each_once, made_absolute, script_changed, touched};
use crate::analyse::{Condition, Discovered, Mention};
use crate::analyse::{Lens, Subject, discover};

/// A call whose arguments were searched.
#[derive(Debug)]
pub struct Mentions {
    call: Call,
    digest: String,
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
    /// Forward it.
    Allow(Cleared),
    /// Ask a person first.
    Ask(NeedsApproval),
    /// Refuse it.
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
    call: Call,
    digest: String,
    findings: Vec<Finding>,
}

impl Mentions {
    /// Searches the arguments of `call`.
    pub fn find(call: Call, lens: Lens<'_>) -> Self {
        let subject = Subject { tool: call.tool(), arguments: call.arguments(), lens };
        let mut discovered = discover(&subject);
        discovered.mentions.retain(|mention| mention.condition != Condition::Exists || can_exist(mention));
        keep_each_once(&mut discovered.mentions);
        // Where the half character stands in a text that names no place, nothing hangs on how it is read.
        let torn = |mention: &Mention| mention.condition == Condition::Always && mention.raw.contains(char::REPLACEMENT_CHARACTER);
        if call.lossy() && discovered.mentions.iter().any(torn) {
            discovered.unparsed.push(half_character());
        }
        let digest = call.digest();
        Self { call, digest, scripts: lens.scripts.digest(), discovered }
    }

    /// The call.
    pub const fn call(&self) -> &Call {
        &self.call
    }

    /// What was found.
    pub const fn discovered(&self) -> &Discovered {
        &self.discovered
    }

    /// The call with its relative path arguments made absolute against the root, so that an upstream with another working directory
    /// opens what was judged. Nothing if there is nothing to change.
    pub fn made_absolute(&self, root: &Path) -> Option<Call> {
        made_absolute(&self.call, &self.discovered.mentions, root)
    }

    /// Digest of the script files that were read for the call; nothing if it runs none.
    pub fn scripts(&self) -> Option<&str> {
        self.scripts.as_deref()
    }

    /// Notes that a script is no longer the one that was asked about.
    pub fn script_changed(&mut self) {
        self.discovered.unparsed.push(script_changed());
    }

    /// The call, to be searched anew.
    pub fn into_call(self) -> Call {
        self.call
    }

    /// Whether the disk has nothing to say to this call.
    pub const fn is_placeless(&self) -> bool {
        self.discovered.mentions.is_empty()
    }

    /// What `locate` is to look up.
    pub fn to_locate(&self) -> Vec<Mention> {
        self.discovered.mentions.clone()
    }

    /// Adds what the disk says.
    pub const fn located(self, located: Vec<Located>) -> LocatedCall {
        LocatedCall { mentions: self, located }
    }
}

impl LocatedCall {
    /// The call.
    pub const fn call(&self) -> &Call {
        &self.mentions.call
    }

    /// What was found.
    pub const fn discovered(&self) -> &Discovered {
        &self.mentions.discovered
    }

    /// What became of each mention.
    pub fn outcomes(&self) -> &[Located] {
        &self.located
    }
    /// Decides. A grant answers a question, never a denial.
    pub fn judge(self, facts: &Facts<'_>, granted: &[&Grants]) -> Decision {
        let Self { mentions, located } = self;
        let judged = Judged {
            method: mentions.call.method(),
            tool: mentions.call.tool(),
            arguments: mentions.call.arguments(),
            digest: &mentions.digest,
        };
        let findings = findings(facts, judged, &mentions.discovered, &located);
        match strictest(&findings, granted) {
            Effect::Allow => {
                let touches = touched(&mentions.call, &located);
                Decision::Allow(Cleared { mentions, findings, touches, spliced: None })
            }
            Effect::Ask => Decision::Ask(NeedsApproval { mentions, findings }),
            Effect::Deny => Decision::Deny(Denied { call: mentions.call, digest: mentions.digest, findings }),
        }
    }
}

impl Cleared {
    /// The call.
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

    /// The resolved files that the call's own path arguments name; calls that share one must not overlap (issue 5, serialisation).
    pub fn touches(&self) -> &[PathBuf] {
        &self.touches
    }

    /// Goes back to be located and judged again, because it could not be sent at once.
    pub fn again(self) -> Mentions {
        self.mentions
    }
}

impl NeedsApproval {
    /// The call.
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

    /// Goes back to be located and judged again: after an answer, and because things may have moved meanwhile.
    pub fn again(self) -> Mentions {
        self.mentions
    }

    /// Gives the call up.
    pub fn deny(self) -> Denied {
        Denied { call: self.mentions.call, digest: self.mentions.digest, findings: self.findings }
    }
}

impl Denied {
    /// The call.
    pub const fn call(&self) -> &Call {
        &self.call
    }

    /// Digest of tool and arguments.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What speaks against the call.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
