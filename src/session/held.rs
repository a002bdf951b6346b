//! A call that is held: its place on the way, and what was allowed for it so far.
use std::time::Duration;

use crate::gate::{Cleared, Judge, Key, Mentions, NeedsApproval, Reading};
use crate::wire::{Call, Id};

use super::event::AnswerNote;
use super::peers::PerRequest;

/// Where a held call stands.
#[derive(Debug)]
pub enum Stage {
    /// The tool list is being fetched.
    Listing(Box<Judge>),
    /// Script files are being read.
    Reading(Box<Judge<Reading>>),
    /// The disk is being asked.
    Locating(Box<Judge<Mentions>>),
    /// It may go, once a call that was sent before and touches the same file is over.
    Waiting(Box<Cleared>),
    /// It waits for its turn to be asked about.
    Queued(Box<NeedsApproval>),
    /// A person is being asked.
    Asked(Box<Asked>),
    /// Handed on within one step of the session; never seen between events.
    Moving,
}

/// A held call that a person is asked about.
#[derive(Debug)]
pub struct Asked {
    /// The call.
    pub paused: NeedsApproval,
    /// The id of the open question.
    pub question: String,
}

/// What a modern client's retry brought with it.
#[derive(Debug, Clone)]
pub struct Retry {
    /// The client's answer to our form.
    pub response: Option<serde_json::Value>,
    /// The keys that were asked about.
    pub asked: Vec<Key>,
    /// The upstream's own state, to be given back to it.
    pub upstream: Option<String>,
    /// When the client was asked.
    pub since: Duration,
}

/// A held call.
#[derive(Debug)]
pub struct Held {
    /// The client's id.
    pub id: Id,
    /// Where it stands.
    pub stage: Stage,
    /// What the request says of its sender.
    pub sender: PerRequest,
    /// What its retry brought, if it is one.
    pub retry: Option<Retry>,
    /// How often it was asked about.
    pub rounds: u8,
    /// How the last answer came about.
    pub answer: Option<AnswerNote>,
    /// The progress token as it stood, if the client wants progress.
    pub progress: Option<Vec<u8>>,
    /// Progress notifications sent for it.
    pub beats: u32,
    /// When the next one is due.
    pub next_beat: Duration,
    /// When the stage is given up.
    pub stage_until: Duration,
}

impl Held {
    /// A call that has just come in.
    pub fn new(call: &Call, sender: PerRequest, now: Duration) -> Self {
        Self {
            id: call.id().clone(),
            stage: Stage::Moving,
            sender,
            retry: None,
            rounds: 0,
            answer: None,
            progress: call.progress_token().map(<[u8]>::to_vec),
            beats: 0,
            next_beat: now + BEAT,
            stage_until: now,
        }
    }

    /// Takes the stage out, leaving the call in motion.
    pub fn take_stage(&mut self) -> Stage {
        std::mem::replace(&mut self.stage, Stage::Moving)
    }

    /// Whether only an answer can move it on.
    pub const fn waits_for_a_person(&self) -> bool {
        matches!(self.stage, Stage::Asked(_) | Stage::Queued(_))
    }

    /// Whether the gate itself is still finding out about it.
    pub const fn is_looked_up(&self) -> bool {
        matches!(self.stage, Stage::Listing(_) | Stage::Reading(_) | Stage::Locating(_))
    }
}

/// A sign of life is sent this often while a person thinks (`clients.md` 1.5).
pub const BEAT: Duration = Duration::from_secs(10);
