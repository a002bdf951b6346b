//! Open questions: put to a person, answered, out of time, or void because their calls are over.
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{Answer, Question, RefusalReason};
use crate::policy::Channel;
use crate::session::approval::About;
use crate::session::era::Version;
use crate::session::event::Output;
use crate::session::ids::CallId;
use crate::session::step::{Outcome, Step};
use crate::session::turn::Turn;
use crate::wire::{self, Id, Response};

use super::batch::QuestionBatch;
use super::expired::LATE;
use super::{Questions, elicit, settle};

/// A question that waits for its answer.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub question: Question,
    /// The calls in the order of the question's; nothing for one that was taken back.
    pub calls: Vec<Option<About>>,
    /// Whether the client draws it.
    pub form: bool,
    pub since: Duration,
    pub until: Duration,
}

impl Questions {
    /// Asks by `elicitation/create` (2025-06-18, 2025-11-25).
    pub(super) fn elicit(&mut self, turn: &mut Turn, mut batch: QuestionBatch, version: Version) {
        batch.question.timeout = Some(batch.timeout());
        let mut params = elicit::form(&batch.question, version);
        // One client finds the call by its `_meta`; for several calls it is the first one's.
        let meta = batch.calls.first().and_then(|about| about.meta.as_deref()).and_then(elicit::meta_for);
        if let (Some(meta), Some(members)) = (meta, params.as_object_mut()) {
            members.insert("_meta".to_owned(), meta);
        }
        let line = wire::request(&batch.question.id, "elicitation/create", &params);
        self.opened(turn, batch, true);
        turn.output(Output::ToClient(line));
    }

    /// Notes that a question is open.
    pub(super) fn opened(&mut self, turn: &mut Turn, batch: QuestionBatch, form: bool) {
        self.rate.asked(turn.now);
        batch.calls.iter().for_each(|about| turn.then(Step::Asked(about.call)));
        let (since, until) = (turn.now, turn.now + batch.timeout());
        let QuestionBatch { question, calls } = batch;
        let calls = calls.into_iter().map(Some).collect();
        self.open.insert(question.id.clone(), OpenQuestion { question, calls, form, since, until });
    }

    /// The client answered a form.
    pub fn client_answered(&mut self, turn: &mut Turn, id: &Id, response: &Response) {
        let open = id.as_text().filter(|id| self.open.get(*id).is_some_and(|open| open.form)).and_then(|id| self.open.remove(id));
        let Some(open) = open else { return turn.log("dropped an answer to a question that is no longer open") };
        let result = response.result().map_or(Value::Null, |raw| wire::decode(raw).0);
        let answer = elicit::parse(&open.question, &result);
        let answer = super::answers::doubted_if_quick(turn, answer, turn.now.saturating_sub(open.since));
        self.settle_all(turn, open, &answer);
    }

    /// A channel outside of the protocol answered.
    pub fn answered(&mut self, turn: &mut Turn, id: &str, answer: &Answer) {
        let Some(open) = self.open.remove(id) else { return self.answered_too_late(turn, id, answer) };
        turn.output(Output::Withdraw(id.to_owned(), "it is answered"));
        self.settle_all(turn, open, answer);
    }

    fn settle_all(&mut self, turn: &mut Turn, open: OpenQuestion, answer: &Answer) {
        let took = turn.now.saturating_sub(open.since);
        self.count_denials(turn, &open.question, answer);
        for (place, about) in open.calls.iter().enumerate().filter_map(|(place, about)| Some((place, about.as_ref()?))) {
            self.settle_call(turn, about, (&open.question, place), answer, took);
        }
        self.settle_queue(turn);
    }

    /// A channel that was thought to be there is not.
    pub fn unreachable(&mut self, turn: &mut Turn, id: &str) {
        let Some(OpenQuestion { question, calls, .. }) = self.open.remove(id) else { return };
        let calls = calls.into_iter().flatten().collect();
        self.leave_open(turn, QuestionBatch { question, calls });
    }

    /// Nobody can be reached: refuse at once, but leave the question open for an approver that comes later.
    pub(super) fn leave_open(&mut self, turn: &mut Turn, batch: QuestionBatch) {
        let QuestionBatch { mut question, calls } = batch;
        if turn.config.channels.contains(&Channel::Socket) {
            if question.id.is_empty() {
                question.id = turn.ids.question();
            }
            turn.output(Output::Ask(Box::new(question.clone()), vec![Channel::Socket], LATE));
            turn.output(Output::Expire(question.id.clone()));
            let open = vec![true; question.calls.len()];
            self.keep_expired(turn, question, open);
        }
        for about in calls {
            settle(turn, about.call, Outcome::refused(about.unasked, None));
        }
    }

    /// Nobody answered in time. A form is taken off the screen; a question in an approver stays there for the next try.
    pub(super) fn expire(&mut self, turn: &mut Turn, id: &str) {
        let Some(open) = self.open.remove(id) else { return };
        if open.form {
            cancel_form(turn, id, "nobody answered in time");
        } else {
            turn.output(Output::Expire(id.to_owned()));
            let waited = open.calls.iter().map(Option::is_some).collect();
            self.keep_expired(turn, open.question, waited);
        }
        for about in open.calls.iter().flatten() {
            settle(turn, about.call, Outcome::refused(RefusalReason::TimedOut, None));
        }
    }

    /// Takes a call out of the question about it. A question without calls is taken off every screen; else the others keep it, and what is
    /// answered about this call is not heard.
    pub fn withdraw(&mut self, turn: &mut Turn, call: CallId) {
        self.claims.remove(&call);
        self.queue.retain(|queued| queued.request.about.call != call);
        let is_own = |about: &Option<About>| about.as_ref().is_some_and(|about| about.call == call);
        let Some((id, open)) = self.open.iter_mut().find(|(_, open)| open.calls.iter().any(is_own)) else { return };
        open.calls.iter_mut().filter(|about| is_own(about)).for_each(|about| *about = None);
        if open.calls.iter().any(Option::is_some) {
            return;
        }
        let id = id.clone();
        if self.open.remove(&id).is_some_and(|open| open.form) {
            cancel_form(turn, &id, "the question is void");
        }
        turn.output(Output::Withdraw(id, "nothing waits for its answer any more: the call is over"));
    }
}

fn cancel_form(turn: &mut Turn, id: &str, reason: &str) {
    let params = json!({ "requestId": id, "reason": reason });
    turn.output(Output::ToClient(wire::notification("notifications/cancelled", &params)));
}
