//! Asking a person: which channel, one question at a time per client, and what an answer does.
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{Answer, Choice, Ending, Grants, Key, Kind, Paused, Question, Scopes, Settlement};
use crate::policy::{Action as Verb, Channel, Require};
use crate::wire::{self, Id, Response};

use super::elicit::{self, Version};
use super::event::{Action, AnswerNote, Kept, Then, Ticket};
use super::held::{Asked, Held, Stage};
use super::machine::{Late, Session};
use super::peers::{owns_the_screen, patience};
use super::refusal::{self, Why};
use super::seal::{Allowed, Phase};

/// The name of our own entry in `inputRequests` and `inputResponses`.
pub(super) const OWN_INPUT: &str = "callgate";
/// A call whose findings keep moving while it is asked about is given up after this many questions.
const MOST_ROUNDS: u8 = 3;
/// Questions that wait for their turn; further ones are refused, so that a flood cannot bury one.
const MOST_QUEUED: usize = 64;
/// After this many denials the same key is no longer asked about (`lessons.md` 15, `clients.md` 3.5 rule 8).
const MOST_DENIALS: u8 = 3;
/// How long a question that nobody answered in time can still be answered for the next try.
const LATE: Duration = Duration::from_secs(15 * 60);

/// How a question reaches a person.
enum Route {
    /// The 2026-07-28 round trip.
    Retry,
    /// A request to the client.
    Form,
    /// Channels outside of the protocol.
    Outside(Vec<Channel>),
    /// None now; an approver that attaches later can still answer for the next try.
    Nobody,
}

impl Session {
    /// A call needs an answer.
    pub(super) fn ask(&mut self, ticket: Ticket, paused: Paused) {
        let Some(paused) = self.answer_from_retry(ticket, paused) else { return };
        let Some(paused) = self.answer_from_late(ticket, paused) else { return };
        if paused.findings().iter().any(|finding| self.is_silenced(&finding.key)) {
            return self.refuse_paused(ticket, paused, Why::Silenced, None);
        }
        let rounds = self.held.get_mut(&ticket).map_or(u8::MAX, |held| {
            held.rounds += 1;
            held.rounds
        });
        if rounds > MOST_ROUNDS {
            return self.refuse_paused(ticket, paused, Why::TimedOut, Some("what the call touches kept changing while it was asked about"));
        }
        match self.route(ticket) {
            Route::Retry => self.ask_by_retry(ticket, paused),
            Route::Form => self.enqueue(ticket, paused),
            Route::Outside(channels) => self.ask_outside(ticket, paused, channels),
            Route::Nobody => self.leave_open(ticket, paused),
        }
    }

    fn route(&self, ticket: Ticket) -> Route {
        let Some(held) = self.held.get(&ticket) else { return Route::Nobody };
        let human_only = self.config.policy.approval().require.value == Require::Human;
        let mut outside = Vec::new();
        for channel in &self.config.channels {
            match channel {
                Channel::Elicitation if human_only || !outside.is_empty() || self.client_gone => {}
                Channel::Elicitation if held.sender.modern => {
                    if held.sender.offers_form {
                        return Route::Retry;
                    }
                }
                Channel::Elicitation => {
                    if self.handshake.elicitation().is_some() {
                        return Route::Form;
                    }
                }
                Channel::Socket if self.approvers => outside.push(Channel::Socket),
                Channel::Tty if owns_the_screen(self.client_name(held)) => {}
                Channel::Socket => {}
                Channel::Tty | Channel::Program => outside.push(*channel),
            }
        }
        if outside.is_empty() { Route::Nobody } else { Route::Outside(outside) }
    }

    pub(super) fn client_name<'a>(&'a self, held: &'a Held) -> Option<&'a str> {
        held.sender.name.as_deref().or_else(|| self.handshake.name())
    }

    pub(super) fn question(&mut self, ticket: Ticket, paused: &Paused) -> Question {
        let id = self.client_request_id();
        let call = paused.call();
        let arguments = call.raw_arguments().to_owned();
        let server = self.config.server.clone();
        let mut question = Question::from_findings(id, server, call.tool(), paused.digest(), arguments, paused.findings(), &Scopes::ALL);
        question.client = self.held.get(&ticket).and_then(|held| self.client_name(held)).map(str::to_owned);
        question.directory = self.config.surroundings.root.to_string_lossy().into_owned();
        question
    }

    fn patience_for(&self, ticket: Ticket) -> Duration {
        let held = self.held.get(&ticket);
        let lively = held.is_some_and(|held| held.progress.is_some());
        let name = held.and_then(|held| self.client_name(held));
        self.config.patience.unwrap_or_else(|| patience(name, lively))
    }

    // --- 2026-07-28

    fn ask_by_retry(&mut self, ticket: Ticket, paused: Paused) {
        let question = self.question(ticket, &paused);
        let bound = self.bound(paused.call());
        let keys = question.items.iter().map(|item| item.key.text()).collect();
        let upstream = self.held.get(&ticket).and_then(|held| held.retry.as_ref()).and_then(|retry| retry.upstream.clone());
        let lifetime = self.patience_for(ticket).max(Duration::from_secs(600));
        let Some(state) = self.seal.seal(Phase::Asked(keys), upstream, &bound, self.now, lifetime) else {
            return self.refuse_paused(ticket, paused, Why::NoApprover, None);
        };
        let Some(held) = self.held.remove(&ticket) else { return };
        let params = elicit::form(&question, Version::Modern);
        let body = json!({
            "resultType": "input_required",
            "inputRequests": { OWN_INPUT: { "method": "elicitation/create", "params": params } },
            "requestState": state,
        });
        let call = paused.call();
        let verdict = self.verdict(ticket, call, paused.digest(), Verb::Ask, None, paused.findings(), &held);
        self.out.push(Action::Verdict(Box::new(verdict), Then::Reply(wire::result(&held.id, &body))));
        self.close_server_when_done();
    }

    /// Takes the answer that a retry brought. Nothing is given back where that settles the matter.
    fn answer_from_retry(&mut self, ticket: Ticket, paused: Paused) -> Option<Paused> {
        let retry = self.held.get_mut(&ticket).and_then(|held| held.retry.as_mut());
        let brought = retry.and_then(|retry| Some((retry.response.take()?, std::mem::take(&mut retry.asked), retry.since)));
        let Some((response, asked, since)) = brought else { return Some(paused) };
        let question = self.question(ticket, &paused);
        let keys: Vec<String> = question.items.iter().map(|item| item.key.text()).collect();
        // What the call touches is no longer what the answer was about.
        if keys != asked {
            return Some(paused);
        }
        let mut answer = elicit::parse(&question, &response);
        let took = self.now.saturating_sub(since);
        self.doubt_a_quick_yes(&mut answer, took);
        self.settle(ticket, paused, &question, &answer, took);
        None
    }

    // --- forms of the older revisions: one at a time, the others queue

    fn enqueue(&mut self, ticket: Ticket, paused: Paused) {
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

    fn elicit(&mut self, ticket: Ticket, paused: Paused, version: Version) {
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

    fn asked(&mut self, ticket: Ticket, paused: Paused, question: Question, elicitation: Option<Id>) {
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
    fn doubt_a_quick_yes(&self, answer: &mut Answer, took: Duration) {
        let allows = answer.decisions.values().any(|choice| *choice != Choice::Deny);
        if allows && took < self.config.soonest_answer {
            *answer = Answer::nothing(answer.channel.clone(), Ending::Unusable("it came sooner than a person can answer"));
        }
    }

    // --- channels outside of the protocol

    fn ask_outside(&mut self, ticket: Ticket, paused: Paused, channels: Vec<Channel>) {
        let question = self.question(ticket, &paused);
        let patience = self.patience_for(ticket);
        self.out.push(Action::Ask(Box::new(question.clone()), channels, patience));
        self.asked(ticket, paused, question, None);
    }

    /// Nobody can be reached: refuse at once, but leave the question open for an approver that comes later.
    fn leave_open(&mut self, ticket: Ticket, paused: Paused) {
        let why = refusal::unasked(paused.findings());
        if self.config.channels.contains(&Channel::Socket) {
            let question = self.question(ticket, &paused);
            self.out.push(Action::Ask(Box::new(question.clone()), vec![Channel::Socket], LATE));
            self.out.push(Action::Expire(question.id.clone()));
            self.keep_late(question);
        }
        self.refuse_paused(ticket, paused, why, None);
    }

    /// A channel answered.
    pub(super) fn on_answered(&mut self, id: &str, answer: &Answer) {
        let ticket = self.held.iter().find(|(_, held)| held.question_id() == Some(id)).map(|(ticket, _)| *ticket);
        let Some(ticket) = ticket else { return self.answered_late(id, answer) };
        if let Some(Stage::Asked(asked)) = self.held.get_mut(&ticket).map(Held::take_stage) {
            let Asked { paused, question, since, .. } = *asked;
            self.out.push(Action::Withdraw(question.id.clone()));
            self.settle(ticket, paused, &question, answer, self.now.saturating_sub(since));
        }
    }

    /// A channel that was thought to be there is not.
    pub(super) fn on_unreachable(&mut self, id: &str) {
        let ticket = self.held.iter().find(|(_, held)| held.question_id() == Some(id)).map(|(ticket, _)| *ticket);
        let Some(ticket) = ticket else { return };
        if let Some(Stage::Asked(asked)) = self.held.get_mut(&ticket).map(Held::take_stage) {
            self.leave_open(ticket, asked.paused);
        }
    }

    // --- answers

    fn settle(&mut self, ticket: Ticket, paused: Paused, question: &Question, answer: &Answer, took: Duration) {
        let settlement = question.settle(answer);
        let note = self.note(question, &settlement, answer, took);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.answer = Some(note);
        }
        if !settlement.is_cleared() {
            for key in &settlement.denied {
                *self.denials.entry(key.text()).or_default() += 1;
            }
            return self.refuse_paused(ticket, paused, why_denied(&settlement), settlement.reason.as_deref());
        }
        self.grant(ticket, paused.call().tool(), question, &settlement);
        // Things may have moved while the person was thinking: ask the disk again and judge anew.
        self.locate(ticket, paused.again());
        self.rejudge_queue();
    }

    fn note(&self, question: &Question, settlement: &Settlement, answer: &Answer, took: Duration) -> AnswerNote {
        let choice = |key: &Key| settlement.allowed.iter().find(|(allowed, _)| allowed == key).map_or(Choice::Deny, |(_, choice)| *choice);
        AnswerNote {
            channel: answer.channel.word(),
            peer: match &answer.channel {
                crate::gate::Channel::Socket { peer } => Some(peer.clone()),
                _ => None,
            },
            asserted_by_client: answer.asserted_by_client,
            choices: question.items.iter().map(|item| (item.key.text(), choice(&item.key).words())).collect(),
            latency: took,
        }
    }

    fn grant(&mut self, ticket: Ticket, tool: &str, question: &Question, settlement: &Settlement) {
        for (key, choice) in &settlement.allowed {
            let kinds = question.items.iter().find(|item| &item.key == key).map(|item| item.kinds.clone()).unwrap_or_default();
            for kind in kinds {
                self.grant_one(ticket, tool, kind, key, *choice);
            }
        }
    }

    fn grant_one(&mut self, ticket: Ticket, tool: &str, kind: Kind, key: &Key, choice: Choice) {
        if let Some(held) = self.held.get_mut(&ticket) {
            held.allowed.push(Allowed::of(kind, key));
            match choice {
                Choice::NotAPath => held.once.dismiss(kind, key.clone()),
                _ => held.once.allow(kind, key.clone()),
            }
        }
        if !matches!(choice, Choice::Session | Choice::Always) {
            return;
        }
        if kind == Kind::Definition {
            return self.catalogue.accept(tool);
        }
        self.grants.allow(kind, key.clone());
        if choice == Choice::Always {
            let definition = self.catalogue.tool(tool).map(super::catalogue::Listed::digest).unwrap_or_default();
            let (server, tool, key) = (self.config.server.clone(), tool.to_owned(), key.clone());
            self.out.push(Action::Keep(Box::new(Kept { server, tool, definition, kind, key })));
        }
    }

    /// A session answer may settle what still waits for its turn.
    pub(super) fn rejudge_queue(&mut self) {
        for ticket in std::mem::take(&mut self.queue) {
            if let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                if let Some(held) = self.held.get_mut(&ticket) {
                    held.rounds = held.rounds.saturating_sub(1);
                }
                self.locate(ticket, paused.again());
            }
        }
    }

    fn is_silenced(&self, key: &Key) -> bool {
        self.denials.get(&key.text()).is_some_and(|count| *count >= MOST_DENIALS)
    }

    // --- late answers

    pub(super) fn keep_late(&mut self, question: Question) {
        let until = self.now + LATE;
        self.late.insert(question.id.clone(), Late { question, until, allowed: None });
    }

    fn answered_late(&mut self, id: &str, answer: &Answer) {
        let Some(late) = self.late.get(id) else { return };
        let question = late.question.clone();
        let settlement = question.settle(answer);
        self.out.push(Action::Withdraw(id.to_owned()));
        if !settlement.is_cleared() {
            self.late.remove(id);
            return;
        }
        let mut allowed = Grants::default();
        for (key, _) in &settlement.allowed {
            for kind in question.items.iter().filter(|item| &item.key == key).flat_map(|item| item.kinds.iter()) {
                allowed.allow(*kind, key.clone());
            }
        }
        if let Some(late) = self.late.get_mut(id) {
            (late.allowed, late.until) = (Some(allowed), self.now + LATE);
        }
    }

    /// A late yes is good for one call of the same server, tool and arguments.
    fn answer_from_late(&mut self, ticket: Ticket, paused: Paused) -> Option<Paused> {
        let fits =
            |late: &Late| late.allowed.is_some() && late.question.digest == paused.digest() && late.question.tool == paused.call().tool();
        let Some(id) = self.late.iter().find(|(_, late)| fits(late)).map(|(id, _)| id.clone()) else { return Some(paused) };
        let allowed = self.late.remove(&id).and_then(|late| late.allowed);
        let (Some(allowed), Some(held)) = (allowed, self.held.get_mut(&ticket)) else { return Some(paused) };
        held.once.extend(&allowed);
        self.locate(ticket, paused.again());
        None
    }

    /// Takes a question off every screen.
    pub(super) fn withdraw(&mut self, ticket: Ticket) {
        self.queue.retain(|queued| *queued != ticket);
        let Some(held) = self.held.get(&ticket) else { return };
        let (Some(question), elicitation) = (held.question_id().map(str::to_owned), held.elicitation().cloned()) else { return };
        if elicitation.is_some() {
            self.eliciting = None;
            let params = json!({ "requestId": question, "reason": "the question is void" });
            self.out.push(Action::ToClient(wire::notification("notifications/cancelled", &params)));
        }
        self.out.push(Action::Withdraw(question));
    }
}

impl Held {
    /// The id of the open question, if there is one.
    pub(super) fn question_id(&self) -> Option<&str> {
        match &self.stage {
            Stage::Asked(asked) => Some(&asked.question.id),
            _ => None,
        }
    }

    /// The id of the open elicitation, if that is the channel.
    pub(super) fn elicitation(&self) -> Option<&Id> {
        match &self.stage {
            Stage::Asked(asked) => asked.elicitation.as_ref(),
            _ => None,
        }
    }

    /// Whether only an answer can move it on.
    pub(super) fn waits_for_a_person(&self) -> bool {
        matches!(self.stage, Stage::Asked(_) | Stage::Queued(_))
    }
}

fn why_denied(settlement: &Settlement) -> Why {
    match settlement.ending {
        Ending::Dismissed => Why::Dismissed,
        Ending::Unusable(_) => Why::BadAnswer,
        Ending::Decided | Ending::Declined => Why::DeniedByUser,
    }
}
