//! Answers that come after their call was refused: a late yes is good for one repeat of the same call.
use std::time::Duration;

use crate::gate::{Answer, Grants, Paused, Question};

use super::event::{Action, Ticket};
use super::machine::{Late, Session};

/// How long a question that nobody answered in time can still be answered for the next try.
pub(super) const LATE: Duration = Duration::from_secs(15 * 60);

impl Session {
    pub(super) fn keep_late(&mut self, question: Question) {
        let until = self.now + LATE;
        self.late.insert(question.id.clone(), Late { question, until, allowed: None });
    }

    pub(super) fn answered_late(&mut self, id: &str, answer: &Answer) {
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
    pub(super) fn answer_from_late(&mut self, ticket: Ticket, paused: Paused) -> Option<Paused> {
        let fits =
            |late: &Late| late.allowed.is_some() && late.question.digest == paused.digest() && late.question.tool == paused.call().tool();
        let Some(id) = self.late.iter().find(|(_, late)| fits(late)).map(|(id, _)| id.clone()) else { return Some(paused) };
        let allowed = self.late.remove(&id).and_then(|late| late.allowed);
        let (Some(allowed), Some(held)) = (allowed, self.held.get_mut(&ticket)) else { return Some(paused) };
        held.once.extend(&allowed);
        self.locate(ticket, paused.again());
        None
    }
}
