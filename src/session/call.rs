//! The straight line of one call: list → discover → locate → judge → ask → record → send or refuse.
use std::time::Duration;

use crate::gate::{CallAnswers, Cleared, Denied, Grants, Judge, Key, Kind as FindingKind, NeedsApproval};
use crate::policy::Effect;
use crate::wire::{self, Call, Id};

use super::event::{Output, Then, Ticket, Verdict};
use super::flights::{Kind, Sent};
use super::held::{Held, Retry, Stage};
use super::machine::Session;
use super::peers::PerRequest;
use super::refusal::{self, RefusalReason};
use super::seal::{Phase, Seal};

/// Calls held at once; past this a flood of questions is a fault or an attack.
const MOST_HELD: usize = 4096;

impl Session {
    /// A request that the gate judges has come in.
    pub(super) fn on_call(&mut self, call: Call) {
        let ticket = self.ticket();
        let sender = PerRequest::of(&call);
        let held = Held::new(&call, sender, self.now);
        if self.held.len() >= MOST_HELD {
            return self.client_error(
                call.id(),
                wire::codes::INTERNAL_ERROR,
                "too many calls are held at once; answer the open questions first",
            );
        }
        self.held.insert(ticket, held);
        if let Some(answers) = self.open_retry(ticket, &call) {
            self.list_then_judge(ticket, Judge::of(call).with_answers(answers));
        }
    }

    /// Opens the sealed state of a retry, if there is one of ours, and gives what it says was answered. Nothing: the state is not valid, and
    /// the call is refused.
    fn open_retry(&mut self, ticket: Ticket, call: &Call) -> Option<CallAnswers> {
        let Some(state) = call.request_state().map(std::borrow::Cow::into_owned).filter(|state| Seal::is_ours(state)) else {
            return Some(CallAnswers::default());
        };
        let bound = self.bound(call);
        let Some(state) = self.seal.open(&state, &bound, self.now) else {
            self.refuse(ticket, call, RefusalReason::BadState, &[], None);
            return None;
        };
        let response = call.input_responses().map(|raw| wire::decode(raw).0);
        let own = response.and_then(|all| all.get(super::asking::OWN_INPUT).cloned());
        let (asked, grants) = match state.phase {
            Phase::Asked(asked) => (asked, Grants::default()),
            Phase::Allowed(grants) => (Vec::new(), grants),
        };
        self.held.get_mut(&ticket)?.retry = Some(Retry { response: own, asked, upstream: state.upstream, since: state.since });
        Some(CallAnswers { grants, scripts: state.scripts })
    }

    /// What a sealed state is good for: this server, tool and arguments.
    pub(super) fn bound(&self, call: &Call) -> String {
        format!("{}|{}|{}|{}", self.config.server, call.method(), call.tool(), call.digest())
    }

    pub(super) fn clear(&mut self, ticket: Ticket, cleared: Cleared) {
        if self.must_wait(ticket, cleared.touches()) {
            if let Some(held) = self.held.get_mut(&ticket) {
                held.stage_until = Duration::MAX;
                held.stage = Stage::Waiting(Box::new(cleared));
            }
            return;
        }
        let Some(held) = self.held.remove(&ticket) else { return };
        let call = cleared.call();
        // Only an approval has to survive the upstream's own questions, so only then is the binding needed.
        let answers = cleared.answers().clone();
        let bound = if answers.is_empty() { String::new() } else { self.bound(call) };
        let mut sent = Sent { bound, answers, touches: cleared.touches().to_vec(), moved: None };
        let verdict = self.verdict(ticket, call, cleared.digest(), Effect::Allow, None, cleared.findings(), &held);
        if let (Some(token), true) = (&held.progress, held.beats > 0) {
            self.progress_offsets.insert(token.clone(), f64::from(held.beats) * super::tick::STEP);
            sent.moved = Some(token.clone());
        }
        self.flights.sent(held.id.clone(), Kind::Call(Box::new(sent)), self.now);
        let cleared = match held.retry {
            Some(retry) => cleared.returning(&[super::asking::OWN_INPUT], retry.upstream.as_deref()),
            None => cleared,
        };
        self.out.push(Output::Verdict(Box::new(verdict), Then::Send(Box::new(cleared))));
        self.close_server_when_done();
    }

    pub(super) fn deny(&mut self, ticket: Ticket, denied: &Denied) {
        let why = refusal::denied(denied.findings());
        self.refuse(ticket, denied.call(), why, denied.findings(), None);
    }

    /// Gives up on a call that could not be asked about, or was answered with no.
    pub(super) fn refuse_paused(&mut self, ticket: Ticket, paused: NeedsApproval, why: RefusalReason, reason: Option<&str>) {
        let denied = paused.deny();
        self.refuse(ticket, denied.call(), why, denied.findings(), reason);
    }

    fn refuse(&mut self, ticket: Ticket, call: &Call, why: RefusalReason, findings: &[crate::gate::Finding], reason: Option<&str>) {
        let Some(held) = self.held.remove(&ticket) else { return };
        let reply = refusal::reply(call, why, findings, reason, held.sender.modern);
        let verdict = self.verdict(ticket, call, &call.digest(), Effect::Deny, Some(why), findings, &held);
        self.reply_with(&held.id, verdict, reply);
        self.close_server_when_done();
    }

    fn reply_with(&mut self, id: &Id, verdict: Verdict, reply: bytes::Bytes) {
        let then = match self.batches.collect(id, reply.clone()) {
            None => Then::Reply(reply),
            Some(None) => Then::Wait,
            Some(Some(done)) => Then::Reply(done),
        };
        self.out.push(Output::Verdict(Box::new(verdict), then));
    }

    /// Takes a held call back without a reply: it was cancelled, or its client is gone.
    pub(super) fn give_up(&mut self, ticket: Ticket) {
        let Some(held) = self.end_held(ticket, RefusalReason::Cancelled) else { return };
        if let Some(done) = self.batches.forget(&held.id) {
            self.out.push(Output::ToClient(done));
        }
        self.close_server_when_done();
    }

    /// Ends a held call, wherever it stands, with a verdict that says why; the reply, if one is owed, is the caller's to give.
    pub(super) fn end_held(&mut self, ticket: Ticket, why: RefusalReason) -> Option<Held> {
        self.withdraw(ticket);
        let mut held = self.held.remove(&ticket)?;
        let stage = held.take_stage();
        let call = match &stage {
            Stage::Listing(judge) => Some(judge.call()),
            Stage::Reading(judge) => Some(judge.call()),
            Stage::Locating(judge) => Some(judge.call()),
            Stage::Waiting(cleared) => Some(cleared.call()),
            Stage::Queued(paused) => Some(paused.call()),
            Stage::Asked(asked) => Some(asked.paused.call()),
            Stage::Moving => None,
        };
        if let Some(call) = call {
            let verdict = self.verdict(ticket, call, &call.digest(), Effect::Deny, Some(why), &[], &held);
            self.out.push(Output::Verdict(Box::new(verdict), Then::Wait));
        }
        Some(held)
    }

    #[expect(clippy::too_many_arguments, reason = "a verdict is all of these, and is made in one place")]
    pub(super) fn verdict(
        &self,
        ticket: Ticket,
        call: &Call,
        digest: &str,
        decision: Effect,
        refusal: Option<RefusalReason>,
        findings: &[crate::gate::Finding],
        held: &Held,
    ) -> Verdict {
        Verdict {
            ticket,
            client: self.client_name(held).map(str::to_owned),
            server: self.config.server.clone(),
            tool: call.tool().to_owned(),
            method: call.method().to_owned(),
            id: call.id().raw().to_owned(),
            digest: digest.to_owned(),
            arguments: call.raw_arguments().to_owned(),
            decision,
            refusal,
            findings: findings.to_vec(),
            answer: held.answer.clone(),
        }
    }

    /// A verdict could not be written down, so what it would have led to does not happen; a refusal goes out all the same.
    pub(super) fn on_unrecorded(&mut self, then: Then, problem: &str) {
        self.log(format!("the audit log cannot be written: {problem}"));
        match then {
            Then::Wait => {}
            Then::Reply(reply) => self.out.push(Output::ToClient(reply)),
            Then::Send(cleared) => {
                let call = cleared.call();
                self.flights.take(call.id());
                let reply = refusal::reply(call, RefusalReason::Unrecorded, &[], Some(problem), PerRequest::of(call).modern);
                self.send_client(Some(call.id()), reply);
                // Calls that touch the same files waited for this one.
                self.release_waiting();
            }
        }
    }

    /// Keys given or taken back while the session runs.
    pub(super) fn on_granted(&mut self, kind: FindingKind, key: Key, given: bool) {
        if given {
            self.grants.allow(kind, key);
            self.rejudge_queue();
        } else {
            self.grants.remove(&key.text());
        }
    }
}
