//! Calls that are under way through the gate: each stands at a stage, and whatever happens to it moves it on to the next.
mod advance;
mod asking;
mod judging;
mod life;
mod order;
mod pending;
mod verdict;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::wire::Id;

use super::ids::{CallId, UpstreamId};
use super::step::{Happened, Step};
use super::turn::Turn;
use pending::{PendingCall, Stage};

/// Calls held at once; past this a flood of questions is a fault or an attack.
const MOST_PENDING: usize = 4096;

/// All calls that have come in and are neither sent nor refused.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pending: BTreeMap<CallId, PendingCall>,
    /// The same by the client's ids.
    by_id: HashMap<Id, CallId>,
}

impl Calls {
    /// Whether so many are under way that no other is taken.
    pub fn are_too_many(&self) -> bool {
        self.pending.len() >= MOST_PENDING
    }

    /// Whether none is under way.
    pub fn are_done(&self) -> bool {
        self.pending.is_empty()
    }

    /// The call of this id of the client's.
    pub fn of(&self, id: &Id) -> Option<CallId> {
        self.by_id.get(id).copied()
    }

    fn insert(&mut self, id: CallId, call: PendingCall) {
        self.by_id.insert(call.id.clone(), id);
        self.pending.insert(id, call);
    }

    fn remove(&mut self, id: CallId) -> Option<PendingCall> {
        let call = self.pending.remove(&id)?;
        self.by_id.remove(&call.id);
        Some(call)
    }

    /// The calls that only an answer can move on.
    pub fn waiting_for_a_person(&self) -> Vec<CallId> {
        self.those(|call| matches!(call.stage, Stage::Asking(_)))
    }

    /// The calls to this server.
    pub fn to(&self, upstream: UpstreamId) -> Vec<CallId> {
        self.those(|call| call.upstream == upstream)
    }

    /// Whether the gate itself is still finding out about one of them.
    pub fn are_looked_up(&self) -> bool {
        self.pending.values().any(PendingCall::is_looked_up)
    }

    /// Whether one has been at its stage for too long.
    pub fn are_overdue(&self, now: Duration) -> bool {
        self.pending.values().any(|call| call.stage_until <= now)
    }

    /// The tools of a server are listed, or will not be: the calls that waited for it go on.
    pub fn listed(&self, turn: &mut Turn, upstream: UpstreamId) {
        let waiting = self.those(|call| call.upstream == upstream && matches!(call.stage, Stage::Listing(_)));
        waiting.into_iter().for_each(|call| turn.then(Step::Happened(call, Happened::Listed)));
    }

    /// Ends the stages that take too long.
    pub fn tick(&self, turn: &mut Turn) {
        let now = turn.now;
        for (id, call) in self.pending.iter().filter(|(_, call)| call.stage_until <= now) {
            let step = match &call.stage {
                Stage::Listing(_) => Step::ListingOverdue(call.upstream),
                Stage::Reading(_) => Step::Happened(*id, Happened::Read(None)),
                Stage::Locating(_) => Step::Happened(*id, Happened::Located(None)),
                Stage::Opening(_) => Step::Happened(*id, Happened::Opened(None)),
                Stage::Asking(_) | Stage::Waiting(_) | Stage::Moving => continue,
            };
            turn.then(step);
        }
    }

    fn those(&self, are: impl Fn(&PendingCall) -> bool) -> Vec<CallId> {
        self.pending.iter().filter(|(_, call)| are(call)).map(|(id, _)| *id).collect()
    }
}
