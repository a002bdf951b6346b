//! A session without edges: the test is client, server, disk, person and clock.
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use callgate::analyse::{Mention, Surroundings};
use callgate::gate::{GrantStore, Question, Sensitive};
use callgate::locate::{locate, scripts};
use callgate::policy::{Access, Channel, Platform, Policy};
use callgate::session::{CallId, Config, Event, Locked, Output, Session, Then, UpstreamId};
use callgate::store::{Memory, Store};
use callgate::wire::Limits;
use serde_json::{Value, json};

/// A session with what came out of it.
pub struct Bench {
    surroundings: Arc<Surroundings>,
    pub session: Session,
    pub now: Duration,
    /// What went to the client, read.
    pub client: Vec<Value>,
    /// What went to the server, as text.
    pub server: Vec<String>,
    /// Look-ups that were asked for and not answered, because [`Self::disk_answers`] is off.
    pub lookups: Vec<(CallId, Vec<Mention>)>,
    /// Questions for channels outside of the protocol.
    pub asked: Vec<Question>,
    pub disk_answers: bool,
    pub records: bool,
    store: Memory,
}

pub fn config(change: impl FnOnce(&mut Config)) -> Config {
    let root = PathBuf::from("/gate/root");
    let surroundings = Surroundings {
        root: root.clone(),
        spelled_root: root.clone(),
        home: None,
        allowed_directories: vec![root],
        allowed_files: Vec::new(),
        variables: BTreeMap::new(),
        platform: Platform::Linux,
        folds_case: false,
    };
    let mut config = Config {
        server: "s".to_owned(),
        policy: Arc::new(Policy::builtin()),
        sensitive: Arc::new(Sensitive::new(&[], &[]).unwrap()),
        surroundings: Arc::new(surroundings),
        access: Access::Full,
        channels: vec![Channel::Elicitation, Channel::Socket],
        limits: Limits::default(),
        call_timeout: Some(Duration::from_secs(900)),
        timeout: None,
        soonest_answer: Duration::ZERO,
        locked: Locked::default(),
        grants: GrantStore::default(),
        rewrite_relative: false,
        seed: std::array::from_fn(|place| u8::try_from(place).unwrap()),
    };
    change(&mut config);
    config
}

impl Bench {
    pub fn new(config: Config) -> Self {
        Self {
            surroundings: Arc::clone(&config.surroundings),
            session: Session::new(config),
            now: Duration::ZERO,
            client: Vec::new(),
            server: Vec::new(),
            lookups: Vec::new(),
            asked: Vec::new(),
            disk_answers: true,
            records: true,
            store: Memory::default(),
        }
    }

    pub fn feed(&mut self, event: Event) {
        let mut next = VecDeque::from([event]);
        while let Some(event) = next.pop_front() {
            for action in self.session.handle(event, self.now) {
                match action {
                    Output::ToClient(line) => self.at_client(&line),
                    Output::ToServer(_, other) => self.at_server(other.bytes()),
                    Output::Verdict(_, then) if !self.records => next.push_back(Event::Unrecorded { then, problem: "full".to_owned() }),
                    Output::Verdict(_, Then::Send(_, cleared)) => self.at_server(cleared.bytes()),
                    Output::Verdict(_, Then::Reply(line)) => self.at_client(&line),
                    Output::Verdict(_, Then::Pass(passed)) => self.at_client(&passed.into_line()),
                    Output::Verdict(_, Then::Wait) => {}
                    Output::Locate(call, mentions) if self.disk_answers => {
                        next.push_back(Event::Located { call, located: locate(mentions, &self.surroundings) });
                    }
                    Output::Read(call, wanted) => {
                        next.push_back(Event::Read { call, scripts: scripts(&wanted, &self.surroundings) });
                    }
                    Output::Locate(call, mentions) => self.lookups.push((call, mentions)),
                    Output::Ask(question, ..) => self.asked.push(*question),
                    Output::Store(request) => next.extend(self.store.carry_out(request, self.now).map(Event::Stored)),
                    _ => {}
                }
            }
        }
    }

    pub fn client_says(&mut self, line: &Value) {
        self.feed(Event::FromClient(Bytes::from(line.to_string())));
    }

    /// Lines that arrive in one read.
    pub fn client_says_together(&mut self, lines: &[Value]) {
        self.feed(Event::Together(true));
        lines.iter().for_each(|line| self.client_says(line));
        self.feed(Event::Together(false));
    }

    pub fn server_says(&mut self, line: &Value) {
        self.feed(Event::FromServer(UpstreamId::ONLY, Bytes::from(line.to_string())));
    }

    /// The disk answers a look-up that it left open.
    pub fn disk_answers_late(&mut self, index: usize) {
        let (call, mentions) = self.lookups.remove(index);
        self.feed(Event::Located { call, located: locate(mentions, &self.surroundings) });
    }

    /// Time passes until `seconds` after the beginning, with a tick at that moment.
    pub fn at(&mut self, seconds: u64) {
        self.now = Duration::from_secs(seconds);
        self.feed(Event::Tick);
    }

    /// A legacy session with a client that can be asked and a server with the tools `read_file` and `write_file`.
    pub fn opened(config: Config, name: &str) -> Self {
        let mut bench = Self::new(config);
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} }, "clientInfo": { "name": name, "version": "1" } });
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params }));
        bench.server_says(&json!({ "jsonrpc": "2.0", "id": "init", "result": { "protocolVersion": "2025-11-25", "capabilities": {} } }));
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list" }));
        let tools = json!([{ "name": "read_file" }, { "name": "write_file" }]);
        bench.server_says(&json!({ "jsonrpc": "2.0", "id": "list", "result": { "tools": tools } }));
        bench.client.clear();
        bench.server.clear();
        bench
    }

    fn at_client(&mut self, line: &[u8]) {
        self.client.push(serde_json::from_slice(line).unwrap());
    }

    fn at_server(&mut self, line: &[u8]) {
        self.server.push(String::from_utf8(line.to_vec()).unwrap());
    }
}

/// A call of `tool` about `path`, with a progress token.
pub fn call(id: u64, tool: &str, path: &str) -> Value {
    let params = json!({ "name": tool, "arguments": { "path": path }, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}
