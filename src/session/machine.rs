//! The session's state and its one entry: an event in, actions out.
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::gate::{Grants, Key};
use crate::wire::{self, Id, Message, Other, Side};

use super::batch::Batches;
use super::catalogue::Catalogue;
use super::config::Config;
use super::event::{Event, Outbound, Output, Ticket};
use super::flights::Flights;
use super::held::Held;
use super::late::Late;
use super::open::Open;
use super::pace::Pace;
use super::peers::Handshake;
use super::seal::Seal;

/// One client and one server, and all that is between them.
#[derive(Debug)]
pub struct Session {
    pub(super) config: Config,
    pub(super) now: Duration,
    pub(super) out: Vec<Output>,
    pub(super) handshake: Handshake,
    pub(super) catalogue: Catalogue,
    pub(super) flights: Flights,
    pub(super) held: BTreeMap<Ticket, Held>,
    pub(super) batches: Batches,
    pub(super) grants: Grants,
    pub(super) denials: HashMap<Key, u8>,
    pub(super) pace: Pace,
    pub(super) late: BTreeMap<String, Late>,
    pub(super) queue: VecDeque<Ticket>,
    pub(super) open: BTreeMap<String, Open>,
    pub(super) reading: bool,
    pub(super) gathered_by: Duration,
    pub(super) asked_by_server: HashSet<Id>,
    pub(super) fetch: Option<Fetch>,
    pub(super) progress_offsets: HashMap<Vec<u8>, f64>,
    pub(super) seal: Seal,
    pub(super) server_lines: wire::ServerLines,
    pub(super) approvers: bool,
    pub(super) client_gone: bool,
    pub(super) server_gone: bool,
    salt: String,
    base: u64,
    counter: u64,
}

/// The gate's own listing of the tools.
#[derive(Debug)]
pub(super) struct Fetch {
    pub id: u64,
    pub cursors: HashSet<String>,
    pub meta: Option<Value>,
}

impl Session {
    /// A session that has seen nothing yet.
    pub fn new(config: Config) -> Self {
        let (key, rest) = config.seed.split_at(32);
        let mut seal_key = [0; 32];
        seal_key.copy_from_slice(key);
        let salt = wire::hex(rest);
        // JavaScript servers keep integers exact up to 2^53; the upper half of that is not where clients count.
        let base = rest.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(256) + u64::from(*byte)) % (1 << 51) + (1 << 52);
        Self {
            grants: config.grants.clone(),
            seal: Seal::new(seal_key),
            now: Duration::ZERO,
            out: Vec::new(),
            handshake: Handshake::default(),
            catalogue: Catalogue::new(&config.locked),
            config,
            flights: Flights::default(),
            held: BTreeMap::new(),
            batches: Batches::default(),
            denials: HashMap::new(),
            pace: Pace::default(),
            late: BTreeMap::new(),
            queue: VecDeque::new(),
            open: BTreeMap::new(),
            reading: false,
            gathered_by: Duration::ZERO,
            asked_by_server: HashSet::new(),
            fetch: None,
            progress_offsets: HashMap::new(),
            server_lines: wire::ServerLines::default(),
            approvers: false,
            client_gone: false,
            server_gone: false,
            salt,
            base,
            counter: 0,
        }
    }

    /// Takes one event that happened `now` (time since the session began) and returns what to do, in order.
    pub fn handle(&mut self, event: Event, now: Duration) -> Vec<Output> {
        self.now = self.now.max(now);
        // Also when the process slept past its deadlines: an answer that comes too late is none.
        if !matches!(event, Event::Tick) && self.held.values().any(|held| held.stage_until <= self.now) {
            self.on_tick();
        }
        match event {
            Event::FromClient(line) => self.client_line(line),
            Event::Together(more) => self.reading = more,
            Event::FromServer(line) => self.server_line(line),
            Event::TooLong { from, head, tail } => self.too_long(&head, &tail, from),
            Event::Located { ticket, located } => self.on_located(ticket, Some(located)),
            Event::Read { ticket, scripts } => self.on_read(ticket, Some(scripts)),
            Event::Answered { question, answer } => self.on_answered(&question, &answer),
            Event::Unreachable { question } => self.on_unreachable(&question),
            Event::Unrecorded { then, problem } => self.on_unrecorded(then, &problem),
            Event::Approvers(attached) => self.approvers = attached,
            Event::Granted { kind, key, given } => self.on_granted(kind, key, given),
            Event::Tick => self.on_tick(),
            Event::ClientClosed => self.on_client_closed(),
            Event::ServerClosed(how) => self.on_server_closed(&how),
        }
        self.ask_queued();
        std::mem::take(&mut self.out)
    }

    /// The permitted places as they are now: directories and single files, the session's grants among them.
    pub fn places(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let here = &self.config.surroundings;
        let (mut directories, mut files) = (here.allowed_directories.clone(), here.allowed_files.clone());
        for (_, key) in self.grants.keys() {
            match key {
                Key::Directory(path) => directories.push(path.clone()),
                Key::File(path) => files.push(path.clone()),
                Key::Call(_) => {}
            }
        }
        (directories, files)
    }

    /// Whether no clock of the session's is running.
    pub fn is_resting(&self) -> bool {
        self.held.is_empty() && self.late.is_empty() && (self.flights.len() == 0 || self.config.call_timeout.is_none())
    }

    fn too_long(&mut self, head: &[u8], tail: &[u8], from: Side) {
        let refused = wire::too_long(head, tail, from, &self.config.limits);
        match from {
            Side::Client => self.refuse_client_line(&refused),
            Side::Server => self.refuse_server_line(head, &refused),
        }
    }

    /// Sends a line to the client, unless a batch collects it.
    pub(super) fn send_client(&mut self, id: Option<&Id>, line: Bytes) {
        match id.map(|id| self.batches.collect(id, line.clone())) {
            None | Some(None) => self.out.push(Output::ToClient(line)),
            Some(Some(done)) => self.out.extend(done.map(Output::ToClient)),
        }
    }

    pub(super) fn send_server(&mut self, other: Other) {
        self.out.push(Output::ToServer(Outbound::Other(other)));
    }

    pub(super) fn log(&mut self, text: impl Into<String>) {
        self.out.push(Output::Log(text.into()));
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        self.counter += 1;
        self.counter
    }

    /// An id for a request of ours to the client: a salted string, ours also when its reply comes late.
    pub(super) fn client_request_id(&mut self) -> String {
        let number = self.ticket();
        format!("callgate-{}-{number}", self.salt)
    }

    /// Whether a reply from the client answers a request of ours.
    pub(super) fn is_client_reply_ours(&self, id: &Id) -> bool {
        let own = id.as_text().and_then(|text| text.strip_prefix("callgate-"));
        own.is_some_and(|rest| rest.starts_with(&self.salt))
    }

    /// An id for a request of ours to the server: an integer, because some servers read no other kind (shared wire case f020).
    pub(super) fn server_request_id(&mut self) -> u64 {
        let number = self.ticket();
        self.base + number
    }

    /// Which request of ours a reply from the server answers.
    pub(super) fn server_reply_ours(&self, id: &Id) -> Option<u64> {
        let number = id.raw().trim_matches('"').parse::<u64>().ok()?;
        (number > self.base && number <= self.base + self.counter).then_some(number)
    }

    /// Makes a message of our own for the server.
    pub(super) fn own(&self, message: &Value) -> Option<Other> {
        let line = Bytes::from(message.to_string());
        match wire::read(line, Side::Client, &self.config.limits).ok()? {
            Message::Request(request) => request.into_other().ok(),
            Message::Notification(notification) => Some(notification.into()),
            Message::Response(response) => Some(response.into()),
        }
    }

    /// Tells the server that a call is given up.
    pub(super) fn cancel_upstream(&mut self, id: &Id, why: &str) {
        let Ok(id) = serde_json::from_str::<Value>(id.raw()) else { return };
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": why } });
        if let Some(other) = self.own(&message) {
            self.send_server(other);
        }
    }
}
