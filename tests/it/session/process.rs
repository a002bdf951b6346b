//! The gate as a process between processes: statuses, signals, ends of input, standard error, back-pressure, an audit that fails.
#![cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::HANG;
use crate::support::gate_process::{Gate, call, refusal, reply};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that reads nothing and has a child of its own, like `npx` with a shell and Node below it.
const FAMILY: &str = r#"sleep 600 & echo '{"jsonrpc":"2.0","method":"notifications/test/up"}'; wait"#;

/// A gate in front of a server that is a shell script.
struct Run {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Option<ChildStderr>,
    home: TempDir,
}

/// The gate with a server that is `script`, started by a shell that first does `before`.
fn command(home: &Path, before: &str, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{before} exec "$0" "$@""#), env!("CARGO_BIN_EXE_callgate"), "run", "--root"]).arg(home.join("root"));
    command.arg("--audit").arg(home.join("audit.jsonl")).args(["--server", "s", "--", "sh", "-c", script]);
    command.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("HOME", home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Run {
    fn start(script: &str) -> Self {
        Self::start_after("", script)
    }

    fn start_after(before: &str, script: &str) -> Self {
        let home = Gate::furnished();
        let mut child = command(home.path(), before, script).spawn().unwrap();
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, stderr, home }
    }

    fn says(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn gets(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|problem| panic!("{problem} in {line:?}"))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the gate and all that it started are gone. Whoever is left of the family still holds standard error.
    fn ends(mut self) -> ExitStatus {
        let start = Instant::now();
        let mut said = String::new();
        self.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(start.elapsed() < HANG, "took {:?}; {said}", start.elapsed());
        assert!(!said.contains("panicked"), "{said}");
        status
    }
}

#[test]
fn the_gate_ends_with_the_servers_status() {
    for (script, status) in [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)] {
        let run = Run::start(script);
        assert_eq!(run.ends().code(), Some(status), "{script}");
    }
}

#[test]
fn a_signal_to_the_gate_ends_the_server_and_its_children() {
    // f023
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut run = Run::start(FAMILY);
        assert_eq!(run.gets()["method"], "notifications/test/up");
        run.signal(signal);
        let status = run.ends();
        assert_eq!((status.code(), status.signal()), (Some(code), None));
    }
}

#[test]
fn the_end_of_input_ends_the_server_and_its_children() {
    // f022; the second does not heed the polite signal
    for script in [FAMILY.to_owned(), format!("trap '' TERM; {FAMILY}")] {
        let mut run = Run::start(&script);
        run.gets();
        run.stdin = None;
        run.ends();
    }
}

#[test]
fn a_server_that_reads_to_the_end_finishes_what_it_has_to_say() {
    let script = r#"while read -r line; do :; done; echo '{"jsonrpc":"2.0","method":"notifications/test/bye"}'; exit 3"#;
    let mut run = Run::start(script);
    run.stdin = None;
    assert_eq!(run.gets()["method"], "notifications/test/bye");
    assert_eq!(run.ends().code(), Some(3));
}

/// One line of a flood.
const FLOOD: &str = r#"{"jsonrpc":"2.0","method":"notifications/test/flood"}"#;

#[test]
fn a_client_that_stops_reading_and_leaves_ends_everything() {
    let mut run = Run::start(&format!("exec yes '{FLOOD}'"));
    run.gets();
    run.stdin = None;
    run.ends();
}

#[test]
fn a_client_that_leaves_and_reads_on_does_not_keep_a_server_that_never_stops() {
    let mut run = Run::start(&format!("exec yes '{FLOOD}'"));
    run.gets();
    run.stdin = None;
    let mut said = 0;
    while run.stdout.skip_until(b'\n').unwrap() > 0 {
        said += 1;
    }
    assert!(said > 0);
    run.ends();
}

#[test]
fn what_floods_a_client_that_left_is_not_read_to_its_end() {
    // The server's own copy says how much was taken of it. A client that left and reads nothing has one full box on the way, and of
    // a client whose output is closed too one read tells it.
    for (reads_on, most) in [(true, 10 << 20), (false, 1 << 20)] {
        let mut run = Run::start(&format!("cat >/dev/null; yes '{FLOOD}' | tee taken"));
        let taken = run.home.path().join("root/taken");
        let (home, stdout) = (std::mem::replace(&mut run.home, tempfile::tempdir().unwrap()), run.stdout.into_inner());
        let stdout = reads_on.then_some(stdout);
        drop(run.stdin);
        let mut said = String::new();
        run.stderr.unwrap().read_to_string(&mut said).unwrap();
        run.child.wait().unwrap();
        let taken = std::fs::metadata(taken).unwrap().len();
        assert!((1..most).contains(&taken), "{taken} bytes; {said}");
        drop((home, stdout));
    }
}

#[test]
fn a_client_that_leaves_while_the_server_owes_the_gate_its_list_ends_everything() {
    let mut run = Run::start(FAMILY);
    run.gets();
    run.says(&call(1, "unlisted", &json!({})));
    run.stdin = None;
    run.ends();
}

#[test]
fn open_calls_are_answered_when_the_server_dies() {
    let mut gate = Gate::start(&[]);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    gate.client_says(call(1, "read_file", &json!({ "path": "a.txt" })));
    gate.at_server();
    gate.client_says(call(2, "read_file", &json!({ "path": gate.path("outside/k") })));
    let question = gate.asked();
    gate.server_leaves();
    let mut open = vec![json!(1), json!(2)];
    while !open.is_empty() {
        let message = gate.client_gets();
        if message["method"] == "notifications/cancelled" {
            assert_eq!(message["params"]["requestId"], question["id"]);
            continue;
        }
        assert!(message["error"]["message"].as_str().unwrap().contains("server ended"), "{message}");
        open.retain(|id| *id != message["id"]);
    }
    gate.ends();
}

#[test]
fn standard_error_is_drained_and_passed_on() {
    // f025: 256 KiB before the answer
    let script = r#"
        while read -r line; do case "$line" in *ping*) break;; esac; done
        i=0; while [ $i -lt 4096 ]; do echo 'noise-noise-noise-noise-noise-noise-noise-noise-noise-noise-noise' >&2; i=$((i+1)); done
        echo '{"jsonrpc":"2.0","id":3,"result":{}}'
        while read -r line; do :; done"#;
    let mut run = Run::start(script);
    let mut stderr = run.stderr.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut said = String::new();
        stderr.read_to_string(&mut said).unwrap();
        said
    });
    run.says(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    assert_eq!(run.gets()["id"], 3);
    run.stdin = None;
    assert!(run.child.wait().unwrap().success());
    assert!(reading.join().unwrap().matches("noise-noise").count() >= 4096);
}

/// A gate whose standard input and output are socket pairs, as Node makes them.
fn on_sockets(home: &TempDir, script: &str) -> (Child, UnixStream, BufReader<UnixStream>) {
    let (to_gate, stdin) = UnixStream::pair().unwrap();
    let (from_gate, stdout) = UnixStream::pair().unwrap();
    let mut command = command(home.path(), "", script);
    command.stdin(OwnedFd::from(stdin)).stdout(OwnedFd::from(stdout));
    let child = command.spawn().unwrap();
    (child, to_gate, BufReader::new(from_gate))
}

#[test]
fn socket_pairs_do_as_well_as_pipes() {
    let home = Gate::furnished();
    let (mut child, mut to_gate, mut from_gate) = on_sockets(&home, "exec cat");
    let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":"{}"}}}}"#, "é".repeat(100_000));
    writeln!(to_gate, "{line}").unwrap();
    let mut back = String::new();
    from_gate.read_line(&mut back).unwrap();
    assert_eq!(back.trim_end(), line);
    drop(to_gate);
    assert!(child.wait().unwrap().success());
    assert_eq!(from_gate.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_server_that_never_reads_stops_the_client_and_not_the_end() {
    const MOST: usize = 24 << 20;
    let home = Gate::furnished();
    let (mut child, mut to_gate, mut from_gate) = on_sockets(&home, FAMILY);
    from_gate.read_line(&mut String::new()).unwrap();
    to_gate.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{{\"x\":\"{}\"}}}}\n", "y".repeat(200_000));
    let mut written = 0;
    while written < 4 * MOST && to_gate.write_all(line.as_bytes()).is_ok() {
        written += line.len();
    }
    assert!(written < MOST, "{written} bytes were taken for a server that reads none");
    let start = Instant::now();
    drop(to_gate);
    let mut said = Vec::new();
    child.stderr.take().unwrap().read_to_end(&mut said).unwrap();
    child.wait().unwrap();
    assert!(start.elapsed() < HANG, "took {:?}", start.elapsed());
}

#[test]
fn a_client_that_leaves_behind_more_than_the_server_reads_ends_everything() {
    let mut run = Run::start(FAMILY);
    run.gets();
    run.says(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":"{}"}}}}"#, "y".repeat(500_000)));
    run.stdin = None;
    run.ends();
}

/// A server that lists its one tool, and answers everything else with `said`.
fn lists_and(said: &str) -> String {
    let listed = r#"{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"read_file"}]}}"#;
    format!(
        r#"
        while read -r line; do
            id=$(expr "$line" : '.*"id":\([0-9]*\)')
            case "$line" in
                *tools/list*) echo '{listed}';;
                *) echo '{said}';;
            esac
        done"#
    )
}

#[test]
fn a_call_whose_verdict_cannot_be_recorded_is_refused() {
    // It tells of everything but the list that it gets.
    let script = &lists_and(r#"{"jsonrpc":"2.0","method":"notifications/test/got"}"#);
    // No file can grow, as on a full disk.
    let mut run = Run::start_after(r#"trap "" XFSZ; ulimit -f 0;"#, script);
    run.says(&call(2, "read_file", &json!({ "path": "a.txt" })));
    let refused = run.gets();
    assert_eq!((&refused["id"], refusal(&refused)), (&json!(2), "unrecorded"));
    run.says(r#"{"jsonrpc":"2.0","method":"notifications/test/mark"}"#);
    assert_eq!(run.gets()["method"], "notifications/test/got");
    run.stdin = None;
    assert_eq!(run.stdout.read_line(&mut String::new()).unwrap(), 0, "one message reached the server: the mark");
    run.ends();
}

#[test]
fn a_disk_that_fills_up_stops_calls_and_no_call_goes_out_unrecorded() {
    let script = &lists_and(r#"{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[]}}"#);
    // The log has room for some verdicts (a block is 512 bytes).
    let mut run = Run::start_after(r#"trap "" XFSZ; ulimit -f 8;"#, script);
    let total = 30;
    let mut passed = 0;
    for id in 1..=total {
        run.says(&call(id, "read_file", &json!({ "path": "a.txt" })));
        let reply = run.gets();
        assert_eq!(reply["id"], id);
        match reply["result"].get("isError") {
            None => passed += 1,
            Some(_) => assert_eq!(refusal(&reply), "unrecorded"),
        }
    }
    let log = std::fs::read_to_string(run.home.path().join("audit.jsonl")).unwrap();
    let allowed = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).filter(|line| line["verdict"] == "allow").count();
    assert!((1..total).contains(&passed) && passed <= allowed as u64, "{passed} passed, {allowed} on record");
    run.stdin = None;
    run.ends();
}

#[test]
fn the_audit_of_a_session_verifies_until_a_line_is_changed() {
    let mut gate = Gate::start(&[]);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    for (id, words) in [(1, "allow once"), (2, "deny")] {
        gate.client_says(call(id, "read_file", &json!({ "path": gate.path("outside/k") })));
        let question = gate.asked();
        gate.accepts(&question, words);
    }
    gate.at_server();
    assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
    gate.server_says(reply(1));
    gate.client_gets();
    let file = gate.path("audit.jsonl");
    let verify = || Command::new(env!("CARGO_BIN_EXE_callgate")).args(["verify", &file]).output().unwrap();
    let verified = verify();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let text = std::fs::read_to_string(&file).unwrap();
    let verdicts: Vec<Value> = gate.audit().iter().map(|line| line["verdict"].clone()).collect();
    assert!(verdicts.contains(&json!("allow")) && verdicts.contains(&json!("deny")), "{verdicts:?}");
    std::fs::write(&file, text.replacen("outside/k", "outside/j", 1)).unwrap();
    let broken = verify();
    assert!(!broken.status.success());
    let said = [broken.stdout, broken.stderr].concat();
    assert!(String::from_utf8_lossy(&said).contains("line 1"), "{}", String::from_utf8_lossy(&said));
}
