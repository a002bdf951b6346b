//! Open questions: what an answer, a deadline or a call that is taken back does to each of their calls.
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{Answer, Choice, Ending, NeedsApproval, Question};
use crate::policy::Channel;
use crate::wire::{self, Id, Response};

use super::elicit;
use super::event::{Output, Ticket};
use super::held::{Held, Stage};
use super::late::{LATE, LateCall};
use super::machine::Session;
use super::plan::Plan;
use super::refusal::{self, RefusalReason};

/// A question that waits for its answer.
#[derive(Debug)]
pub(super) struct Open {
    pub question: Question,
    /// The calls in the order of the question's; nothing for one that was taken back.
    pub tickets: Vec<Option<Ticket>>,
    /// Whether the client draws it.
    pub form: bool,
    pub since: Duration,
}

impl Session {
    /// The client answered a form.
    pub(super) fn on_elicited(&mut self, id: &Id, response: &Response) {
        let open = id.as_text().filter(|id| self.open.get(*id).is_some_and(|open| open.form)).and_then(|id| self.open.remove(id));
        let Some(open) = open else { return self.log("dropped an answer to a question that is no longer open") };
        let result = response.result().map_or(Value::Null, |raw| wire::decode(raw).0);
        let mut answer = elicit::parse(&open.question, &result);
        self.doubt_a_quick_yes(&mut answer, self.now.saturating_sub(open.since));
        self.settle_all(open, &answer);
    }

    /// A yes sooner than a person can read was given by a machine; a no is believed at any time.
    pub(super) fn doubt_a_quick_yes(&self, answer: &mut Answer, took: Duration) {
        let allows = answer.decisions.values().any(|choice| *choice != Choice::Deny);
        if allows && took < self.config.soonest_answer {
            *answer = Answer::nothing(answer.channel.clone(), Ending::Unusable("it came sooner than a person can answer"));
        }
    }

    /// A channel outside of the protocol answered.
    pub(super) fn on_answered(&mut self, id: &str, answer: &Answer) {
        let Some(open) = self.open.remove(id) else { return self.answered_late(id, answer) };
        self.out.push(Output::Withdraw(id.to_owned(), "it is answered"));
        self.settle_all(open, answer);
    }

    fn settle_all(&mut self, open: Open, answer: &Answer) {
        let took = self.now.saturating_sub(open.since);
        self.count_denials(&open.question, answer);
        for (place, ticket) in open.tickets.iter().enumerate().filter_map(|(place, ticket)| Some((place, (*ticket)?))) {
            if let Some(Stage::Asked(asked)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                self.settle(ticket, asked.paused, (&open.question, place), answer, took);
            }
        }
        self.rejudge_queue();
    }

    /// A channel that was thought to be there is not.
    pub(super) fn on_unreachable(&mut self, id: &str) {
        let Some(open) = self.open.remove(id) else { return };
        let calls = self.calls_of(&open);
        self.leave_open(Plan { question: open.question, calls });
    }

    /// Nobody can be reached: refuse at once, but leave the question open for an approver that comes later.
    pub(super) fn leave_open(&mut self, plan: Plan) {
        if self.config.channels.contains(&Channel::Socket) {
            let question = plan.question;
            let open = question.calls.iter().map(|_| LateCall::Open).collect();
            self.out.push(Output::Ask(Box::new(question.clone()), vec![Channel::Socket], LATE));
            self.out.push(Output::Expire(question.id.clone()));
            self.keep_late(question, open);
        }
        for (ticket, paused) in plan.calls {
            let why = refusal::unasked(paused.findings());
            self.refuse_paused(ticket, paused, why, None);
        }
    }

    /// Nobody answered in time. A form is taken off the screen; a question in an approver stays there for the next try.
    pub(super) fn question_expired(&mut self, id: &str) {
        let Some(open) = self.open.remove(id) else { return };
        let calls = self.calls_of(&open);
        if open.form {
            self.cancel_form(id, "nobody answered in time");
        } else {
            self.out.push(Output::Expire(id.to_owned()));
            let late = open.tickets.iter().map(|ticket| if ticket.is_some() { LateCall::Open } else { LateCall::Void }).collect();
            self.keep_late(open.question, late);
        }
        for (ticket, paused) in calls {
            self.refuse_paused(ticket, paused, RefusalReason::TimedOut, None);
        }
    }

    /// Takes a call out of the question about it. A question without calls is taken off every screen; else the others keep it, and what is
    /// answered about this call is not heard.
    pub(super) fn withdraw(&mut self, ticket: Ticket) {
        self.queue.retain(|queued| *queued != ticket);
        let Some(Stage::Asked(asked)) = self.held.get(&ticket).map(|held| &held.stage) else { return };
        let id = asked.question.clone();
        let Some(open) = self.open.get_mut(&id) else { return };
        open.tickets.iter_mut().filter(|own| **own == Some(ticket)).for_each(|own| *own = None);
        if open.tickets.iter().any(Option::is_some) {
            return;
        }
        if self.open.remove(&id).is_some_and(|open| open.form) {
            self.cancel_form(&id, "the question is void");
        }
        self.out.push(Output::Withdraw(id, "nothing waits for its answer any more: the call is over"));
    }

    fn cancel_form(&mut self, id: &str, reason: &str) {
        let params = json!({ "requestId": id, "reason": reason });
        self.out.push(Output::ToClient(wire::notification("notifications/cancelled", &params)));
    }

    /// Takes the calls that an open question is still about.
    fn calls_of(&mut self, open: &Open) -> Vec<(Ticket, NeedsApproval)> {
        let live = open.tickets.iter().flatten();
        let taken = live.filter_map(|ticket| match self.held.get_mut(ticket)?.take_stage() {
            Stage::Asked(asked) => Some((*ticket, asked.paused)),
            _ => None,
        });
        taken.collect()
    }
}
