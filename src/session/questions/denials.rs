//! What was denied so often that it is not asked about again.
use std::collections::HashMap;

use crate::gate::{Key, Question};

/// After this many denials the same key is no longer asked about: a person who has said no three times means it.
const MOST_DENIALS: u8 = 3;

/// How often each key was denied in the session.
#[derive(Debug, Default)]
pub(super) struct Denials {
    counts: HashMap<Key, u8>,
}

impl Denials {
    /// A person denied what was asked under `key`.
    pub fn add(&mut self, key: &Key) {
        let count = self.counts.entry(key.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// The store has counted more, or as many.
    pub fn at_least(&mut self, key: Key, times: u8) {
        let count = self.counts.entry(key).or_default();
        *count = times.max(*count);
    }

    /// Whether something that `question` is about was denied too often.
    pub fn silence(&self, question: &Question) -> bool {
        question.items.iter().any(|item| self.counts.get(&item.key).is_some_and(|count| *count >= MOST_DENIALS))
    }
}
