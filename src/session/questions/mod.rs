//! Asking people: which questions, together with which, by which channel, for how long, and what comes of the answer. The only part that
//! asks.
mod answers;
mod batch;
mod channel;
mod claims;
mod denials;
pub mod elicit;
mod expired;
mod open;
mod rate_limiter;
mod round_trip;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::gate::Key;

use super::approval::ApprovalRequest;
use super::event::Output;
use super::ids::CallId;
use super::seal::Seal;
use super::step::{Happened, Outcome, Step};
use super::turn::Turn;
use crate::gate::RefusalReason;
use batch::{QuestionBatch, Queued};
use channel::Route;
use claims::Claim;
use denials::Denials;
use expired::ExpiredQuestion;
use open::OpenQuestion;
use rate_limiter::RateLimiter;

/// A call whose findings keep moving while it is asked about is given up after this many questions.
const MOST_ROUNDS: u8 = 3;

/// All questions of a session.
#[derive(Debug)]
pub(super) struct Questions {
    queue: VecDeque<Queued>,
    /// When those in the queue wait no longer for calls that came with them.
    gathered_by: Duration,
    /// Whether more calls of the same read are coming.
    reading: bool,
    open: BTreeMap<String, OpenQuestion>,
    expired: BTreeMap<String, ExpiredQuestion>,
    claims: BTreeMap<CallId, Claim>,
    rate: RateLimiter,
    denials: Denials,
    seal: Seal,
    approvers: bool,
}

impl Questions {
    /// No question yet; sealed states are good for this key alone.
    pub fn new(seal_key: [u8; 32]) -> Self {
        Self {
            queue: VecDeque::new(),
            gathered_by: Duration::ZERO,
            reading: false,
            open: BTreeMap::new(),
            expired: BTreeMap::new(),
            claims: BTreeMap::new(),
            rate: RateLimiter::default(),
            denials: Denials::default(),
            seal: Seal::new(seal_key),
            approvers: false,
        }
    }

    /// A call needs an answer.
    pub fn ask(&mut self, turn: &mut Turn, request: ApprovalRequest) {
        if let Some(request) = self.answered_by_retry(turn, request) {
            self.claim_repeat(turn, request);
        }
    }

    /// A call needs an answer that nobody gave before.
    fn ask_anew(&mut self, turn: &mut Turn, request: ApprovalRequest) {
        let call = request.about.call;
        if self.denials.silence(&request.question) {
            return settle(turn, call, Outcome::refused(RefusalReason::Silenced, None));
        }
        if request.about.rounds > MOST_ROUNDS {
            let why = "what the call touches kept changing while it was asked about".to_owned();
            return settle(turn, call, Outcome::refused(RefusalReason::TimedOut, Some(why)));
        }
        match self.route(turn, &request) {
            Route::RoundTrip => self.ask_by_round_trip(turn, request.question, &request.about),
            Route::Nobody => self.leave_open(turn, QuestionBatch::of(request)),
            route => self.enqueue(turn, request, route),
        }
    }

    /// Calls that arrived together begin or end.
    pub const fn together(&mut self, more: bool) {
        self.reading = more;
    }

    /// Whether no clock is running.
    pub fn are_resting(&self) -> bool {
        self.queue.is_empty() && self.open.is_empty() && self.expired.is_empty()
    }

    /// The store has counted the denials of a key.
    pub fn denied(&mut self, key: Key, times: u8) {
        self.denials.at_least(key, times);
    }

    /// Whether a question has waited for too long.
    pub fn are_overdue(&self, now: Duration) -> bool {
        self.claims.values().any(|claim| claim.until <= now)
            || self.queue.iter().any(|queued| queued.until <= now)
            || self.open.values().any(|open| open.until <= now)
    }

    /// Ends the questions that nobody answered in time.
    pub fn tick(&mut self, turn: &mut Turn) {
        let now = turn.now;
        for queued in self.queue.iter().filter(|queued| queued.until <= now) {
            settle(turn, queued.request.about.call, Outcome::refused(RefusalReason::TimedOut, None));
        }
        self.queue.retain(|queued| queued.until > now);
        let overdue: Vec<String> = self.open.iter().filter(|(_, open)| open.until <= now).map(|(id, _)| id.clone()).collect();
        overdue.iter().for_each(|id| self.expire(turn, id));
        self.give_up_claims(turn);
    }

    /// Gives up waiting for answers that would come too late in any case.
    pub fn forget_expired(&mut self, turn: &mut Turn) {
        let now = turn.now;
        for (id, _) in self.expired.extract_if(.., |_, expired| expired.until <= now) {
            turn.output(Output::Withdraw(id, "it is too late for an answer"));
        }
    }
}

/// Tells a call what became of the question about it.
fn settle(turn: &mut Turn, call: CallId, outcome: Outcome) {
    turn.then(Step::Happened(call, Happened::Settled(Box::new(outcome))));
}
