//! Requests that went to the server and wait for their reply.
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::gate::CallAnswers;
use crate::wire::Id;

/// What a forwarded request was, as far as its reply matters to the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `initialize`.
    Initialize,
    /// `tools/list`; whether it asked for the first page.
    ToolsList {
        /// Whether it named no cursor.
        first: bool,
    },
    /// A call that was judged.
    Call(Box<Sent>),
    /// Anything else.
    Other,
}

/// What must be remembered of a call that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Binds a sealed state to server, tool and arguments.
    pub bound: String,
    /// What a person allowed for this call; it survives the upstream's own `input_required`.
    pub answers: CallAnswers,
    /// The files it touches.
    pub touches: Vec<PathBuf>,
    /// Its progress token, if the upstream's progress is moved above the gate's own signs of life.
    pub moved: Option<Vec<u8>>,
}

/// One request on its way.
#[derive(Debug, Clone)]
pub struct Flight {
    /// What it was.
    pub kind: Kind,
    /// When it went.
    pub since: Duration,
}

/// All of them.
#[derive(Debug, Default)]
pub struct Flights {
    waiting: HashMap<Id, Flight>,
}

impl Flights {
    /// Whether a request of this id waits.
    pub fn contains(&self, id: &Id) -> bool {
        self.waiting.contains_key(id)
    }

    /// Notes a request.
    pub fn sent(&mut self, id: Id, kind: Kind, since: Duration) {
        self.waiting.insert(id, Flight { kind, since });
    }

    /// Takes the request that a reply with `id` answers, with the client's own id. A server that turns the number 1 into the
    /// text "1" still means it, as long as nothing else waits under that id.
    pub fn take(&mut self, id: &Id) -> Option<(Id, Flight)> {
        let own = if self.waiting.contains_key(id) { id.clone() } else { self.waiting.keys().find(|own| own.same_text(id))?.clone() };
        self.waiting.remove_entry(&own)
    }

    /// The calls that wait.
    pub fn calls(&self) -> impl Iterator<Item = &Sent> {
        self.waiting.values().filter_map(|flight| match &flight.kind {
            Kind::Call(sent) => Some(sent.as_ref()),
            _ => None,
        })
    }

    /// The only request that waits, if it is the only one.
    pub fn only(&self) -> Option<&Id> {
        let mut ids = self.waiting.keys();
        ids.next().filter(|_| ids.next().is_none())
    }

    /// Takes the calls that have waited since before `then`.
    pub fn overdue(&mut self, then: Duration) -> Vec<(Id, Flight)> {
        let late = |flight: &Flight| matches!(flight.kind, Kind::Call(_)) && flight.since <= then;
        let ids: Vec<Id> = self.waiting.iter().filter(|(_, flight)| late(flight)).map(|(id, _)| id.clone()).collect();
        ids.into_iter().filter_map(|id| self.waiting.remove_entry(&id)).collect()
    }

    /// Takes all.
    pub fn drain(&mut self) -> Vec<Id> {
        self.waiting.drain().map(|(id, _)| id).collect()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}
