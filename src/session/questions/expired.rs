//! Answers that come after their calls were refused: a late yes is good for one repeat of the same call.
use std::time::Duration;

use crate::gate::{Answer, AskedCall, Grants, Question, Settlement};
use crate::session::approval::ApprovalRequest;
use crate::session::event::Output;
use crate::session::step::Outcome;
use crate::session::turn::Turn;

use super::{Questions, settle};

/// How long a question that nobody answered in time can still be answered for the next try.
pub(super) const LATE: Duration = Duration::from_secs(15 * 60);

/// A question whose calls are over but which may still be answered.
#[derive(Debug)]
pub(super) struct ExpiredQuestion {
    question: Question,
    pub until: Duration,
    calls: Vec<LateCall>,
}

/// What is left of one call of such a question.
#[derive(Debug)]
pub(super) enum LateCall {
    /// It may still be answered.
    Open,
    /// It was taken back, denied, or repeated.
    Void,
    /// One repeat is allowed.
    Allowed(Grants),
}

impl Questions {
    /// Keeps `question` for a late answer about its calls, each of which is `Open` or `Void`.
    pub(super) fn keep_expired(&mut self, turn: &Turn, question: Question, calls: Vec<LateCall>) {
        let until = turn.now + LATE;
        self.expired.insert(question.id.clone(), ExpiredQuestion { question, until, calls });
    }

    pub(super) fn answered_too_late(&mut self, turn: &mut Turn, id: &str, answer: &Answer) {
        let Some(expired) = self.expired.get_mut(id) else { return };
        for (place, call) in expired.calls.iter_mut().enumerate().filter(|(_, call)| matches!(call, LateCall::Open)) {
            let settlement = expired.question.settle_call(place, answer);
            *call = if settlement.is_cleared() { LateCall::Allowed(granted(&expired.question, &settlement)) } else { LateCall::Void };
        }
        expired.until = turn.now + LATE;
        self.drop_void(id);
        turn.output(Output::Withdraw(id.to_owned(), "it is answered"));
    }

    /// A late yes is good for one call of the same server, tool, arguments and scripts. Gives the request back if there is none.
    pub(super) fn answered_late(&mut self, turn: &mut Turn, request: ApprovalRequest) -> Option<ApprovalRequest> {
        let place = |expired: &ExpiredQuestion| expired.place_of(&request.question);
        let Some((id, place)) = self.expired.iter().find_map(|(id, expired)| Some((id.clone(), place(expired)?))) else {
            return Some(request);
        };
        let call = self.expired.get_mut(&id).and_then(|expired| expired.calls.get_mut(place));
        let used = call.map(|call| std::mem::replace(call, LateCall::Void));
        self.drop_void(&id);
        let Some(LateCall::Allowed(allowed)) = used else { return Some(request) };
        settle(turn, request.about.call, Outcome::AllowedLate(allowed));
        None
    }

    fn drop_void(&mut self, id: &str) {
        if self.expired.get(id).is_some_and(|expired| expired.calls.iter().all(|call| matches!(call, LateCall::Void))) {
            self.expired.remove(id);
        }
    }
}

impl ExpiredQuestion {
    /// The place of the call that `asked` is about, if it was asked about here, with the script files that it runs now, and allowed.
    fn place_of(&self, asked: &Question) -> Option<usize> {
        let asked = asked.calls.first()?;
        let same = |call: &AskedCall| (&call.digest, &call.tool, &call.scripts) == (&asked.digest, &asked.tool, &asked.scripts);
        let allowed = self.calls.iter().map(|call| matches!(call, LateCall::Allowed(_)));
        self.question.calls.iter().map(same).zip(allowed).position(|(same, allowed)| same && allowed)
    }
}

fn granted(question: &Question, settlement: &Settlement) -> Grants {
    let mut allowed = Grants::default();
    for (key, _) in &settlement.allowed {
        question.kinds_of(key).for_each(|kind| allowed.allow(kind, key.clone()));
    }
    allowed
}
