//! The servers' side of a session: for each server its door, its tools and pins, what is in flight, what it asks, and the lines it sends.
mod catalogue;
mod door;
mod in_flight;
mod lines;
mod listing;
mod progress;
mod replies;
mod requests;
mod servers;
mod undecided;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::json;

use crate::wire::{self, Id, Other, codes};

use super::event::Output;
use super::ids::{CallId, UpstreamId};
use super::lockfile::Locked;
use super::sent::{RequestKind, SentCall};
use super::step::Step;
use super::turn::Turn;
use in_flight::InFlight;
use listing::Listing;
use progress::Progress;
use undecided::Undecided;

pub use catalogue::Catalogue;
pub use door::{Outgoing, Port, UpstreamDoor};
pub use listing::{MOST_PAGES, page_params};
pub(super) use servers::Upstreams;

/// One server.
#[derive(Debug)]
pub(super) struct Upstream {
    id: UpstreamId,
    name: String,
    catalogue: Catalogue,
    listing: Option<Listing>,
    in_flight: InFlight,
    progress: Progress,
    /// Requests of the server's that the client has not answered yet.
    asked: HashSet<Id>,
    /// What it asks of the client and a person has to allow first.
    undecided: BTreeMap<CallId, Undecided>,
    lines: wire::ServerLines,
    has_batches: bool,
    gone: bool,
}

impl Upstream {
    fn new(id: UpstreamId, name: String, locked: &Locked) -> Self {
        Self {
            id,
            name,
            catalogue: Catalogue::new(locked),
            listing: None,
            in_flight: InFlight::default(),
            progress: Progress::default(),
            asked: HashSet::new(),
            undecided: BTreeMap::new(),
            lines: wire::ServerLines::default(),
            has_batches: false,
            gone: false,
        }
    }

    /// Passes a message through the door.
    pub fn pass(&self, turn: &mut Turn, other: Other) {
        turn.output(Output::ToServer(self.id, other));
    }

    /// Passes a request of the client's and remembers it until its reply comes.
    pub fn forward(&mut self, turn: &mut Turn, id: Id, other: Other, kind: RequestKind) {
        self.in_flight.sent(id, kind, turn.now);
        self.pass(turn, other);
    }

    /// Remembers a call that was sent.
    pub fn sent(&mut self, id: Id, call: Box<SentCall>, now: Duration) {
        self.progress.rises(&call);
        self.in_flight.sent(id, RequestKind::Call(call), now);
    }

    /// Forgets a request; says whether there was one.
    fn forget(&mut self, id: &Id) -> bool {
        let known = self.in_flight.contains(id);
        if known && let Some((_, request)) = self.in_flight.take(id) {
            self.progress.ends(&request);
        }
        known
    }

    /// Gives up calls that take too long, here and at the server, though it may still be at them.
    fn give_up_overdue(&mut self, turn: &mut Turn) {
        let Some(limit) = turn.config.call_timeout else { return };
        let Some(then) = turn.now.checked_sub(limit) else { return };
        let overdue = self.in_flight.overdue(then);
        let any = !overdue.is_empty();
        for (id, request) in overdue {
            self.progress.ends(&request);
            self.pass(turn, Other::cancelled(&id, "callgate gave the call up"));
            let seconds = limit.as_secs();
            let why = format!("callgate gave the call up after {seconds} seconds; the server may still be running it");
            let body = json!({ "content": [{ "type": "text", "text": why }], "isError": true, "_meta": { "callgate/refusal": { "kind": "call_timed_out" } } });
            let line = wire::result(&id, &body);
            turn.then(Step::Reply(id, line));
        }
        if any {
            turn.then(Step::Released);
        }
    }

    /// The server is gone: everything that waits for it, or would go to it, ends with an error.
    pub fn closed(&mut self, turn: &mut Turn, how: &str) {
        self.gone = true;
        self.listing = None;
        let why = format!("the server ended ({how}) before it replied");
        for id in self.in_flight.drain() {
            let line = wire::error(Some(&id), codes::INTERNAL_ERROR, &why, None);
            turn.then(Step::Reply(id, line));
        }
        turn.then(Step::ServerGone(self.id, why));
    }
}
