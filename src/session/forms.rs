//! Asking by `elicitation/create` (2025-06-18, 2025-11-25): one form at a time per client, the others queue.
use std::time::Duration;

use serde_json::Value;

use crate::gate::{Answer, Choice, Ending, Paused, Question};
use crate::wire::{self, Id, Response};

use super::elicit::{self, Version};
use super::event::{Action, Ticket};
use super::held::{Asked, Held, Stage};
use super::machine::Session;
use super::refusal::Why;

/// Questions that wait for their turn; further ones are refused, so that a flood cannot bury one.
const MOST_QUEUED: usize = 64;

impl Session {
    pub(super) fn enqueue(&mut self, ticket: Ticket, paused: Paused) {
        if self.queue.len() >= MOST_QUEUED {
            return self.refuse_paused(ticket, paused, Why::NoApprover, Some("too many questions are already waiting for an answer"));
        }
        let patience = self.patience_for(ticket);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = Stage::Queued(Box::new(paused));
            held.stage_until = self.now + patience;
            self.queue.push_back(ticket);
        }
        self.next_question();
    }

    /// Shows the next question in the queue if none is on the screen.
    pub(super) fn next_question(&mut self) {
        while self.eliciting.is_none() {
            let Some(ticket) = self.queue.pop_front() else { return };
            let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) else { continue };
            let Some(version) = self.handshake.elicitation() else {
                self.refuse_paused(ticket, *paused, Why::NoApprover, None);
                continue;
            };
            self.elicit(ticket, *paused, version);
        }
    }

    pub(super) fn elicit(&mut self, ticket: Ticket, paused: Paused, version: Version) {
        let question = self.question(ticket, &paused);
        let mut params = elicit::form(&question, version);
        let meta = paused.call().meta_raw().and_then(|raw| std::str::from_utf8(raw).ok()).and_then(elicit::meta_for);
        if let (Some(meta), Some(members)) = (meta, params.as_object_mut()) {
            members.insert("_meta".to_owned(), meta);
        }
        let line = wire::request(&question.id, "elicitation/create", &params);
        let elicitation = Some(Id::text(&question.id));
        self.eliciting = Some(ticket);
        self.asked(ticket, paused, question, elicitation);
        self.out.push(Action::ToClient(line));
    }

    pub(super) fn asked(&mut self, ticket: Ticket, paused: Paused, question: Question, elicitation: Option<Id>) {
        let now = self.now;
        let until = now + self.patience_for(ticket);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = Stage::Asked(Box::new(Asked { paused, question, elicitation, since: now }));
            held.stage_until = until;
            held.next_beat = now + super::held::BEAT;
        }
    }

    /// The client answered a form.
    pub(super) fn on_elicited(&mut self, id: &Id, response: &Response) {
        let ticket = self.held.iter().find(|(_, held)| held.elicitation() == Some(id)).map(|(ticket, _)| *ticket);
        let Some(ticket) = ticket else {
            return self.log("dropped an answer to a question that is no longer open");
        };
        let result = response.result().map_or(Value::Null, |raw| wire::decode(raw).0);
        self.eliciting = None;
        if let Some(Stage::Asked(asked)) = self.held.get_mut(&ticket).map(Held::take_stage) {
            let Asked { paused, question, since, .. } = *asked;
            let mut answer = elicit::parse(&question, &result);
            let took = self.now.saturating_sub(since);
            self.doubt_a_quick_yes(&mut answer, took);
            self.settle(ticket, paused, &question, &answer, took);
        }
        self.next_question();
    }

    /// A yes sooner than a person can read was given by a machine; a no is believed at any time.
    pub(super) fn doubt_a_quick_yes(&self, answer: &mut Answer, took: Duration) {
        let allows = answer.decisions.values().any(|choice| *choice != Choice::Deny);
        if allows && took < self.config.soonest_answer {
            *answer = Answer::nothing(answer.channel.clone(), Ending::Unusable("it came sooner than a person can answer"));
        }
    }
}
