//! Answers that come after their calls were refused: a late yes is good for one repeat of the same call.
use std::time::Duration;

use crate::gate::{Answer, AskedCall, Grants, NeedsApproval, Question, Settlement};

use super::event::{Output, Ticket};
use super::machine::Session;

/// How long a question that nobody answered in time can still be answered for the next try.
pub(super) const LATE: Duration = Duration::from_secs(15 * 60);

/// A question whose calls are over but which may still be answered.
#[derive(Debug)]
pub(super) struct Late {
    pub question: Question,
    pub until: Duration,
    pub calls: Vec<LateCall>,
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

impl Session {
    /// Keeps `question` for a late answer about its calls, each of which is `Open` or `Void`.
    pub(super) fn keep_late(&mut self, question: Question, calls: Vec<LateCall>) {
        let until = self.now + LATE;
        self.late.insert(question.id.clone(), Late { question, until, calls });
    }

    pub(super) fn answered_late(&mut self, id: &str, answer: &Answer) {
        let Some(late) = self.late.get_mut(id) else { return };
        for (place, call) in late.calls.iter_mut().enumerate().filter(|(_, call)| matches!(call, LateCall::Open)) {
            let settlement = late.question.settle_call(place, answer);
            *call = if settlement.is_cleared() { LateCall::Allowed(granted(&late.question, &settlement)) } else { LateCall::Void };
        }
        late.until = self.now + LATE;
        self.drop_void(id);
        self.out.push(Output::Withdraw(id.to_owned(), "it is answered"));
    }

    /// A late yes is good for one call of the same server, tool, arguments and scripts.
    pub(super) fn answer_from_late(&mut self, ticket: Ticket, mut paused: NeedsApproval) -> Option<NeedsApproval> {
        let place = |late: &Late| late.place_of(&paused);
        let Some((id, place)) = self.late.iter().find_map(|(id, late)| Some((id.clone(), place(late)?))) else { return Some(paused) };
        let call = self.late.get_mut(&id).and_then(|late| late.calls.get_mut(place));
        let used = call.map(|call| std::mem::replace(call, LateCall::Void));
        self.drop_void(&id);
        let Some(LateCall::Allowed(allowed)) = used else { return Some(paused) };
        paused.allow_all(&allowed);
        self.judge_again(ticket, paused);
        None
    }

    fn drop_void(&mut self, id: &str) {
        if self.late.get(id).is_some_and(|late| late.calls.iter().all(|call| matches!(call, LateCall::Void))) {
            self.late.remove(id);
        }
    }
}

impl Late {
    fn place_of(&self, paused: &NeedsApproval) -> Option<usize> {
        let same = self.question.calls.iter().map(|call| call.is_of(paused));
        let allowed = self.calls.iter().map(|call| matches!(call, LateCall::Allowed(_)));
        same.zip(allowed).position(|(same, allowed)| same && allowed)
    }
}

impl AskedCall {
    /// Whether it was asked about this call, with the script files that it runs now.
    fn is_of(&self, paused: &NeedsApproval) -> bool {
        self.digest == paused.digest() && self.tool == paused.call().tool() && self.scripts.as_deref() == paused.scripts()
    }
}

fn granted(question: &Question, settlement: &Settlement) -> Grants {
    let mut allowed = Grants::default();
    for (key, _) in &settlement.allowed {
        question.kinds_of(key).for_each(|kind| allowed.allow(kind, key.clone()));
    }
    allowed
}
