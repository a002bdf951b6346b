//! What waits for the store's word: a state that may be used once, and a late yes that is good for one repeat.
use std::time::Duration;

use crate::gate::GrantStore;
use crate::session::approval::ApprovalRequest;
use crate::session::event::Output;
use crate::session::ids::CallId;
use crate::session::retry::Retry;
use crate::session::step::{Happened, Outcome, Step};
use crate::session::store_request::{Repeat, StoreRequest};
use crate::session::turn::Turn;

use super::{Questions, settle};

/// How long the store may take. After that a state counts as used, and a late yes as not given.
const STORING: Duration = Duration::from_secs(10);

/// What is claimed for one call.
#[derive(Debug)]
pub(super) struct Claim {
    what: Claimed,
    pub until: Duration,
}

#[derive(Debug)]
enum Claimed {
    /// What a sealed state held.
    State(Box<Retry>),
    /// A call that is asked about unless a person allowed its repeat.
    Repeat(Box<ApprovalRequest>),
}

impl Questions {
    /// Uses the mark of a sealed state up.
    pub(super) fn claim_state(&mut self, turn: &mut Turn, call: CallId, mark: String, lifetime: Duration, retry: Retry) {
        turn.output(Output::Store(StoreRequest::Use(call, mark, lifetime)));
        self.claims.insert(call, Claim { what: Claimed::State(Box::new(retry)), until: turn.now + STORING });
    }

    /// The store says whether the mark had not been used before.
    pub fn used(&mut self, turn: &mut Turn, call: CallId, first: bool) {
        let Some(Claim { what: Claimed::State(retry), .. }) = self.claims.remove(&call) else { return };
        match retry.parked.filter(|_| first) {
            Some(parked) => turn.then(Step::Resume(parked, call, retry.answer)),
            None => turn.then(Step::Happened(call, Happened::Opened(first.then_some(retry)))),
        }
    }

    /// A late yes is good for one call of the same server, tool, arguments and scripts: asks the store for one.
    pub(super) fn claim_repeat(&mut self, turn: &mut Turn, request: ApprovalRequest) {
        let Some(asked) = request.question.calls.first() else { return };
        let of = Repeat::of(&request.question.server, asked);
        let call = request.about.call;
        turn.output(Output::Store(StoreRequest::TakeRepeat(call, of)));
        self.claims.insert(call, Claim { what: Claimed::Repeat(Box::new(request)), until: turn.now + STORING });
    }

    /// The store says what was allowed for the repeat of a call, if anything was.
    pub fn repeat(&mut self, turn: &mut Turn, call: CallId, allowed: Option<GrantStore>) {
        let Some(Claim { what: Claimed::Repeat(request), .. }) = self.claims.remove(&call) else { return };
        match allowed {
            Some(allowed) => settle(turn, call, Outcome::AllowedLate(allowed)),
            None => self.ask_anew(turn, *request),
        }
    }

    /// Whether a person is asked about a call, or will be: the store has nothing that settles it.
    pub fn are_about(&self, call: CallId) -> bool {
        !self.claims.contains_key(&call)
    }

    /// Goes on without the store where it takes too long.
    pub(super) fn give_up_claims(&mut self, turn: &mut Turn) {
        let overdue: Vec<CallId> = self.claims.iter().filter(|(_, claim)| claim.until <= turn.now).map(|(call, _)| *call).collect();
        for call in overdue {
            match self.claims.get(&call).map(|claim| &claim.what) {
                Some(Claimed::State(_)) => self.used(turn, call, false),
                Some(Claimed::Repeat(_)) | None => self.repeat(turn, call, None),
            }
        }
    }
}
