//! How often a person is asked: an end to floods of questions, and a pause after many refusals of one kind.
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::gate::Kind;

const MINUTE: Duration = Duration::from_secs(60);

/// What happened within the last minute.
#[derive(Debug, Default)]
pub(super) struct RateLimiter {
    questions: Recent,
    refusals: HashMap<Kind, Recent>,
}

/// How much may happen within a minute; 0 is no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Questions.
    pub questions: u64,
    /// Refusals of one kind.
    pub refusals: u64,
}

/// Moments in order, none much older than a minute.
#[derive(Debug, Default)]
struct Recent(VecDeque<Duration>);

impl RateLimiter {
    /// A question was asked.
    pub fn asked(&mut self, now: Duration) {
        self.questions.note(now);
    }

    /// A question about findings of this kind was refused.
    pub fn refused(&mut self, kind: Kind, now: Duration) {
        self.refusals.entry(kind).or_default().note(now);
    }

    /// Why nothing of these kinds is asked now, and for how long; nothing if it may be.
    pub fn pause(&self, kinds: impl Iterator<Item = Kind>, limits: Limits, now: Duration) -> Option<String> {
        let again = |left: Duration| format!("the gate asks again in {} seconds", left.as_secs().max(1));
        if let Some(left) = self.questions.full_for(limits.questions, now) {
            return Some(format!("{} questions were asked within a minute; {}", limits.questions, again(left)));
        }
        let refused = |kind: Kind| Some((kind, self.refusals.get(&kind)?.full_for(limits.refusals, now)?));
        let (kind, left) = kinds.filter_map(refused).max_by_key(|(_, left)| *left)?;
        Some(format!("{} questions of the kind `{}` were refused within a minute; {}", limits.refusals, kind.word(), again(left)))
    }
}

impl Recent {
    fn note(&mut self, now: Duration) {
        while self.0.front().is_some_and(|then| *then + MINUTE <= now) {
            self.0.pop_front();
        }
        self.0.push_back(now);
    }

    /// How long the minute that holds `limit` moments still lasts.
    fn full_for(&self, limit: u64, now: Duration) -> Option<Duration> {
        let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0)?;
        let first = self.0.len().checked_sub(limit).and_then(|place| self.0.get(place))?;
        (*first + MINUTE).checked_sub(now).filter(|left| !left.is_zero())
    }
}
