//! The story of one call: received → (state opened) → (tools listed) → (scripts read) → located → judged → (asked → settled → located
//! again) → recorded → sent or refused.
use std::time::Duration;

use crate::gate::{Decision, RefusalReason, Step as Judged};
use crate::session::event::Output;
use crate::session::ids::{CallId, UpstreamId};
use crate::session::sender::Sender;
use crate::session::servers::Servers;
use crate::session::step::{Happened, Step};
use crate::session::turn::Turn;
use crate::wire::Call;

use super::Calls;
use super::judging::Progress;
use super::pending::{PendingCall, Stage};

/// How long a server may take to list its tools when the gate itself asks.
const LISTING: Duration = Duration::from_secs(60);
/// How long the disk may take; a dead mount must not hold the call for ever.
const LOCATING: Duration = Duration::from_secs(10);
/// How long it may take to find out whether a state was used before.
const OPENING: Duration = Duration::from_secs(10);

impl Calls {
    /// A request that the gate judges has come in.
    pub fn receive(&mut self, turn: &mut Turn, servers: &impl Servers, to: UpstreamId, call: Call, sender: Sender) {
        let id = turn.ids.call();
        self.insert(id, PendingCall::new(&call, sender, to, turn.now));
        self.advance(turn, servers, id, Happened::Received(call));
    }

    /// Moves a call on by what happened to it. What does not belong to its stage comes too late, and changes nothing.
    pub fn advance(&mut self, turn: &mut Turn, servers: &impl Servers, id: CallId, happened: Happened) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        let progress = match (pending.take_stage(), happened) {
            (Stage::Moving, Happened::Received(call)) => pending.begin(turn, servers, call),
            (Stage::Opening(call), Happened::Opened(Some(retry))) => pending.resume(turn, servers, *call, *retry),
            (Stage::Opening(call), Happened::Opened(None)) => Progress::Invalid(*call),
            (Stage::Listing(judge), Happened::Listed) => pending.listed(turn, servers, *judge),
            (Stage::Reading(judge), Happened::Read(scripts)) => pending.read(turn, servers, *judge, scripts),
            (Stage::Locating(judge), Happened::Located(located)) => pending.located(turn, servers, *judge, located),
            (Stage::Asking(approval), Happened::Settled(outcome)) => pending.settle(turn, servers, *approval, *outcome),
            (Stage::Waiting(cleared), Happened::Freed) => pending.freed(turn, servers, *cleared),
            (stage, _) => return pending.stage = stage,
        };
        match progress {
            Progress::Open(call, sealed) => {
                turn.then(Step::Open(id, sealed));
                pending.wait(Stage::Opening(Box::new(call)), turn.now + OPENING);
            }
            Progress::List(judge) => {
                turn.then(Step::List(pending.upstream, Sender::own_meta(judge.call())));
                pending.wait(Stage::Listing(Box::new(judge)), turn.now + LISTING);
            }
            Progress::Judged(Judged::ReadScripts(judge)) => {
                turn.output(Output::Read(id, judge.wanted().to_vec()));
                pending.wait(Stage::Reading(Box::new(judge)), turn.now + LOCATING);
            }
            Progress::Judged(Judged::Locate(judge)) => {
                turn.output(Output::Locate(id, judge.wanted()));
                pending.wait(Stage::Locating(Box::new(judge)), turn.now + LOCATING);
            }
            Progress::Judged(Judged::Decided(Decision::Ask(approval))) => {
                turn.then(Step::Ask(Box::new(pending.approval_request(turn, servers, id, &approval))));
                pending.wait(Stage::Asking(Box::new(approval)), Duration::MAX);
            }
            Progress::Judged(Judged::Decided(Decision::Deny(denied))) => self.deny(turn, servers, id, &denied),
            Progress::Judged(Judged::Decided(Decision::Allow(cleared))) if self.must_wait(servers, id, cleared.touches()) => {
                self.hold(id, cleared);
            }
            Progress::Judged(Judged::Decided(Decision::Allow(cleared))) => self.send(turn, servers, id, cleared),
            Progress::Refuse(approval, why, reason) => self.refuse_unapproved(turn, servers, id, approval, why, reason.as_deref()),
            Progress::Invalid(call) => self.refuse(turn, servers, id, &call, RefusalReason::BadState, &[], None),
            Progress::ComeBack(approval, form) => self.come_back(turn, servers, id, &approval, &form),
        }
    }
}
