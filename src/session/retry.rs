//! Asking in the 2026-07-28 revision: the call is answered with a form and a sealed state, and its retry brings the answer. There are no
//! requests to the client in it, so every call has a form of its own.
use std::time::Duration;

use serde_json::json;

use crate::gate::NeedsApproval;
use crate::policy::Effect;
use crate::wire;

use super::asking::OWN_INPUT;
use super::elicit::{self, Version};
use super::event::{Output, Then, Ticket};
use super::machine::Session;
use super::refusal::RefusalReason;
use super::seal::{Phase, State};

impl Session {
    pub(super) fn ask_by_retry(&mut self, ticket: Ticket, paused: NeedsApproval) {
        if let Some(why) = self.pause_for(&paused) {
            return self.refuse_paused(ticket, paused, RefusalReason::RateLimited, Some(&why));
        }
        self.pace.asked(self.now);
        let id = self.client_request_id();
        let mut question = self.question(id, ticket, &paused);
        let bound = self.bound(paused.call());
        let keys = question.items.iter().map(|item| item.key.clone()).collect();
        let upstream = self.held.get(&ticket).and_then(|held| held.retry.as_ref()).and_then(|retry| retry.upstream.clone());
        let lifetime = self.timeout_for(ticket).max(Duration::from_secs(600));
        question.timeout = Some(lifetime);
        let state = State { nonce: 0, phase: Phase::Asked(keys), upstream, scripts: paused.scripts().map(str::to_owned), since: self.now };
        let Some(state) = self.seal.seal(state, &bound, lifetime) else {
            return self.refuse_paused(ticket, paused, RefusalReason::NoApprover, None);
        };
        let Some(held) = self.held.remove(&ticket) else { return };
        let params = elicit::form(&question, Version::Modern);
        let body = json!({
            "resultType": "input_required",
            "inputRequests": { OWN_INPUT: { "method": "elicitation/create", "params": params } },
            "requestState": state,
        });
        let call = paused.call();
        let verdict = self.verdict(ticket, call, paused.digest(), Effect::Ask, None, paused.findings(), &held);
        self.out.push(Output::Verdict(Box::new(verdict), Then::Reply(wire::result(&held.id, &body))));
        self.close_server_when_done();
    }

    /// Takes the answer that a retry brought. Nothing is given back where that settles the matter.
    pub(super) fn answer_from_retry(&mut self, ticket: Ticket, paused: NeedsApproval) -> Option<NeedsApproval> {
        let retry = self.held.get_mut(&ticket).and_then(|held| held.retry.as_mut());
        let brought = retry.and_then(|retry| Some((retry.response.take()?, std::mem::take(&mut retry.asked), retry.since)));
        let Some((response, asked, since)) = brought else { return Some(paused) };
        let id = self.client_request_id();
        let question = self.question(id, ticket, &paused);
        // What the call touches is no longer what the answer was about.
        if !question.items.iter().map(|item| &item.key).eq(&asked) {
            return Some(paused);
        }
        let mut answer = elicit::parse(&question, &response);
        let took = self.now.saturating_sub(since);
        self.doubt_a_quick_yes(&mut answer, took);
        self.count_denials(&question, &answer);
        self.settle(ticket, paused, (&question, 0), &answer, took);
        self.rejudge_queue();
        None
    }
}
