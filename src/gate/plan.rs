//! Calls that are asked about together: which fit into one question, and what its answer settles for each of them.
use std::hash::Hash;

use super::question::{Answer, AskedCall, Item, Question, Settlement, each_once};
use crate::escape::visible;

/// Clients draw about ten lines of a message (`clients.md` 1.3); calls and keys take one each.
const MOST_LINES: usize = 8;
/// The arguments of calls that are asked about together are shown whole, within this many characters.
const MOST_TEXT: usize = 1500;

impl Question {
    /// Whether `other` can be asked with this one: both fit on one screen with nothing cut, and what they ask about the
    /// same key is the same, so that one word can answer it.
    pub fn takes(&self, other: &Self) -> bool {
        let alike = (&self.server, &self.client, &self.directory) == (&other.server, &other.client, &other.directory);
        let new = other.items.iter().filter(|item| self.item_of(item).is_none()).count();
        let lines = self.calls.len() + other.calls.len() + self.items.len() + new + self.notes.len() + other.notes.len();
        let same = |item: &Item| self.item_of(item).is_none_or(|own| self.asks_the_same(own, other, item));
        // What a server asks of the client stands alone.
        let are_calls = self.calls.iter().chain(&other.calls).all(|call| !call.by_server);
        alike
            && are_calls
            && lines <= MOST_LINES
            && are_short(self.calls.iter().chain(&other.calls), MOST_TEXT)
            && other.items.iter().all(same)
    }

    /// Adds the calls of `other`; equal keys become one.
    pub fn join(&mut self, other: Self) {
        let offset = self.calls.len();
        self.calls.extend(other.calls);
        let notes: Vec<String> = other.notes.into_iter().filter(|note| !self.notes.contains(note)).collect();
        self.notes.extend(notes);
        for mut item in other.items {
            item.calls.iter_mut().for_each(|call| *call += offset);
            match self.items.iter_mut().find(|own| own.key == item.key) {
                Some(own) => own.join(item),
                None => self.items.push(item),
            }
        }
    }

    /// What `answer` settles for the call at this place, whatever it says of the others.
    pub fn settle_call(&self, place: usize, answer: &Answer) -> Settlement {
        self.settle_items(self.items.iter().filter(|item| item.calls.contains(&place)), answer)
    }

    /// What becomes of the calls, in a word.
    pub fn outcome(&self, answer: &Answer) -> &'static str {
        let cleared = (0..self.calls.len()).filter(|place| self.settle_call(*place, answer).is_cleared()).count();
        match cleared {
            0 => "refused",
            all if all == self.calls.len() => "allowed",
            _ => "allowed in part",
        }
    }

    /// The tool of the calls that `item` was found in; a key that two tools share is never one item.
    pub fn tool_of(&self, item: &Item) -> &str {
        let call = item.calls.first().and_then(|place| self.calls.get(*place));
        call.map_or("", |call| &call.tool)
    }

    /// Whether a tool that `item` was found in is known to destroy.
    pub fn is_destructive(&self, item: &Item) -> bool {
        item.calls.iter().filter_map(|place| self.calls.get(*place)).any(|call| call.destructive)
    }

    fn item_of(&self, item: &Item) -> Option<&Item> {
        self.items.iter().find(|own| own.key == item.key)
    }

    fn asks_the_same(&self, own: &Item, other: &Self, item: &Item) -> bool {
        let words = |item: &Item| (item.kinds.clone(), item.direction, item.confidence, item.offered.clone());
        self.tool_of(own) == other.tool_of(item) && words(own) == words(item)
    }

    /// Whether the arguments of all calls, as they are shown, have at most `limit` characters.
    pub fn is_short(&self, limit: usize) -> bool {
        are_short(&self.calls, limit)
    }
}

fn are_short<'a>(calls: impl IntoIterator<Item = &'a AskedCall>, limit: usize) -> bool {
    let mut left = limit;
    calls.into_iter().all(|call| {
        // No character is longer than four bytes, so a longer text need not be drawn to be counted.
        let shown = if call.arguments.len() > 4 * left { None } else { left.checked_sub(visible(&call.arguments).chars().count()) };
        shown.inspect(|rest| left = *rest).is_some()
    })
}

impl Item {
    fn join(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.path = self.path.take().or(other.path);
        unite(&mut self.raw, other.raw);
        unite(&mut self.arguments, other.arguments);
        unite(&mut self.covered, other.covered);
        if self.because != other.because {
            self.because = format!("{}; {}", self.because, other.because);
        }
    }
}

fn unite<T: Clone + Eq + Hash>(own: &mut Vec<T>, other: Vec<T>) {
    *own = each_once(std::mem::take(own).into_iter().chain(other));
}
