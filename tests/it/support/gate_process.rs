//! A gate with the built binary between a test that is the client and a test that is the server, over real pipes and a real child.
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use crate::support::HANG;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The tools the server lists when the gate asks, unless a test says otherwise.
pub const TOOLS: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"read_file","inputSchema":{"type":"object"}},{"name":"write_file","inputSchema":{"type":"object"}}]}"#;

/// The end of the gate at which a line arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Client,
    Server,
}

/// A gate between two ends of the test's.
pub struct Gate {
    child: Child,
    to_gate: Option<std::process::ChildStdin>,
    to_client: Option<File>,
    /// What both ends read, in the order in which it came.
    lines: Receiver<(End, String)>,
    arrived: VecDeque<(End, String)>,
    /// Answers the gate's own `tools/list`; `None` leaves that to the test.
    pub tools: Option<String>,
    /// Home, root, audit and pipes.
    pub home: TempDir,
}

impl Gate {
    /// Starts `callgate run` with these options; the root is `root` below [`Self::home`].
    pub fn start(options: &[&str]) -> Self {
        Self::start_in(Self::furnished(), options)
    }

    /// A home with a root and something outside of it.
    pub fn furnished() -> TempDir {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "inside\n").unwrap();
        std::fs::write(root.join(".env"), "T=1\n").unwrap();
        std::fs::create_dir(home.path().join("outside")).unwrap();
        std::fs::write(home.path().join("outside/k"), "outside\n").unwrap();
        home
    }

    /// The same in a home that the test furnished.
    pub fn start_in(home: TempDir, options: &[&str]) -> Self {
        let (inward, outward) = (home.path().join("in.fifo"), home.path().join("out.fifo"));
        assert!(Command::new("mkfifo").args([&inward, &outward]).status().unwrap().success());
        // The server is a relay: what it reads goes to one named pipe, what the test writes into the other is what it says.
        let relay = format!("cat < '{}' & exec cat > '{}'", outward.display(), inward.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.args(["run", "--root"]).arg(home.path().join("root")).arg("--audit").arg(home.path().join("audit.jsonl"));
        command.args(options).args(["--server", "s", "--", "sh", "-c", &relay]);
        command.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("HOME", home.path()).env("CALLGATE_LOG", "debug");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(home.path().join("stderr")).unwrap());
        let mut child = command.spawn().unwrap();
        let to_client = File::options().write(true).open(&outward).unwrap();
        let (sender, lines) = channel();
        pass_on(File::open(&inward).unwrap(), End::Server, sender.clone());
        pass_on(child.stdout.take().unwrap(), End::Client, sender);
        let to_gate = child.stdin.take();
        Self { child, to_gate, to_client: Some(to_client), lines, arrived: VecDeque::new(), tools: Some(TOOLS.to_owned()), home }
    }

    /// The path of something below home.
    pub fn path(&self, below: &str) -> String {
        self.home.path().join(below).to_string_lossy().into_owned()
    }

    /// The client says a line.
    pub fn client_says(&mut self, line: impl AsRef<[u8]>) {
        let pipe = self.to_gate.as_mut().unwrap();
        pipe.write_all(line.as_ref()).and_then(|()| pipe.write_all(b"\n")).unwrap();
    }

    /// The server says a line.
    pub fn server_says(&mut self, line: impl AsRef<[u8]>) {
        let pipe = self.to_client.as_mut().unwrap();
        pipe.write_all(line.as_ref()).and_then(|()| pipe.write_all(b"\n")).unwrap();
    }

    /// Bytes of the server's that need not be a line.
    pub fn server_writes(&mut self, bytes: &[u8]) {
        self.to_client.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line that reaches the client; the gate's own listing is answered on the way.
    pub fn at_client(&mut self) -> String {
        self.next(Some(End::Client)).1
    }

    /// The next message that reaches the client, read.
    pub fn client_gets(&mut self) -> Value {
        serde_json::from_str(&self.at_client()).unwrap()
    }

    /// The next line that reaches the server; the gate's own listing is answered on the way.
    pub fn at_server(&mut self) -> String {
        self.next(Some(End::Server)).1
    }

    /// The next line at either end: `Ok` at the server, `Err` at the client.
    pub fn at_either(&mut self) -> Result<String, String> {
        match self.next(None) {
            (End::Server, line) => Ok(line),
            (End::Client, line) => Err(line),
        }
    }

    /// The next line at this end, or at any.
    fn next(&mut self, end: Option<End>) -> (End, String) {
        loop {
            if let Some(at) = self.arrived.iter().position(|(at, _)| end.is_none_or(|end| end == *at)) {
                return self.arrived.remove(at).unwrap();
            }
            match self.lines.recv_timeout(HANG) {
                Ok((end, line)) => self.takes(end, line),
                Err(problem) => panic!("nothing came ({problem}); the log says\n{}", self.log()),
            }
        }
    }

    /// Keeps a line for who asks for it; the gate's own listing is answered at once.
    fn takes(&mut self, end: End, line: String) {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let own = end == End::Server && message["method"] == "tools/list" && message["id"].as_u64().is_some_and(|id| id > 1 << 52);
        match self.tools.clone().filter(|_| own) {
            Some(tools) => self.server_says(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{tools}}}"#, message["id"])),
            None => self.arrived.push_back((end, line)),
        }
    }

    /// Opens a legacy session of `version` with these client capabilities.
    pub fn initialize(&mut self, version: &str, capabilities: &Value) {
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": info });
        self.client_says(json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params }).to_string());
        self.at_server();
        let result = json!({ "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": info });
        self.server_says(json!({ "jsonrpc": "2.0", "id": "init", "result": result }).to_string());
        assert_eq!(self.client_gets()["id"], "init");
    }

    /// The next message that reaches the client, which has to be a question in a form.
    pub fn asked(&mut self) -> Value {
        let question = self.client_gets();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        question
    }

    /// The client answers a form with this result.
    pub fn answers(&mut self, question: &Value, result: &Value) {
        self.client_says(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string());
    }

    /// The client answers a form of one field with these words.
    pub fn accepts(&mut self, question: &Value, words: &str) {
        self.answers(question, &json!({ "action": "accept", "content": { "decision": words } }));
    }

    /// Shows that nothing more is on its way to the server: a notification sent now is the next thing it gets.
    pub fn nothing_for_server(&mut self) {
        const MARK: &str = r#"{"jsonrpc":"2.0","method":"notifications/test/mark"}"#;
        self.client_says(MARK);
        assert_eq!(self.at_server(), MARK);
    }

    /// Shows that nothing more is on its way to the client.
    pub fn nothing_for_client(&mut self) {
        const MARK: &str = r#"{"jsonrpc":"2.0","method":"notifications/test/mark"}"#;
        self.server_says(MARK);
        assert_eq!(self.at_client(), MARK);
    }

    /// All that reached the server after the gate has ended.
    pub fn left_for_server(&mut self) -> Vec<String> {
        self.arrived.drain(..).chain(self.lines.iter()).filter(|(end, _)| *end == End::Server).map(|(_, line)| line).collect()
    }

    /// The client closes its side.
    pub fn client_leaves(&mut self) {
        self.to_gate = None;
    }

    /// The server closes its output.
    pub fn server_leaves(&mut self) {
        self.to_client = None;
    }

    /// The gate's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the gate and all that writes to its client or reads from it have ended.
    pub fn ends(&mut self) -> ExitStatus {
        loop {
            match self.lines.recv_timeout(HANG) {
                Ok((end, line)) => self.arrived.push_back((end, line)),
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => panic!("the gate still runs; the log says\n{}", self.log()),
            }
        }
    }

    /// The verdicts written so far.
    pub fn audit(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.home.path().join("audit.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the gate logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("stderr")).unwrap_or_default()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of `tool` as a line.
pub fn call(id: impl Into<Value>, tool: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": { "name": tool, "arguments": arguments } }).to_string()
}

/// A plain reply as a line.
pub fn reply(id: impl Into<Value>) -> String {
    json!({ "jsonrpc": "2.0", "id": id.into(), "result": { "content": [{ "type": "text", "text": "ok" }] } }).to_string()
}

/// The key of the gate's own form in `inputRequests`, with which each of its states begins.
pub fn own_key(state: &str) -> &str {
    state.split_once('.').unwrap().0
}

/// The kind of refusal in a result.
pub fn refusal(message: &Value) -> &str {
    assert_eq!(message["result"]["isError"], true, "{message}");
    message["result"]["_meta"]["callgate/refusal"]["kind"].as_str().unwrap()
}

/// Reads lines in a thread until the other side closes.
fn pass_on(reader: impl std::io::Read + Send + 'static, end: End, to: Sender<(End, String)>) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(count) if count > 0 => {
                    line.pop_if(|last| *last == b'\n');
                    if to.send((end, String::from_utf8(line).unwrap())).is_err() {
                        return;
                    }
                }
                _ => return,
            }
        }
    });
}
