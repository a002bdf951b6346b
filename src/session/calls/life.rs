//! Signs of life for calls that wait for a person and whose client wants progress.
use std::time::Duration;

use serde_json::{Value, json};

use crate::session::event::Output;
use crate::session::ids::CallId;
use crate::session::turn::Turn;
use crate::wire::{self, Call, Id};

use super::Calls;
use super::pending::Stage;

/// A sign of life is sent this often while a person thinks: some clients give up a call of which they hear nothing for longer.
const BEAT: Duration = Duration::from_secs(10);
/// What one sign of life adds to a call's progress: little, so that the upstream's own values hardly move.
const STEP: f64 = 0.001;

/// What the client of one call has been told.
#[derive(Debug)]
pub(super) struct SignsOfLife {
    /// The progress token as it stood, if the client wants progress.
    token: Option<Id>,
    beats: u32,
    next: Duration,
}

impl SignsOfLife {
    /// For a call that has just come in.
    pub fn new(call: &Call, now: Duration) -> Self {
        Self { token: call.progress_token().and_then(Id::from_raw), beats: 0, next: now + BEAT }
    }

    /// Whether the client wants to be told.
    pub const fn are_wanted(&self) -> bool {
        self.token.is_some()
    }

    /// The token and by how much the upstream's own progress has to be moved; nothing if the client was told nothing.
    pub fn moved(&self) -> Option<(Id, f64)> {
        let token = self.token.as_ref().filter(|_| self.beats > 0)?;
        Some((token.clone(), f64::from(self.beats) * STEP))
    }

    fn beat(&mut self, is_waiting: bool, now: Duration) -> Option<Output> {
        self.next = now + BEAT;
        let token = self.token.as_ref().filter(|_| is_waiting)?;
        let token = serde_json::from_str::<Value>(token.raw()).ok()?;
        self.beats += 1;
        let (progress, message) = (f64::from(self.beats) * STEP, "waiting for a person to approve the call");
        let params = json!({ "progressToken": token, "progress": progress, "message": message });
        Some(Output::ToClient(wire::notification("notifications/progress", &params)))
    }
}

impl Calls {
    /// A question about a call is put to a person.
    pub fn asked(&mut self, call: CallId, now: Duration) {
        if let Some(call) = self.pending.get_mut(&call) {
            call.life.next = now + BEAT;
        }
    }

    /// Sends the signs of life that are due.
    pub fn beat(&mut self, turn: &mut Turn, is_asked_about: impl Fn(CallId) -> bool) {
        let now = turn.now;
        for (id, call) in self.pending.iter_mut().filter(|(_, call)| call.life.next <= now) {
            let is_waiting = matches!(call.stage, Stage::Asking(_)) && is_asked_about(*id);
            call.life.beat(is_waiting, now).into_iter().for_each(|beat| turn.output(beat));
        }
    }
}
