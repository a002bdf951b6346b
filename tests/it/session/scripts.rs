//! Script files that a command runs, in front of a live gate: they are read before the call is judged, and an answer counts only for the
//! text that it was given for.
use std::path::Path;
use std::process::Command;

use crate::support::gate_process::{Gate, call, own_key, refusal};
use serde_json::{Value, json};

const ONCE: &str = "allow once";

fn gate() -> Gate {
    let mut gate = Gate::start(&[]);
    gate.initialize("2025-11-25", &json!({ "elicitation": {} }));
    gate
}

fn runs(id: u64, command: &str) -> String {
    call(id, "t", &json!({ "command": command }))
}

fn write(gate: &Gate, name: &str, text: &str) {
    std::fs::write(gate.path("root").parse::<std::path::PathBuf>().unwrap().join(name), text).unwrap();
}

/// Each of the commands reaches the server.
fn passes(gate: &mut Gate, commands: &[&str]) {
    for (id, command) in (100..).zip(commands) {
        gate.client_says(runs(id, command));
        assert_eq!(gate.at_either(), Ok(runs(id, command)), "{command}");
    }
}

fn message(question: &Value) -> &str {
    question["params"]["message"].as_str().unwrap()
}

#[test]
fn a_script_is_judged_by_what_it_does() {
    let mut gate = gate();
    write(&gate, "inside.sh", "set -e\nfor f in *.txt; do grep -q x \"$f\" || continue; done\n");
    write(&gate, "outside.sh", "# comment\ncat ../outside/k\n");
    write(&gate, "calls.sh", "./second.sh ../outside\n");
    write(&gate, "second.sh", "#!/bin/sh\ncp \"$1/k\" .\n");
    write(&gate, "python", "#!/usr/bin/env python3\ncat ../outside/k\n");
    passes(&mut gate, &["sh inside.sh", "./python"]);
    for (id, (command, place)) in (200..).zip([
        ("sh outside.sh", "line 2 of `outside.sh`"),
        ("bash -x ./outside.sh", "line 2 of `./outside.sh`"),
        (". ./outside.sh", "line 2 of `./outside.sh`"),
        ("./outside.sh", "line 2 of `./outside.sh`"),
        ("sh calls.sh", "line 2 of `./second.sh`"),
    ]) {
        gate.client_says(runs(id, command));
        let question = gate.asked();
        assert!(message(&question).contains(place), "{command}: {}", message(&question));
        gate.accepts(&question, ONCE);
        assert_eq!(gate.at_server(), runs(id, command));
    }
}

#[test]
fn what_is_no_plain_text_inside_is_not_read() {
    let mut gate = gate();
    let root = gate.path("root");
    assert!(Command::new("mkfifo").arg(Path::new(&root).join("pipe.sh")).status().unwrap().success());
    write(&gate, "binary", "\0cat ../outside/k\n");
    write(&gate, "large.sh", &"# long\n".repeat(100_000));
    passes(&mut gate, &["sh pipe.sh", "./binary", "sh large.sh", "sh missing.sh"]);
    // A link out is a place outside, whatever stands there.
    std::fs::write(gate.path("outside/s.sh"), "cat a.txt\n").unwrap();
    std::os::unix::fs::symlink("../outside/s.sh", Path::new(&root).join("link.sh")).unwrap();
    gate.client_says(runs(2, "sh link.sh"));
    let question = gate.asked();
    assert!(message(&question).contains("outside"));
}

#[test]
fn a_script_that_was_changed_while_it_was_asked_about_is_asked_about_again() {
    // g008; also where what it does now would not be asked about by itself.
    for changed in ["cat ../outside/k ../outside/other\n", "other\n"] {
        let mut gate = gate();
        write(&gate, "job.sh", "cat ../outside/k\n");
        let line = runs(1, "sh ./job.sh");
        gate.client_says(&line);
        let question = gate.asked();
        write(&gate, "job.sh", changed);
        gate.accepts(&question, ONCE);
        let again = gate.asked();
        assert!(message(&again).contains("was changed after it was asked about"), "{}", message(&again));
        gate.answers(&again, &json!({ "action": "decline" }));
        assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
        gate.nothing_for_server();
    }
}

#[test]
fn an_answer_holds_while_the_script_stays() {
    let mut gate = gate();
    write(&gate, "job.sh", "cat ../outside/k\n");
    let line = runs(1, "sh ./job.sh");
    gate.client_says(&line);
    let question = gate.asked();
    gate.accepts(&question, ONCE);
    assert_eq!(gate.at_server(), line);
}

#[test]
fn a_retry_brings_no_approval_for_another_text() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let line = |id: u64, more: Value| {
        let mut params = json!({ "name": "t", "arguments": { "command": "sh job.sh" }, "_meta": meta });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let answer = |state: &Value| json!({ own_key(state.as_str().unwrap()): { "action": "accept", "content": { "decision": ONCE } } });
    let mut gate = Gate::start(&[]);
    write(&gate, "job.sh", "cat ../outside/k\n");
    let asks = |gate: &mut Gate, line: &str| {
        gate.client_says(line);
        let reply = gate.client_gets();
        assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
        reply["result"]["requestState"].clone()
    };
    let state = asks(&mut gate, &line(1, json!({})));
    write(&gate, "job.sh", "cat ../outside/k; rm a.txt\n");
    asks(&mut gate, &line(2, json!({ "inputResponses": answer(&state), "requestState": state })));
    gate.nothing_for_server();
    let state = asks(&mut gate, &line(3, json!({})));
    gate.client_says(line(4, json!({ "inputResponses": answer(&state), "requestState": state })));
    assert!(gate.at_server().contains("job.sh"));
}
