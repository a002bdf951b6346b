//! The order of calls that touch the same file: one after the other, as they came.
use std::path::PathBuf;
use std::time::Duration;

use crate::gate::Cleared;
use crate::session::ids::CallId;
use crate::session::servers::Servers;
use crate::session::step::Happened;
use crate::session::turn::Turn;

use super::Calls;
use super::pending::Stage;

impl Calls {
    /// Whether a call that touches these files has to wait for another that was sent before, or that waits itself and came first.
    pub(super) fn must_wait(&self, servers: &impl Servers, call: CallId, touches: &[PathBuf]) -> bool {
        let overlap = |others: &[PathBuf]| others.iter().any(|other| touches.contains(other));
        let mut before = self.pending.range(..call);
        !touches.is_empty()
            && (before.any(|(_, call)| matches!(&call.stage, Stage::Waiting(cleared) if overlap(cleared.touches())))
                || servers.are_touched(touches))
    }

    /// Lets a call that may go wait for its turn.
    pub(super) fn hold(&mut self, call: CallId, cleared: Cleared) {
        if let Some(pending) = self.pending.get_mut(&call) {
            pending.wait(Stage::Waiting(Box::new(cleared)), Duration::MAX);
        }
    }

    /// A call is over: those that waited for its files go on, judged anew because time went by.
    pub fn release(&mut self, turn: &mut Turn, servers: &impl Servers) {
        for call in self.those(|call| matches!(call.stage, Stage::Waiting(_))) {
            let waits = matches!(self.pending.get(&call).map(|pending| &pending.stage), Some(Stage::Waiting(cleared)) if self.must_wait(servers, call, cleared.touches()));
            if !waits {
                self.advance(turn, servers, call, Happened::Freed);
            }
        }
    }
}
