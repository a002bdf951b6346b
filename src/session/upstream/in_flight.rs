//! Requests of the client's that went to a server and wait for their reply.
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::session::sent::{RequestKind, SentCall};
use crate::wire::Id;

/// One request on its way.
#[derive(Debug)]
pub(super) struct Request {
    /// What it was.
    pub kind: RequestKind,
    since: Duration,
}

/// All of one server's.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    waiting: HashMap<Id, Request>,
    /// The ids by the number that they are or spell, so that a reply to none of them costs the same however many wait.
    by_number: HashMap<Box<str>, HashSet<Id>>,
}

impl InFlight {
    /// Whether a request of this id waits.
    pub fn contains(&self, id: &Id) -> bool {
        self.waiting.contains_key(id)
    }

    /// Notes a request.
    pub fn sent(&mut self, id: Id, kind: RequestKind, since: Duration) {
        if let Some(number) = id.number() {
            self.by_number.entry(number).or_default().insert(id.clone());
        }
        self.waiting.insert(id, Request { kind, since });
    }

    /// Takes the request that a reply with `id` answers, with the client's own id. A server that turns the number 1 into the
    /// text "1" still means it, as long as nothing else waits under that id.
    pub fn take(&mut self, id: &Id) -> Option<(Id, Request)> {
        self.remove(id).or_else(|| {
            let own = self.by_number.get(&id.number()?)?.iter().find(|own| own.same_text(id))?.clone();
            self.remove(&own)
        })
    }

    fn remove(&mut self, id: &Id) -> Option<(Id, Request)> {
        let taken = self.waiting.remove_entry(id)?;
        if let Some(number) = taken.0.number()
            && let Some(alike) = self.by_number.get_mut(&number)
        {
            alike.remove(&taken.0);
            if alike.is_empty() {
                self.by_number.remove(&number);
            }
        }
        Some(taken)
    }

    /// The calls that wait.
    pub fn calls(&self) -> impl Iterator<Item = &SentCall> {
        self.waiting.values().filter_map(|request| match &request.kind {
            RequestKind::Call(sent) => Some(sent.as_ref()),
            _ => None,
        })
    }

    /// The only request that waits, if it is the only one.
    pub fn only(&self) -> Option<&Id> {
        let mut ids = self.waiting.keys();
        ids.next().filter(|_| ids.next().is_none())
    }

    /// Takes the calls that have waited since before `then`.
    pub fn overdue(&mut self, then: Duration) -> Vec<(Id, Request)> {
        let late = |request: &Request| matches!(request.kind, RequestKind::Call(_)) && request.since <= then;
        let ids: Vec<Id> = self.waiting.iter().filter(|(_, request)| late(request)).map(|(id, _)| id.clone()).collect();
        ids.into_iter().filter_map(|id| self.remove(&id)).collect()
    }

    /// Takes all.
    pub fn drain(&mut self) -> Vec<Id> {
        self.by_number.clear();
        self.waiting.drain().map(|(id, _)| id).collect()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
