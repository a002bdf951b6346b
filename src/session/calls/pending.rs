//! A call under way: the stage at which it stands, and what is known of it besides.
use std::time::Duration;

use crate::gate::{AnswerNote, Cleared, Judge, Mentions, NeedsApproval, Reading};
use crate::session::ids::UpstreamId;
use crate::session::retry::RetryAnswer;
use crate::session::sender::Sender;
use crate::wire::{Call, Id};

use super::life::SignsOfLife;

/// Where a call stands.
#[derive(Debug)]
pub(super) enum Stage {
    /// The sealed state that it brought is being opened.
    Opening(Box<Call>),
    /// The tools of its server are being listed.
    Listing(Box<Judge>),
    /// Script files are being read.
    Reading(Box<Judge<Reading>>),
    /// The disk is being asked.
    Locating(Box<Judge<Mentions>>),
    /// A person is being asked, or will be when it is the call's turn.
    Asking(Box<NeedsApproval>),
    /// It may go, once a call that was sent before and touches the same file is over.
    Waiting(Box<Cleared>),
    /// It goes from one stage to the next; never seen between events.
    Moving,
}

/// A call that is neither sent nor refused.
#[derive(Debug)]
pub(super) struct PendingCall {
    /// The client's id.
    pub id: Id,
    /// The server it is for.
    pub upstream: UpstreamId,
    /// What the request says of its sender.
    pub sender: Sender,
    /// Where it stands.
    pub stage: Stage,
    /// When the stage is given up.
    pub stage_until: Duration,
    /// The answer that it brought, if it is a retry.
    pub brought: Option<RetryAnswer>,
    /// The upstream's own state, if it is a retry: to be given back to it.
    pub upstream_state: Option<Option<String>>,
    /// How often it was asked about.
    pub rounds: u8,
    /// How the last answer came about.
    pub answer: Option<AnswerNote>,
    /// What its client is told while a person thinks.
    pub life: SignsOfLife,
}

impl PendingCall {
    /// A call that has just come in.
    pub fn new(call: &Call, sender: Sender, upstream: UpstreamId, now: Duration) -> Self {
        Self {
            id: call.id().clone(),
            upstream,
            sender,
            stage: Stage::Moving,
            stage_until: Duration::MAX,
            brought: None,
            upstream_state: None,
            rounds: 0,
            answer: None,
            life: SignsOfLife::new(call, now),
        }
    }

    /// Takes the stage out, leaving the call in motion.
    pub fn take_stage(&mut self) -> Stage {
        std::mem::replace(&mut self.stage, Stage::Moving)
    }

    /// Lets it wait at a stage for at most this long.
    pub fn wait(&mut self, stage: Stage, until: Duration) {
        self.stage = stage;
        self.stage_until = until;
    }

    /// Whether the gate itself is still finding out about it.
    pub const fn is_looked_up(&self) -> bool {
        matches!(self.stage, Stage::Opening(_) | Stage::Listing(_) | Stage::Reading(_) | Stage::Locating(_))
    }
}
