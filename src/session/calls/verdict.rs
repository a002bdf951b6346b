//! How a call ends: sent, refused, answered with a question, or given up; each with the verdict that is written down first.
use serde_json::Value;

use crate::gate::{Cleared, Denied, Finding, NeedsApproval, RefusalReason, Verdict};
use crate::policy::{Effect, ServerRequest};
use crate::session::approval::Form;
use crate::session::event::{Output, Then};
use crate::session::ids::CallId;
use crate::session::refusal;
use crate::session::sent::SentCall;
use crate::session::servers::Servers;
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Call, Id};

use super::Calls;
use super::pending::{PendingCall, Stage};

impl Calls {
    /// Sends a call that may go.
    pub(super) fn send(&mut self, turn: &mut Turn, servers: &impl Servers, id: CallId, cleared: Cleared) {
        let Some(pending) = self.remove(id) else { return };
        let (to, call) = (pending.upstream, cleared.call());
        // Only an approval has to survive the upstream's own questions, and only those that a person has to allow need a state.
        let answers = cleared.answers().clone();
        let is_needed = !answers.is_empty() || (pending.sender.form == Form::RoundTrip && asks_for_servers(turn));
        let bound = if is_needed { bound(servers.name(to), call, cleared.digest()) } else { String::new() };
        let verdict = verdict(servers, &pending, call, cleared.digest(), Effect::Allow, None, cleared.findings());
        let moved = pending.life.moved();
        let sent = SentCall { bound, answers, sender: pending.sender, touches: cleared.touches().to_vec(), moved };
        let cleared = match pending.upstream_state {
            Some(state) => cleared.returning(&[turn.ids.own_input()], state.as_deref()),
            None => cleared,
        };
        turn.then(Step::Sent(to, pending.id, Box::new(sent)));
        turn.output(Output::Verdict(Box::new(verdict), Then::Send(to, Box::new(cleared))));
    }

    /// Refuses a call of which a finding denies.
    pub(super) fn deny(&mut self, turn: &mut Turn, servers: &impl Servers, id: CallId, denied: &Denied) {
        let why = refusal::denied(denied.findings());
        self.refuse(turn, servers, id, denied.call(), why, denied.findings(), None);
    }

    /// Refuses a call that could not be asked about, or was answered with no.
    pub(super) fn refuse_unapproved(
        &mut self,
        turn: &mut Turn,
        servers: &impl Servers,
        id: CallId,
        approval: NeedsApproval,
        why: RefusalReason,
        reason: Option<&str>,
    ) {
        let denied = approval.deny();
        self.refuse(turn, servers, id, denied.call(), why, denied.findings(), reason);
    }

    #[expect(clippy::too_many_arguments, reason = "a refusal is all of these, and is made in one place")]
    pub(super) fn refuse(
        &mut self,
        turn: &mut Turn,
        servers: &impl Servers,
        id: CallId,
        call: &Call,
        why: RefusalReason,
        findings: &[Finding],
        reason: Option<&str>,
    ) {
        let Some(pending) = self.remove(id) else { return };
        let reply = refusal::reply(call, why, findings, reason, pending.sender.modern);
        let verdict = verdict(servers, &pending, call, &call.digest(), Effect::Deny, Some(why), findings);
        turn.then(Step::ReplyRecorded(pending.id, Box::new(verdict), reply));
    }

    /// Answers a call with the question about it; its client is to send it again with the answer.
    pub(super) fn come_back(&mut self, turn: &mut Turn, servers: &impl Servers, id: CallId, approval: &NeedsApproval, result: &Value) {
        let Some(pending) = self.remove(id) else { return };
        let verdict = verdict(servers, &pending, approval.call(), approval.digest(), Effect::Ask, None, approval.findings());
        turn.output(Output::Verdict(Box::new(verdict), Then::Reply(wire::result(&pending.id, result))));
    }

    /// Lets go of a call that is no call, but brings the answer to something else; returns the client's id.
    pub fn hand_over(&mut self, id: CallId) -> Option<Id> {
        self.remove(id).map(|pending| pending.id)
    }

    /// Ends a call, wherever it stands, with a verdict that says why; the reply, if one is owed, is the caller's to give. Returns the
    /// client's id.
    pub fn end(&mut self, turn: &mut Turn, servers: &impl Servers, id: CallId, why: RefusalReason) -> Option<Id> {
        let mut pending = self.remove(id)?;
        let stage = pending.take_stage();
        let call = match &stage {
            Stage::Opening(call) => Some(call.as_ref()),
            Stage::Listing(judge) => Some(judge.call()),
            Stage::Reading(judge) => Some(judge.call()),
            Stage::Locating(judge) => Some(judge.call()),
            Stage::Waiting(cleared) => Some(cleared.call()),
            Stage::Asking(approval) => Some(approval.call()),
            Stage::Moving => None,
        };
        if let Some(call) = call {
            let verdict = verdict(servers, &pending, call, &call.digest(), Effect::Deny, Some(why), &[]);
            turn.output(Output::Verdict(Box::new(verdict), Then::Wait));
        }
        Some(pending.id)
    }
}

/// Whether a person may be asked about what a server wants of the client.
fn asks_for_servers(turn: &Turn) -> bool {
    let kinds = [ServerRequest::Sampling, ServerRequest::Elicitation, ServerRequest::Roots];
    kinds.into_iter().any(|kind| turn.config.policy.server_request_action(kind) == Effect::Ask)
}

/// What a sealed state is good for: this server, tool and arguments.
pub(super) fn bound(server: &str, call: &Call, digest: &str) -> String {
    format!("{server}|{}|{}|{digest}", call.method(), call.tool())
}

fn verdict(
    servers: &impl Servers,
    pending: &PendingCall,
    call: &Call,
    digest: &str,
    effect: Effect,
    refusal: Option<RefusalReason>,
    findings: &[Finding],
) -> Verdict {
    Verdict {
        client: pending.sender.name.clone(),
        server: servers.name(pending.upstream).to_owned(),
        tool: call.tool().to_owned(),
        method: call.method().to_owned(),
        id: call.id().raw().to_owned(),
        digest: digest.to_owned(),
        arguments: call.raw_arguments().to_owned(),
        effect,
        refusal,
        findings: findings.iter().take(Verdict::MOST_FINDINGS).cloned().collect(),
        more_findings: findings.len().saturating_sub(Verdict::MOST_FINDINGS),
        answer: pending.answer.clone(),
    }
}
