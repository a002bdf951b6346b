//! What holds for any interleaving of calls, answers, cancellations, ticks, replies and ends, in a session without edges.
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::support::bare_session::{Bench, call, config};
use callgate::session::{Event, UpstreamId};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One thing that happens; numbers choose among what is there.
#[derive(Debug, Clone)]
enum Step {
    Call { tool: &'static str, path: &'static str },
    CallTwo { paths: [&'static str; 2] },
    Answer { question: usize, words: [&'static str; 2] },
    Cancel { call: usize },
    Reply { call: usize },
    Disk { lookup: usize },
    DiskWorks(bool),
    Records(bool),
    Wait(u64),
    ListChanged,
    ClientCloses,
    ServerCloses,
}

fn step() -> impl Strategy<Value = Step> {
    let tool = prop::sample::select(vec!["read_file", "write_file", "unlisted"]);
    let path = prop::sample::select(vec!["a.txt", "/gate/out/k", "/gate/out/l", "/gate/other/k", ".env"]);
    let words = prop::sample::select(vec!["allow once", "allow for this session", "deny", "sure"]);
    prop_oneof![
        8 => (tool, path.clone()).prop_map(|(tool, path)| Step::Call { tool, path }),
        5 => [path.clone(), path].prop_map(|paths| Step::CallTwo { paths }),
        8 => (any::<usize>(), [words.clone(), words]).prop_map(|(question, words)| Step::Answer { question, words }),
        3 => any::<usize>().prop_map(|call| Step::Cancel { call }),
        4 => any::<usize>().prop_map(|call| Step::Reply { call }),
        3 => any::<usize>().prop_map(|lookup| Step::Disk { lookup }),
        1 => any::<bool>().prop_map(Step::DiskWorks),
        1 => any::<bool>().prop_map(Step::Records),
        3 => (1_u64..70).prop_map(Step::Wait),
        1 => Just(Step::ListChanged),
        1 => Just(Step::ClientCloses),
        1 => Just(Step::ServerCloses),
    ]
}

/// A session with what the test knows of it.
struct World {
    bench: Bench,
    calls: u64,
    cancelled: HashSet<u64>,
    cancelled_unsent: HashSet<u64>,
    client_left: bool,
    questions: Vec<Value>,
    seen: usize,
}

impl World {
    fn new() -> Self {
        Self {
            bench: Bench::opened(config(|_| {}), "any"),
            calls: 0,
            cancelled: HashSet::new(),
            cancelled_unsent: HashSet::new(),
            client_left: false,
            questions: Vec::new(),
            seen: 0,
        }
    }

    /// How often each call reached the server.
    fn sent(&self) -> HashMap<u64, usize> {
        let mut sent = HashMap::new();
        for line in &self.bench.server {
            let message: Value = serde_json::from_str(line).unwrap();
            if message["method"] == "tools/call" {
                *sent.entry(message["id"].as_u64().unwrap()).or_default() += 1;
            }
        }
        sent
    }

    fn pick(number: usize, among: usize) -> Option<usize> {
        (among > 0).then(|| number % among)
    }

    fn does(&mut self, step: Step) {
        match step {
            Step::Call { tool, path } => {
                self.calls += 1;
                self.bench.client_says(&call(self.calls, tool, path));
            }
            Step::CallTwo { paths } => {
                let calls: Vec<Value> = (1..).zip(paths).map(|(more, path)| call(self.calls + more, "read_file", path)).collect();
                self.calls += 2;
                self.bench.client_says_together(&calls);
            }
            Step::Answer { question, words } => {
                let Some(at) = Self::pick(question, self.questions.len()) else { return };
                let fields = self.questions[at]["params"]["requestedSchema"]["required"].as_array().unwrap();
                let words = fields.iter().zip(words.iter().cycle());
                let content: Value = words.map(|(field, words)| (field.as_str().unwrap().to_owned(), json!(words))).collect();
                let result = json!({ "action": "accept", "content": content });
                let id = self.questions[at]["id"].clone();
                self.bench.client_says(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
            }
            Step::Cancel { call } => self.cancels(call),
            Step::Reply { call } => {
                let sent: Vec<u64> = self.sent().into_keys().collect();
                let Some(at) = Self::pick(call, sent.len()) else { return };
                let answered = self.bench.client.iter().any(|message| message["id"] == sent[at]);
                // A server that replies twice is another test's matter.
                if !answered {
                    self.bench.server_says(&json!({ "jsonrpc": "2.0", "id": sent[at], "result": { "content": [] } }));
                }
            }
            Step::Disk { lookup } => {
                if let Some(at) = Self::pick(lookup, self.bench.lookups.len()) {
                    self.bench.disk_answers_late(at);
                }
            }
            Step::DiskWorks(works) => self.bench.disk_answers = works,
            Step::Records(records) => self.bench.records = records,
            Step::Wait(seconds) => {
                self.bench.now += Duration::from_secs(seconds);
                self.bench.feed(Event::Tick);
            }
            Step::ListChanged => self.bench.server_says(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })),
            Step::ClientCloses => {
                self.client_left = true;
                self.bench.feed(Event::ClientClosed);
            }
            Step::ServerCloses => self.bench.feed(Event::ServerClosed(UpstreamId::ONLY, "it ended".to_owned())),
        }
    }

    fn cancels(&mut self, call: usize) {
        let Some(at) = Self::pick(call, usize::try_from(self.calls).unwrap()) else { return };
        let id = at as u64 + 1;
        if !self.sent().contains_key(&id) {
            self.cancelled_unsent.insert(id);
        }
        self.cancelled.insert(id);
        self.bench.client_says(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }

    fn notes_questions(&mut self) {
        let new = self.bench.client.iter().skip(self.seen).filter(|message| message["method"] == "elicitation/create");
        self.questions.extend(new.cloned());
        self.seen = self.bench.client.len();
    }

    fn holds(&self) {
        for (id, times) in self.sent() {
            assert_eq!(times, 1, "call {id} was sent more than once");
            assert!(!self.cancelled_unsent.contains(&id), "call {id} was cancelled before it was sent");
        }
        let mut replies: HashMap<u64, usize> = HashMap::new();
        for id in self.bench.client.iter().filter(|message| message.get("method").is_none()).filter_map(|message| message["id"].as_u64()) {
            *replies.entry(id).or_default() += 1;
        }
        for (id, times) in replies {
            assert_eq!(times, 1, "call {id} was answered more than once");
        }
        let refused = self.bench.client.iter().filter(|message| message["result"]["_meta"]["callgate/refusal"]["kind"] != "call_timed_out");
        let refused = refused.filter(|message| message["result"]["_meta"]["callgate/refusal"].is_object());
        let sent = self.sent();
        for message in refused {
            assert!(!sent.contains_key(&message["id"].as_u64().unwrap()), "sent and refused: {message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_sent_or_answered_twice_and_nothing_refused_is_sent(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        for step in steps {
            world.does(step);
            world.notes_questions();
            world.holds();
        }
        // In the end every call has its reply, unless it was cancelled or its client is gone.
        world.bench.feed(Event::ServerClosed(UpstreamId::ONLY, "it ended".to_owned()));
        world.holds();
        let answered: HashSet<u64> = world.bench.client.iter().filter_map(|message| message["id"].as_u64()).collect();
        for id in (1..=world.calls).filter(|id| !world.client_left && !world.cancelled.contains(id)) {
            assert!(answered.contains(&id), "call {id} was left without a reply");
        }
    }
}
