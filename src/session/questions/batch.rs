//! Which calls are asked about together: those that arrived together, and those that came while another question was open.
use std::time::Duration;

use crate::gate::{Question, RefusalReason};
use crate::session::approval::{About, ApprovalRequest};
use crate::session::event::Output;
use crate::session::step::Outcome;
use crate::session::turn::Turn;

use super::channel::Route;
use super::rate_limiter::Limits;
use super::{Questions, settle};

/// Questions that wait for their turn; further ones are refused, so that a flood cannot bury one.
const MOST_QUEUED: usize = 64;
/// The disk or the tool list may hold a call up that came with others; these wait for it no longer than this.
const GATHER: Duration = Duration::from_millis(300);

/// A call that waits for its turn to be asked about.
#[derive(Debug)]
pub(super) struct Queued {
    pub request: ApprovalRequest,
    pub route: Route,
    pub until: Duration,
}

/// Calls that one question is about.
#[derive(Debug)]
pub(super) struct QuestionBatch {
    pub question: Question,
    /// In the order of the question's.
    pub calls: Vec<About>,
}

impl Questions {
    /// A call waits to be asked about.
    pub(super) fn enqueue(&mut self, turn: &mut Turn, request: ApprovalRequest, route: Route) {
        if matches!(route, Route::Form(_)) && self.queue.len() >= MOST_QUEUED {
            let why = "too many questions are already waiting for an answer".to_owned();
            return settle(turn, request.about.call, Outcome::refused(RefusalReason::NoApprover, Some(why)));
        }
        if self.queue.is_empty() {
            self.gathered_by = turn.now + GATHER;
        }
        // In the order of the calls, also where the disk was slower for one of them.
        let place = self.queue.partition_point(|queued| queued.request.about.call < request.about.call);
        let until = turn.now + request.about.timeout;
        self.queue.insert(place, Queued { request, route, until });
    }

    /// Asks about the first that wait, as far as the client can be asked now: it draws one form at a time. Says whether it did anything.
    pub fn ask_next(&mut self, turn: &mut Turn, more_may_come: impl FnOnce() -> bool) -> bool {
        let Some(first) = self.queue.front() else { return false };
        if let Some(why) = self.pause_for(turn, &first.request.question) {
            let call = first.request.about.call;
            self.queue.pop_front();
            settle(turn, call, Outcome::refused(RefusalReason::RateLimited, Some(why)));
            return true;
        }
        let is_form = matches!(first.route, Route::Form(_));
        if is_form && self.open.values().any(|open| open.form)
            || turn.now < self.gathered_by && (self.reading || !self.claims.is_empty() || more_may_come())
        {
            return false;
        }
        if let Some((batch, route)) = self.next_batch(turn) {
            self.put(turn, batch, route);
        }
        true
    }

    /// Takes the first call out of the queue, and with it those behind it that can be asked about in one question.
    fn next_batch(&mut self, turn: &mut Turn) -> Option<(QuestionBatch, Route)> {
        let Queued { mut request, route, .. } = self.queue.pop_front()?;
        request.question.id = turn.ids.question();
        let mut batch = QuestionBatch::of(request);
        while self.queue.front().is_some_and(|next| self.fits(turn, next, &batch, &route)) {
            self.queue.pop_front().into_iter().for_each(|next| batch.add(next.request));
        }
        Some((batch, route))
    }

    /// Whether a call can be asked about in the question of this batch. A round trip is one call's alone.
    fn fits(&self, turn: &Turn, next: &Queued, batch: &QuestionBatch, route: &Route) -> bool {
        let question = &next.request.question;
        next.route == *route && *route != Route::RoundTrip && batch.question.takes(question) && self.pause_for(turn, question).is_none()
    }

    fn put(&mut self, turn: &mut Turn, batch: QuestionBatch, route: Route) {
        match route {
            Route::Form(version) => self.elicit(turn, batch, version),
            Route::Outside(channels) => {
                turn.output(Output::Ask(Box::new(batch.question.clone()), channels, batch.timeout()));
                self.opened(turn, batch, false);
            }
            // Whoever could be asked when it came has gone since.
            Route::RoundTrip => batch.calls.iter().for_each(|about| self.ask_by_round_trip(turn, batch.question.clone(), about)),
            Route::Nobody => self.leave_open(turn, batch),
        }
    }

    /// Why a question is not asked now.
    pub(super) fn pause_for(&self, turn: &Turn, question: &Question) -> Option<String> {
        let approval = turn.config.policy.approval();
        let limits = Limits { questions: approval.questions_per_minute.value, refusals: approval.refusals_per_minute.value };
        let kinds = question.items.iter().flat_map(|item| item.kinds.iter().copied());
        self.rate.pause(kinds, limits, turn.now)
    }
}

impl QuestionBatch {
    /// A batch of one call.
    pub fn of(request: ApprovalRequest) -> Self {
        Self { question: request.question, calls: vec![request.about] }
    }

    fn add(&mut self, request: ApprovalRequest) {
        self.question.join(request.question);
        self.calls.push(request.about);
    }

    /// Its calls share the shortest of their deadlines.
    pub fn timeout(&self) -> Duration {
        self.calls.iter().map(|about| about.timeout).min().unwrap_or_default()
    }
}
