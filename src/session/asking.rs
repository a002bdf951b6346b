//! Asking a person: whether and by which channel, and what an answer does to one call.
use std::collections::HashSet;
use std::time::Duration;

use crate::gate::{Answer, Choice, Ending, Key, Kind, NeedsApproval, Question, Scopes, Settlement, known_to_destroy, quoted};
use crate::policy::{Channel, Require, clients};
use crate::wire::Call;

use super::event::{AnswerNote, Kept, Output, Ticket};
use super::held::{Held, Stage};
use super::machine::Session;
use super::plan::Plan;
use super::refusal::RefusalReason;

/// The name of our own entry in `inputRequests` and `inputResponses`.
pub(super) const OWN_INPUT: &str = "callgate";
/// A call whose findings keep moving while it is asked about is given up after this many questions.
const MOST_ROUNDS: u8 = 3;
/// After this many denials the same key is no longer asked about (`lessons.md` 15, `clients.md` 3.5 rule 8).
const MOST_DENIALS: u8 = 3;

/// How a question reaches a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
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
    pub(super) fn ask(&mut self, ticket: Ticket, paused: NeedsApproval) {
        let Some(paused) = self.answer_from_retry(ticket, paused) else { return };
        let Some(paused) = self.answer_from_late(ticket, paused) else { return };
        if paused.findings().iter().any(|finding| self.is_silenced(&finding.key)) {
            return self.refuse_paused(ticket, paused, RefusalReason::Silenced, None);
        }
        let rounds = self.held.get_mut(&ticket).map_or(u8::MAX, |held| {
            held.rounds += 1;
            held.rounds
        });
        if rounds > MOST_ROUNDS {
            return self.refuse_paused(
                ticket,
                paused,
                RefusalReason::TimedOut,
                Some("what the call touches kept changing while it was asked about"),
            );
        }
        match self.route(ticket) {
            Route::Retry => self.ask_by_retry(ticket, paused),
            route @ (Route::Form | Route::Outside(_)) => self.enqueue(ticket, paused, &route),
            Route::Nobody => {
                let id = self.client_request_id();
                let question = self.question(id, ticket, &paused);
                self.leave_open(Plan::of(question, ticket, paused));
            }
        }
    }

    pub(super) fn route(&self, ticket: Ticket) -> Route {
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
                Channel::Tty if clients::owns_the_screen(self.client_name(held)) => {}
                Channel::Socket => {}
                Channel::Tty | Channel::Program => outside.push(*channel),
            }
        }
        if outside.is_empty() { Route::Nobody } else { Route::Outside(outside) }
    }

    pub(super) fn client_name<'a>(&'a self, held: &'a Held) -> Option<&'a str> {
        held.sender.name.as_deref().or_else(|| self.handshake.name())
    }

    pub(super) fn question(&self, id: String, ticket: Ticket, paused: &NeedsApproval) -> Question {
        let call = paused.call();
        let arguments = call.raw_arguments().to_owned();
        let server = self.config.server.clone();
        // A grant for good hangs on the tool's definition, so what has none cannot be kept.
        let scopes = Scopes { session: true, always: self.catalogue.tool(call.tool()).is_some() };
        let mut question = Question::from_findings(id, server, call.tool(), paused.digest(), arguments, paused.findings(), &scopes);
        question.client = self.held.get(&ticket).and_then(|held| self.client_name(held)).map(str::to_owned);
        question.directory = self.config.surroundings.root.to_string_lossy().into_owned();
        let destructive = self.is_destructive(call);
        for asked in &mut question.calls {
            asked.destructive = destructive;
            asked.scripts = paused.scripts().map(str::to_owned);
        }
        if paused.findings().iter().any(|finding| finding.kind == Kind::Definition) {
            question.notes = self.changes_of(call.tool());
        }
        question
    }

    /// A definition that no longer says that the tool destroys does not lower the care before it is accepted.
    fn is_destructive(&self, call: &Call) -> bool {
        let known = [self.catalogue.tool(call.tool()), self.catalogue.accepted(call.tool())];
        let settings = self.config.policy.tool_for(&self.config.server, call.tool(), call.arguments());
        let trusted = self.config.policy.trusts_annotations(&self.config.server);
        let is_tool = call.method() == "tools/call";
        known.iter().any(|tool| known_to_destroy(&settings, tool.filter(|_| is_tool).map(|tool| &tool.hints), trusted))
    }

    /// What changed in the tool's definition, as remarks for a person.
    fn changes_of(&self, tool: &str) -> Vec<String> {
        let pin_status = self.catalogue.pin_status(tool);
        let lines = pin_status.changed_lines();
        let heading = (!lines.is_empty()).then(|| format!("what changed in the definition of {}:", quoted(tool)));
        heading.into_iter().chain(lines.iter().cloned()).collect()
    }

    pub(super) fn timeout_for(&self, ticket: Ticket) -> Duration {
        let held = self.held.get(&ticket);
        let lively = held.is_some_and(|held| held.progress.is_some());
        let name = held.and_then(|held| self.client_name(held));
        self.config.timeout.unwrap_or_else(|| clients::question_time(name, lively))
    }

    // --- answers

    /// Settles the call at this place of a question.
    pub(super) fn settle(
        &mut self,
        ticket: Ticket,
        mut paused: NeedsApproval,
        (question, place): (&Question, usize),
        answer: &Answer,
        took: Duration,
    ) {
        let settlement = question.settle_call(place, answer);
        let note = note(&settlement, answer, took);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.answer = Some(note);
        }
        if !settlement.is_cleared() {
            return self.refuse_paused(ticket, paused, why_denied(&settlement), settlement.reason.as_deref());
        }
        self.grant(&mut paused, question, &settlement);
        // Things may have moved while the person was thinking: ask the disk again and judge anew.
        self.judge_again(ticket, paused);
    }

    /// Has the judge go the way again.
    pub(super) fn judge_again(&mut self, ticket: Ticket, paused: NeedsApproval) {
        let known = self.known(paused.call());
        let step = self.with_facts(&known, |facts| paused.again(facts));
        self.follow(ticket, step);
    }

    /// One word of a person counts once, however many calls it refuses.
    pub(super) fn count_denials(&mut self, question: &Question, answer: &Answer) {
        let denied = question.settle(answer).denied;
        let refused = question.items.iter().filter(|item| denied.contains(&item.key)).flat_map(|item| item.kinds.iter().copied());
        for kind in refused.collect::<HashSet<_>>() {
            self.pace.refused(kind, self.now);
        }
        // Silence and noise are no denial (`clients.md` 4.1, row 20).
        let is_denial = matches!(answer.ending, Ending::Decided | Ending::Declined);
        for key in denied.into_iter().filter(|_| is_denial) {
            *self.denials.entry(key).or_default() += 1;
        }
    }

    fn grant(&mut self, paused: &mut NeedsApproval, question: &Question, settlement: &Settlement) {
        for (key, choice) in &settlement.allowed {
            for kind in question.kinds_of(key) {
                self.grant_one(paused, kind, key, *choice);
            }
        }
    }

    fn grant_one(&mut self, paused: &mut NeedsApproval, kind: Kind, key: &Key, choice: Choice) {
        match choice {
            Choice::NotAPath => paused.dismiss(kind, key.clone()),
            _ => paused.allow(kind, key.clone()),
        }
        let tool = paused.call().tool();
        match choice {
            Choice::Deny | Choice::Once | Choice::NotAPath => {}
            Choice::Session | Choice::Always if kind == Kind::Definition => self.catalogue.accept(tool),
            Choice::Session => self.grants.allow(kind, key.clone()),
            Choice::Always => self.keep(tool, kind, key),
        }
    }

    /// Keeps a grant for this and later sessions, for this tool alone: nothing broader than the rule that was shown.
    fn keep(&mut self, tool: &str, kind: Kind, key: &Key) {
        let Some(definition) = self.catalogue.tool(tool).map(crate::analyse::Definition::digest) else { return };
        let (server, tool, key) = (self.config.server.clone(), tool.to_owned(), key.clone());
        let kept = Kept { server, tool, definition, kind, key };
        self.config.kept.push(kept.clone());
        self.out.push(Output::Keep(Box::new(kept)));
    }

    /// A session answer may settle what still waits for its turn.
    pub(super) fn rejudge_queue(&mut self) {
        for ticket in std::mem::take(&mut self.queue) {
            if let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                if let Some(held) = self.held.get_mut(&ticket) {
                    held.rounds = held.rounds.saturating_sub(1);
                }
                self.judge_again(ticket, *paused);
            }
        }
    }

    fn is_silenced(&self, key: &Key) -> bool {
        self.denials.get(key).is_some_and(|count| *count >= MOST_DENIALS)
    }
}

fn note(settlement: &Settlement, answer: &Answer, took: Duration) -> AnswerNote {
    let allowed = settlement.allowed.iter().map(|(key, choice)| (key.text(), choice.words()));
    let denied = settlement.denied.iter().map(|key| (key.text(), Choice::Deny.words()));
    AnswerNote {
        channel: answer.channel.word(),
        peer: match &answer.channel {
            crate::gate::Channel::Socket { peer } => Some(peer.clone()),
            _ => None,
        },
        asserted_by_client: answer.asserted_by_client,
        choices: allowed.chain(denied).collect(),
        latency: took,
    }
}

fn why_denied(settlement: &Settlement) -> RefusalReason {
    match settlement.ending {
        Ending::Dismissed => RefusalReason::Dismissed,
        Ending::Unusable(_) => RefusalReason::BadAnswer,
        Ending::Decided | Ending::Declined => RefusalReason::DeniedByUser,
    }
}
