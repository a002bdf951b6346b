//! Answers that come after their calls were refused: a late yes is good for one repeat of the same call.
use std::time::Duration;

use crate::gate::{Answer, Question};
use crate::session::event::Output;
use crate::session::store_request::{Repeat, StoreRequest};
use crate::session::turn::Turn;

use super::Questions;

/// How long a question that nobody answered in time can still be answered for the next try, and how long such an answer holds.
pub(super) const LATE: Duration = Duration::from_secs(15 * 60);

/// A question whose calls are over but which may still be answered.
#[derive(Debug)]
pub(super) struct ExpiredQuestion {
    question: Question,
    pub until: Duration,
    /// For each of its calls, whether it waited for the answer to the end.
    waited: Vec<bool>,
}

impl Questions {
    /// Keeps `question` for a late answer about those of its calls that waited for one to the end.
    pub(super) fn keep_expired(&mut self, turn: &Turn, question: Question, waited: Vec<bool>) {
        let until = turn.now + LATE;
        self.expired.insert(question.id.clone(), ExpiredQuestion { question, until, waited });
    }

    /// A late answer runs nothing by itself; what it allows is remembered for a repeat.
    pub(super) fn answered_too_late(&mut self, turn: &mut Turn, id: &str, answer: &Answer) {
        let Some(ExpiredQuestion { question, waited, .. }) = self.expired.remove(id) else { return };
        let places = waited.iter().enumerate().filter(|(_, waited)| **waited).map(|(place, _)| place);
        for (place, asked) in places.filter_map(|place| Some((place, question.calls.get(place)?))) {
            let settlement = question.settle_call(place, answer);
            if settlement.is_cleared() {
                let (of, grants) = (Repeat::of(&question.server, asked), question.granted_once(&settlement));
                turn.output(Output::Store(StoreRequest::AllowRepeat { of, grants, lifetime: LATE }));
            }
        }
        turn.output(Output::Withdraw(id.to_owned(), "it is answered"));
    }
}
