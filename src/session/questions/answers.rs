//! What an answer does: to the calls that it is about, to what is granted, and to what still waits for its turn.
use std::collections::HashSet;
use std::time::Duration;

use crate::gate::{Answer, AnswerNote, Channel, Choice, Ending, Grant, Key, Kind, Question, RefusalReason, Scope, Settlement, ToolVersion};
use crate::session::approval::About;
use crate::session::event::Output;
use crate::session::step::{Outcome, Step};
use crate::session::store_request::StoreRequest;
use crate::session::turn::Turn;

use super::{Questions, settle};

impl Questions {
    /// Settles the call at this place of a question.
    pub(super) fn settle_call(
        &self,
        turn: &mut Turn,
        about: &About,
        (question, place): (&Question, usize),
        answer: &Answer,
        took: Duration,
    ) {
        let settlement = question.settle_call(place, answer);
        let note = note(&settlement, answer, took);
        if !settlement.is_cleared() {
            let why = why_denied(&settlement);
            return settle(turn, about.call, Outcome::Refused(why, settlement.reason, Some(note)));
        }
        let tool = question.calls.get(place).map_or("", |asked| asked.tool.as_str());
        for (key, choice) in &settlement.allowed {
            grant(turn, about, (&question.server, tool), question.kinds_of(key).collect(), key, *choice);
        }
        settle(turn, about.call, Outcome::Allowed(question.granted_once(&settlement), note));
    }

    /// An answer may settle what still waits for its turn.
    pub fn settle_queue(&mut self, turn: &mut Turn) {
        self.queue.drain(..).for_each(|queued| settle(turn, queued.request.about.call, Outcome::Again));
    }

    /// One word of a person counts once, however many calls it refuses.
    pub(super) fn count_denials(&mut self, turn: &mut Turn, question: &Question, answer: &Answer) {
        let denied = question.settle(answer).denied;
        let refused = question.items.iter().filter(|item| denied.contains(&item.key)).flat_map(|item| item.kinds.iter().copied());
        for kind in refused.collect::<HashSet<_>>() {
            self.rate.refused(kind, turn.now);
        }
        // Silence and noise are no denial: a client may close a form that nobody has seen.
        if matches!(answer.ending, Ending::Decided | Ending::Declined) {
            denied.into_iter().for_each(|key| {
                self.denials.add(&key);
                turn.output(Output::Store(StoreRequest::Deny(key)));
            });
        }
    }
}

/// A yes sooner than a person can read was given by a machine; a no is believed at any time.
pub(super) fn doubted_if_quick(turn: &Turn, answer: Answer, took: Duration) -> Answer {
    let allows = answer.decisions.values().any(|choice| *choice != Choice::Deny);
    if allows && took < turn.config.soonest_answer {
        return Answer::nothing(answer.channel, Ending::Unusable("it came sooner than a person can answer"));
    }
    answer
}

/// Does what an answer says beyond the call that it is about. What is kept for good is kept for this tool alone: nothing broader than the
/// rule that was shown.
fn grant(turn: &mut Turn, about: &About, (server, tool): (&str, &str), mut kinds: Vec<Kind>, key: &Key, choice: Choice) {
    let scope = match choice {
        Choice::Deny | Choice::Once | Choice::NotAPath => return,
        Choice::Session => Some(Scope::Session),
        Choice::Always => about.definition.clone().map(|definition| {
            let (server, tool) = (server.to_owned(), tool.to_owned());
            Scope::Always(ToolVersion { server, tool, definition })
        }),
    };
    if kinds.contains(&Kind::Definition) {
        turn.then(Step::Accept(about.upstream, tool.to_owned()));
        kinds.retain(|kind| *kind != Kind::Definition);
    }
    if let Some(scope) = scope.filter(|_| !kinds.is_empty()) {
        turn.grant(Grant::new(key.clone(), kinds, scope));
    }
}

fn note(settlement: &Settlement, answer: &Answer, took: Duration) -> AnswerNote {
    let denied = settlement.denied.iter().map(|key| (key.clone(), Choice::Deny));
    AnswerNote {
        channel: answer.channel.word(),
        peer: match &answer.channel {
            Channel::Socket { peer } => Some(peer.clone()),
            _ => None,
        },
        asserted_by_client: answer.asserted_by_client,
        choices: settlement.allowed.iter().cloned().chain(denied).collect(),
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
