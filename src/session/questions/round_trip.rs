//! Asking in the 2026-07-28 revision: the call is answered with a form and a sealed state, and its retry brings the answer. There are no
//! requests to the client in it, so every call has a form of its own.
use std::ops::Range;
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{CallAnswers, GrantStore, Question, RefusalReason};
use crate::session::approval::{About, ApprovalRequest};
use crate::session::era::Version;
use crate::session::ids::{CallId, UpstreamId};
use crate::session::retry::{Retry, RetryAnswer, SealedRetry};
use crate::session::seal::{Phase, State};
use crate::session::sent::InputRequired;
use crate::session::step::{Happened, Outcome, Step};
use crate::session::turn::Turn;
use crate::wire::{self, Response};

use super::{Questions, elicit, settle};

/// How long an approval lives while the upstream asks something of its own.
const CARRIED: Duration = Duration::from_secs(3600);

impl Questions {
    /// Answers the call with a form, if that may be asked now.
    pub(super) fn ask_by_round_trip(&mut self, turn: &mut Turn, mut question: Question, about: &About) {
        if let Some(why) = self.pause_for(turn, &question) {
            return settle(turn, about.call, Outcome::refused(RefusalReason::RateLimited, Some(why)));
        }
        self.rate.asked(turn.now);
        question.id = turn.ids.question();
        let lifetime = About::lifetime(about.timeout);
        question.timeout = Some(lifetime);
        let state = State {
            nonce: 0,
            phase: Phase::Asked(question.items.iter().map(|item| item.key.clone()).collect()),
            upstream: about.upstream_state.clone(),
            scripts: question.calls.first().and_then(|call| call.scripts.clone()),
            since: turn.now,
            lifetime,
            parked: about.for_server.then_some(about.call.0),
        };
        let Some(state) = self.seal.seal(state, &about.bound) else {
            return settle(turn, about.call, Outcome::refused(RefusalReason::NoApprover, None));
        };
        let params = elicit::form(&question, Version::Modern);
        let result = json!({
            "resultType": "input_required",
            "inputRequests": { turn.ids.own_input(): { "method": "elicitation/create", "params": params } },
            "requestState": turn.ids.tagged(&state),
        });
        settle(turn, about.call, Outcome::ComeBack(result));
    }

    /// Opens the sealed state that a call brought, and uses it up.
    pub fn open(&mut self, turn: &mut Turn, call: CallId, sealed: SealedRetry) {
        let Some(state) = self.seal.open(&sealed.state, &sealed.bound, turn.now) else {
            return turn.then(Step::Happened(call, Happened::Opened(None)));
        };
        let (asked, grants) = match state.phase {
            Phase::Asked(asked) => (asked, GrantStore::default()),
            Phase::Allowed(grants) => (Vec::new(), grants),
        };
        let answer = sealed.response.map(|response| RetryAnswer { response, asked, since: state.since });
        let answers = CallAnswers { grants, scripts: state.scripts };
        let retry = Retry { answer, answers, upstream: state.upstream, parked: state.parked.map(CallId) };
        self.claim_state(turn, call, turn.ids.mark(state.nonce), state.lifetime, retry);
    }

    /// Takes the answer that a retry brought. Gives the request back where that does not settle the matter.
    pub(super) fn answered_by_retry(&mut self, turn: &mut Turn, mut request: ApprovalRequest) -> Option<ApprovalRequest> {
        let Some(brought) = request.about.answer.take() else { return Some(request) };
        // What the call touches is no longer what the answer was about.
        if !request.question.items.iter().map(|item| &item.key).eq(&brought.asked) {
            return Some(request);
        }
        request.question.id = turn.ids.question();
        let took = turn.now.saturating_sub(brought.since);
        let answer = super::answers::doubted_if_quick(turn, elicit::parse(&request.question, &brought.response), took);
        self.count_denials(turn, &request.question, &answer);
        self.settle_call(turn, &request.about, (&request.question, 0), &answer, took);
        self.settle_queue(turn);
        None
    }

    /// The upstream wants something of its own before it goes on with a call that a person allowed: its state is wrapped, so that
    /// the approval survives the round trip and the upstream gets its state back byte for byte.
    pub fn carry(&mut self, turn: &mut Turn, from: UpstreamId, mut reply: Box<InputRequired>) {
        let theirs = reply.response.result_member("requestState").map(|raw| wire::decode(raw).0);
        let upstream = theirs.as_ref().and_then(Value::as_str).map(str::to_owned);
        let CallAnswers { grants, scripts } = std::mem::take(&mut reply.answers);
        let phase = Phase::Allowed(grants);
        let state = State { nonce: 0, phase, upstream, scripts, since: turn.now, lifetime: CARRIED, parked: None };
        let sealed = self.seal.seal(state, &reply.bound);
        let change = sealed.and_then(|sealed| with_state(&reply.response, &Value::String(turn.ids.tagged(&sealed)).to_string()));
        reply.changes.extend(change);
        turn.then(Step::Carried(from, reply));
    }
}

/// What has to be changed in a result so that it carries this state.
fn with_state(response: &Response, sealed: &str) -> Option<(Range<usize>, Vec<u8>)> {
    if let Some(range) = response.result_range("requestState") {
        return Some((range, sealed.as_bytes().to_vec()));
    }
    let whole = response.whole_result_range()?;
    let result = wire::with_member(response.bytes().get(whole.clone())?, "requestState", sealed.as_bytes());
    Some((whole, result))
}
