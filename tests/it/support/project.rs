//! What the tests of the documents share: a scratch project, a client that answers questions, and the fenced blocks of a text.
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use crate::support::{HANG, write_program};
use serde_json::{Value, json};

/// A folder with `project`, `beside`, a home, and a `bin` where `callgate` and a stand-in for `npx` are found.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "beside", "home", "bin"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let scratch = Self { folder };
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_callgate"), scratch.at("bin/callgate")).unwrap();
        scratch
    }

    /// Puts a program of this name first in the path.
    pub fn program(&self, name: &str, text: &str) {
        write_program(&self.at("bin").join(name), text);
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// `program` in the project, with nothing of this user's settings.
    pub fn command(&self, program: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(if program == "callgate" { self.at("bin/callgate") } else { PathBuf::from(program) });
        command
            .current_dir(self.at("project"))
            .env_clear()
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("HOME", self.at("home"))
            .env("CALLGATE_ALLOW_ROOT_TOOLS", "1");
        command
    }

    /// A client of `command` in the project.
    pub fn client(&self, words: &[String], forms: bool) -> Client {
        let (program, arguments) = words.split_first().expect("a command");
        let mut command = self.command(program);
        command.args(arguments);
        Client::start(command, forms)
    }
}

/// A session with a server over its standard streams.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// What to pick when asked; `None` lets a question fail the test.
    pub answer: Option<String>,
    /// How many questions came.
    pub asked: usize,
}

impl Client {
    fn start(mut command: Command, forms: bool) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the command starts");
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let input = child.stdin.take();
        let mut client = Self { child, input, lines, next_id: 0, answer: None, asked: 0 };
        let capabilities = if forms { json!({"elicitation": {}}) } else { json!({}) };
        let about =
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "documents", "version": "1"}});
        let reply = client.request("initialize", &about);
        assert!(reply["result"]["serverInfo"].is_object(), "{reply}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{message}").expect("the server reads");
    }

    /// Sends one request and gives back its reply; answers what is asked meanwhile.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let line = self.lines.recv_timeout(HANG).unwrap_or_else(|_| panic!("no reply to {method} {params}"));
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("noise: {line}"));
            if message["method"] == "elicitation/create" {
                self.settle(&message);
            } else if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn settle(&mut self, question: &Value) {
        self.asked += 1;
        let word = self.answer.clone().unwrap_or_else(|| panic!("not expected to ask: {}", question["params"]["message"]));
        let fields = question["params"]["requestedSchema"]["properties"].as_object().expect("a form");
        let picks: serde_json::Map<String, Value> = fields.iter().map(|(key, field)| (key.clone(), offered(field, &word))).collect();
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": picks}}));
    }

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub fn tools(&mut self) -> Vec<String> {
        let reply = self.request("tools/list", &json!({}));
        reply["result"]["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Ends the input; the program must end well.
    pub fn close(mut self) {
        self.input = None;
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The offer of a field that has `word` among its words.
fn offered(field: &Value, word: &str) -> Value {
    let words = field["enum"].as_array().expect("a plain enum");
    words
        .iter()
        .find(|one| one.as_str().is_some_and(|one| one.split(' ').any(|part| part == word)))
        .cloned()
        .unwrap_or_else(|| panic!("no `{word}` in {words:?}"))
}

/// A fenced block of a Markdown text.
pub struct Block {
    pub language: String,
    pub text: String,
    pub line: usize,
}

pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in markdown.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some(Block { language: language.to_owned(), text: String::new(), line: number + 1 }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// The commands that a client's configuration starts, in any of the shapes that clients have.
pub fn configured(config: &Value) -> Vec<Vec<String>> {
    let servers = ["mcpServers", "servers", "mcp", "mcp_servers"].iter().find_map(|key| config.get(key)).and_then(Value::as_object);
    servers.into_iter().flat_map(serde_json::Map::values).map(words).collect()
}

fn words(entry: &Value) -> Vec<String> {
    let strings = |value: &Value| value.as_array().into_iter().flatten().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    match &entry["command"] {
        Value::String(program) => std::iter::once(program.clone()).chain(strings(&entry["args"])).collect(),
        list => strings(list),
    }
}

pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
