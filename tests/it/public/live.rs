//! Public reports that need a session (`tests/cases/live.toml`), each by its id, in front of the built binary.
#![cfg(unix)]
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Command;

use crate::support::gate_process::{Gate, call, refusal, reply};
use crate::support::terminal::{Parent, Terminal};
use callgate::analyse::Definition;
use callgate::session::Lockfile;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

/// One report. The comment at the head of the table says what a step may hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    about: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default = "yes")]
    elicitation: bool,
    policy: Option<String>,
    #[serde(default)]
    locked: BTreeMap<String, Vec<Value>>,
    lists: Option<Value>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    lists: Option<Value>,
    relists: Option<Relists>,
    calls: Option<String>,
    arguments: Option<Value>,
    answers: Option<Value>,
    #[serde(default)]
    cancels: bool,
    writes: Option<(String, String)>,
    becomes: Option<String>,
    #[serde(default)]
    says: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Relists {
    Client,
    Announced,
}

const fn yes() -> bool {
    true
}

/// The rows of the table, with the places of a home of their own.
fn rows(home: &TempDir) -> Vec<Row> {
    #[derive(Deserialize)]
    struct Table {
        rows: Vec<Row>,
    }
    let home = home.path().canonicalize().unwrap();
    let text = include_str!("../../cases/live.toml");
    let text = text.replace("{{ROOT}}", home.join("root").to_str().unwrap()).replace("{{OUT}}", home.join("outside").to_str().unwrap());
    toml::from_str::<Table>(&text).unwrap().rows
}

#[test]
fn every_report_comes_to_its_end() {
    let count = rows(&Gate::furnished()).len();
    assert!(count >= 20, "only {count} rows");
    for index in 0..count {
        let home = Gate::furnished();
        let row = rows(&home).remove(index);
        Live::start(home, &row).plays(&row);
    }
}

/// A gate with the call and the question that are open.
struct Live {
    gate: Gate,
    id: u64,
    line: String,
    question: Value,
    place: String,
}

impl Live {
    fn start(home: TempDir, row: &Row) -> Self {
        let root = home.path().join("root");
        row.files.iter().for_each(|(name, text)| std::fs::write(root.join(name), text).unwrap());
        if !row.locked.is_empty() {
            let mut lock = Lockfile::default();
            for (server, tools) in &row.locked {
                let tools = tools.iter().cloned().map(Definition::from_value).map(|tool| (tool.name.clone(), tool));
                lock.accept(server, tools.collect());
            }
            std::fs::write(root.join("callgate.lock"), lock.text().unwrap()).unwrap();
        }
        let policy = home.path().join("policy.toml");
        std::fs::write(&policy, format!("version = 1\n{}", row.policy.as_deref().unwrap_or_default())).unwrap();
        let mut options: Vec<&str> = row.options.iter().map(String::as_str).collect();
        options.extend(["--policy", policy.to_str().unwrap()]);
        let mut gate = Gate::start_in(home, &options);
        gate.initialize("2025-06-18", &if row.elicitation { json!({ "elicitation": {} }) } else { json!({}) });
        if let Some(tools) = &row.lists {
            gate.tools = Some(json!({ "tools": tools }).to_string());
        }
        Self { gate, id: 0, line: String::new(), question: Value::Null, place: String::new() }
    }

    fn plays(mut self, row: &Row) {
        for (number, step) in row.steps.iter().enumerate() {
            self.place = format!("{} ({}), step {}", row.id, row.about, number + 1);
            self.does(step);
            if let Some(becomes) = &step.becomes {
                let said = self.sees(becomes);
                for text in &step.says {
                    assert!(said.contains(text.as_str()), "{}: `{text}` is missing from\n{said}", self.place);
                }
            }
        }
    }

    fn does(&mut self, step: &Step) {
        if let Some(tools) = &step.lists {
            self.gate.tools = Some(json!({ "tools": tools }).to_string());
        }
        match step.relists {
            Some(Relists::Client) => self.client_lists(),
            Some(Relists::Announced) => {
                let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
                self.gate.server_says(changed);
                assert_eq!(self.gate.at_client(), changed, "{}", self.place);
            }
            None => {}
        }
        if let Some((name, text)) = &step.writes {
            std::fs::write(self.gate.path(&format!("root/{name}")), text).unwrap();
        }
        if let Some(tool) = &step.calls {
            self.id += 1;
            self.line = call(self.id, tool, step.arguments.as_ref().unwrap_or(&json!({})));
            self.gate.client_says(&self.line);
        }
        if step.cancels {
            self.gate.client_says(
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": self.id } }).to_string(),
            );
        }
        if let Some(answer) = &step.answers {
            let result = answer.as_str().map_or_else(|| answer.clone(), |word| self.filled_in(word));
            self.gate.answers(&self.question, &result);
        }
    }

    fn filled_in(&self, word: &str) -> Value {
        let fields = self.question["params"]["requestedSchema"]["properties"].as_object().unwrap();
        let content: serde_json::Map<_, _> = fields.keys().map(|name| (name.clone(), json!(word))).collect();
        json!({ "action": "accept", "content": content })
    }

    fn client_lists(&mut self) {
        self.id += 1;
        let ask = json!({ "jsonrpc": "2.0", "id": self.id, "method": "tools/list" }).to_string();
        self.gate.client_says(&ask);
        assert_eq!(self.gate.at_server(), ask);
        let tools = self.gate.tools.clone().unwrap();
        self.gate.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{tools}}}"#, self.id));
        assert_eq!(self.gate.client_gets()["id"], self.id);
    }

    /// Waits for what must become of the call; gives what was said about it.
    fn sees(&mut self, becomes: &str) -> String {
        match becomes.split_once(' ').unwrap_or((becomes, "")) {
            ("sent", "") => {
                assert_eq!(self.gate.at_server(), self.line, "{}", self.place);
                self.gate.server_says(reply(self.id));
                assert_eq!(self.gate.client_gets()["id"], self.id, "{}", self.place);
                String::new()
            }
            ("asked", "") => {
                self.question = self.gate.asked();
                self.gate.nothing_for_server();
                self.form_is_flat();
                self.question["params"]["message"].as_str().unwrap().to_owned()
            }
            ("refused", kind) => {
                let mut message = self.gate.client_gets();
                if message["method"] == "notifications/cancelled" {
                    message = self.gate.client_gets();
                }
                assert_eq!((message["id"].as_u64(), refusal(&message)), (Some(self.id), kind), "{}", self.place);
                self.gate.nothing_for_server();
                message["result"]["content"][0]["text"].as_str().unwrap().to_owned()
            }
            ("withdrawn", "") => {
                let message = self.gate.client_gets();
                assert_eq!(
                    (&message["method"], &message["params"]["requestId"]),
                    (&json!("notifications/cancelled"), &self.question["id"])
                );
                String::new()
            }
            ("nothing", "") => {
                self.gate.nothing_for_server();
                self.gate.nothing_for_client();
                String::new()
            }
            _ => panic!("{}: `{becomes}` is no outcome", self.place),
        }
    }

    /// g038: some clients draw everything else as free text, and one accepts an empty form by itself.
    fn form_is_flat(&self) {
        let schema = &self.question["params"]["requestedSchema"];
        let fields = schema["properties"].as_object().unwrap();
        assert!(schema["type"] == "object" && !fields.is_empty(), "{}: {schema}", self.place);
        for (name, field) in fields {
            assert!(field["type"] == "string" && field["enum"][0] == "deny", "{}: {field}", self.place);
            assert!(schema["required"].as_array().unwrap().contains(&json!(name)), "{}: {schema}", self.place);
        }
    }
}

/// A gate that may ask on its terminal, with a client on pipes that cannot be asked.
struct AtTerminal {
    client: File,
    replies: BufReader<File>,
    outside: String,
    _home: TempDir,
}

impl AtTerminal {
    /// `start` runs its last argument, a shell command, somewhere.
    fn start<T>(start: impl FnOnce(&str, &TempDir) -> T) -> (Self, T) {
        let home = Gate::furnished();
        let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
        let (inward, outward) = (at("to.fifo"), at("from.fifo"));
        assert!(Command::new("mkfifo").args([&inward, &outward]).status().unwrap().success());
        let command = format!(
            "export HOME='{}' CALLGATE_ALLOW_ROOT_TOOLS=1; export XDG_RUNTIME_DIR=\"$HOME\" XDG_STATE_HOME=\"$HOME\"; exec '{}' run --root '{}' --audit '{}' --tty --ask-timeout 1 --server s < '{inward}' > '{outward}'",
            home.path().display(),
            env!("CARGO_BIN_EXE_callgate"),
            at("root"),
            at("audit.jsonl"),
        );
        let running = start(&command, &home);
        let client = File::options().write(true).open(inward).unwrap();
        let replies = BufReader::new(File::open(outward).unwrap());
        (Self { client, replies, outside: at("outside/k"), _home: home }, running)
    }

    fn says(&mut self, message: &Value) {
        writeln!(self.client, "{message}").unwrap();
    }

    fn gets(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.replies.read_line(&mut line).unwrap() > 0, "the gate ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls for a file outside; the kind of refusal, and its text.
    fn refuses(&mut self) -> (String, String) {
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
        self.says(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        self.gets(1);
        self.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let line: Value = serde_json::from_str(&call(2, "read_file", &json!({ "path": self.outside }))).unwrap();
        self.says(&line);
        let refused = self.gets(2);
        (refusal(&refused).to_owned(), refused["result"]["content"][0]["text"].as_str().unwrap().to_owned())
    }
}

#[test]
fn without_a_controlling_terminal_the_refusal_names_what_would_help() {
    // g032: a session of its own has no terminal, so that `/dev/tty` cannot be opened
    let (mut gate, mut child) = AtTerminal::start(|command, _| Command::new("setsid").args(["sh", "-c", command]).spawn().unwrap());
    let (kind, text) = gate.refuses();
    assert_eq!(kind, "no_approver");
    assert!(text.contains("callgate approve") && !text.contains("/dev/tty") && !text.contains("os error"), "{text}");
    drop(gate);
    child.wait().unwrap();
}

#[test]
fn a_terminal_with_nobody_at_it_ends_in_a_refusal() {
    // g034
    let (mut gate, mut screen) = AtTerminal::start(|command, home| Terminal::running("sh", &["-c", command], home.path(), Parent::Test));
    assert_eq!(gate.refuses().0, "timed_out");
    screen.wait_for("outside the permitted directories");
    drop(gate);
    screen.wait_for_end();
}
