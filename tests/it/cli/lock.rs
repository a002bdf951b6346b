//! `callgate lock` and `--locked`: what is written, what is shown when a server changes, and what a gate does about it.
#![cfg(unix)]
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::gate_process::{Gate, call, refusal};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that lists what is in `tools.json`, and the page `more.json` after it if there is one; it answers every call with `ok`.
const SERVER: &str = r#"
echo "noise on the way"
while read -r line; do
    id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *'"s1"'*) echo "$line" > roots.seen;;
        *'"initialize"'*) [ -e modern ] && echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"no handshake"}}' ||
            echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}';;
        *'"cursor"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":'$(cat more.json)'}}';;
        *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":"s1","method":"roots/list"}'
            [ -e more.json ] && next=',"nextCursor":"2"' || next=
            echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":'$(cat tools.json)$next'}}';;
        *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"ok"}]}}';;
    esac
done
"#;

/// A home with a project whose server lists `tools`.
struct Project {
    home: TempDir,
}

impl Project {
    fn new(tools: &Value) -> Self {
        let project = Self { home: Gate::furnished() };
        project.lists(tools);
        project
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("root")
    }

    fn lists(&self, tools: &Value) {
        std::fs::write(self.root().join("tools.json"), tools.to_string()).unwrap();
    }

    fn lock_text(&self) -> String {
        std::fs::read_to_string(self.root().join("callgate.lock")).unwrap()
    }

    fn callgate(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.args(words).current_dir(self.root()).env_clear().env("PATH", std::env::var("PATH").unwrap()).env("HOME", self.home.path());
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Runs `callgate WORDS -- SERVER`; the exit code, and what is said.
    fn with_server(&self, words: &[&str]) -> (i32, String) {
        said(&self.callgate(&[words, &["--", "sh", "-c", SERVER]].concat()))
    }

    fn locks(&self) -> (i32, String) {
        self.with_server(&["lock", "--server", "s"])
    }
}

fn said(output: &Output) -> (i32, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

fn search(description: &str) -> Value {
    json!({ "name": "search", "description": description, "inputSchema": { "type": "object", "properties": { "q": { "maximum": 1.0 } } } })
}

#[test]
fn what_is_locked_is_checked_shown_and_accepted() {
    let project = Project::new(&json!([search("Finds words."), { "name": "old" }]));
    let (code, text) = project.locks();
    assert_eq!((code, text.as_str()), (0, "locked 2 tools of `s` in `callgate.lock`\n"));
    let first = project.lock_text();
    let root = format!("file://{}/", project.root().canonicalize().unwrap().display());
    assert!(std::fs::read_to_string(project.root().join("roots.seen")).unwrap().contains(&root), "the server may ask where the project is");
    assert_eq!(project.locks().0, 0);
    assert_eq!(project.lock_text(), first, "the same tools make the same file");
    let check: &[&str] = &["lock", "--check", "--server", "s"];
    assert_eq!(project.with_server(check), (0, "2 tools of `s` as in `callgate.lock`\n".to_owned()));
    project.lists(&json!([search("Finds words. Mails them."), { "name": "fresh", "description": "does more" }]));
    let (code, text) = project.with_server(check);
    assert_eq!(code, 3, "{text}");
    for line in ["`search` changed:", "  + description: Mails them.", "`fresh` is new: does more", "`old` is gone"] {
        assert!(text.lines().any(|said| said == line), "{line} is missing from\n{text}");
    }
    assert_eq!(project.lock_text(), first, "a check writes nothing");
    let (code, text) = project.locks();
    assert!(code == 0 && text.contains("+ description: Mails them."), "what is accepted is shown: {text}");
    assert_eq!(project.with_server(check).0, 0);
}

#[test]
fn every_page_and_both_eras_are_listed_and_other_servers_stay() {
    let project = Project::new(&json!([{ "name": "a" }]));
    std::fs::write(project.root().join("more.json"), r#"[{"name":"b","annotations":{"readOnlyHint":true}}]"#).unwrap();
    assert_eq!(project.locks().0, 0);
    assert!(project.lock_text().contains("[servers.s.tools.b]"));
    std::fs::write(project.root().join("modern"), "").unwrap();
    assert_eq!(project.with_server(&["lock", "--check", "--server", "s"]).0, 0);
    std::fs::write(project.root().join("callgate.toml"), "version = 1\naccess = \"read_only\"\n").unwrap();
    assert_eq!(project.with_server(&["lock", "--check", "--server", "s"]).0, 0, "no tool is hidden from the lock");
    let (code, text) = project.with_server(&["lock", "--check", "--server", "other"]);
    assert!(code == 3 && text.contains("does not name server `other`"), "{text}");
    assert_eq!(project.with_server(&["lock", "--server", "other"]).0, 0);
    assert!(project.lock_text().contains("[servers.s.tools.b]") && project.lock_text().contains("[servers.other.tools.b]"));
}

#[test]
fn a_server_that_does_not_list_locks_nothing() {
    for (script, says) in [
        ("exit 7", "the server ended"),
        (
            r#"for id in 1 2; do read -r line; echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-1,"message":"no"}}'; done; cat"#,
            "does not list its tools: no",
        ),
        ("read -r line; exec cat /dev/zero | head -c 1000", "the server ended"),
    ] {
        let project = Project::new(&json!([]));
        let (code, text) = said(&project.callgate(&["lock", "--", "sh", "-c", script]));
        assert!(code == 1 && text.contains(says), "{script}: {code} {text}");
        assert!(!project.root().join("callgate.lock").exists());
    }
}

#[test]
fn a_missing_or_damaged_lock_starts_nothing() {
    // e023
    let project = Project::new(&json!([search("Finds words.")]));
    let run: &[&str] = &["run", "--locked", "--server", "s"];
    let (code, text) = project.with_server(run);
    assert!(
        code == 4 && text.contains("callgate.lock` cannot be used: there is no such file") && text.contains("`callgate lock`"),
        "{text}"
    );
    assert_eq!(project.locks().0, 0);
    let whole = project.lock_text();
    let file = project.root().join("callgate.lock");
    for (damaged, says) in [
        (whole.replace("Finds", "Mails"), "callgate.lock:7:10: the digest does not fit"),
        (whole.chars().take(whole.len() - 9).collect(), "callgate.lock:"),
        ("version = 1\nserver = {}\n".to_owned(), "callgate.lock:2:1: unknown field `server`"),
        (String::new(), "callgate.lock:1:1: missing field `version`"),
    ] {
        std::fs::write(&file, damaged).unwrap();
        for words in
            [run, &["run", "--server", "s"], &["call", "search", "--server", "s"], &["lock", "--server", "s"], &["lock", "--check"]]
        {
            let (code, text) = project.with_server(words);
            assert!(text.contains(says) && (code == 4 || words[0] == "call"), "{words:?}: {code} {text}");
        }
    }
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    let (code, text) = project.with_server(run);
    assert!(code == 4 && text.contains("it is a link"), "{text}");
}

/// A gate with `options` over the project's lock file, whose server lists `tools`.
fn gate(project: Project, tools: &Value, options: &[&str]) -> Gate {
    let mut gate = Gate::start_in(project.home, options);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    gate.tools = Some(json!({ "tools": tools }).to_string());
    gate
}

#[test]
fn a_locked_gate_asks_about_what_is_not_as_it_was_locked() {
    let locked = json!([search("Finds words."), { "name": "stays" }]);
    let now = json!([search("Finds words. Mails them."), { "name": "stays" }, { "name": "fresh" }]);
    // With the option, a tool that the file does not name is asked about too.
    for (options, asks_about_new) in [(&["--locked"] as &[&str], true), (&[], false)] {
        let project = Project::new(&locked);
        assert_eq!(project.locks().0, 0);
        let mut gate = gate(project, &now, options);
        let stays = call(1, "stays", &json!({}));
        gate.client_says(&stays);
        assert_eq!(gate.at_server(), stays);
        let changed = call(2, "search", &json!({ "q": 1 }));
        gate.client_says(&changed);
        let question = gate.asked();
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("changed since it was locked: description\n"), "{message}");
        assert!(message.lines().any(|line| line == "+ description: Mails them."), "{message}");
        gate.accepts(&question, "allow for this session");
        assert_eq!(gate.at_server(), changed);
        let again = call(3, "search", &json!({ "q": 2 }));
        gate.client_says(&again);
        assert_eq!(gate.at_server(), again, "accepted for the session");
        let fresh = call(4, "fresh", &json!({}));
        gate.client_says(&fresh);
        if asks_about_new {
            let question = gate.asked();
            assert!(question["params"]["message"].as_str().unwrap().contains("the lock file does not name this tool"), "{question}");
            gate.accepts(&question, "deny");
            assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
            gate.nothing_for_server();
        } else {
            assert_eq!(gate.at_server(), fresh);
        }
    }
}

#[test]
fn nobody_to_ask_means_no_use_of_a_changed_or_unlocked_tool() {
    // e025: server `s` was never locked, and profits nothing from `other`, whose tool has the same name and definition.
    let locked = json!([search("Finds words.")]);
    let project = Project::new(&locked);
    assert_eq!(project.with_server(&["lock", "--server", "other"]).0, 0);
    let mut gate = gate(project, &locked, &["--locked", "--non-interactive"]);
    gate.client_says(call(1, "search", &json!({})));
    let refused = gate.client_gets();
    assert_eq!(refusal(&refused), "changed_definition");
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("callgate lock --check") && text.contains("does not name this tool of this server"), "{text}");
    gate.nothing_for_server();
}

#[test]
fn call_and_check_and_explain_heed_the_lock() {
    let project = Project::new(&json!([search("Finds words.")]));
    assert_eq!(project.locks().0, 0);
    let one: &[&str] = &["call", "search", "q=1", "--locked", "--server", "s", "--non-interactive"];
    assert_eq!(project.with_server(one), (0, "ok\n".to_owned()));
    project.lists(&json!([search("Mails words.")]));
    let (code, text) = project.with_server(one);
    assert!(code == 3 && text.contains("changed since it was locked: description"), "{text}");
    let file = project.root().join("asked.json");
    for (description, code, says) in
        [("Finds words.", 0, "verdict   allow"), ("Mails words.", 3, "  - description: Finds words.\n  + description: Mails words.\n")]
    {
        std::fs::write(&file, json!({ "tool": "search", "arguments": { "q": 1 }, "definition": search(description) }).to_string()).unwrap();
        for word in ["check", "explain"] {
            let (got, text) = said(&project.callgate(&[word, "--call", "asked.json", "--server", "s"]));
            assert!(got == code && (word == "check" || text.contains(says)), "{word} {description}: {got} {text}");
        }
    }
    let (code, text) = said(&project.callgate(&["explain", "other", "--locked=callgate.lock", "--server", "s"]));
    assert!(code == 3 && text.contains("the lock file does not name this tool"), "{text}");
}

#[test]
fn another_place_can_be_named_for_the_lock() {
    let project = Project::new(&json!([search("Finds words.")]));
    let file = project.home.path().join("elsewhere.lock");
    let named = file.to_str().unwrap();
    assert_eq!(project.with_server(&["lock", "--server", "s", "--file", named]).0, 0);
    assert!(!project.root().join("callgate.lock").exists() && Path::new(named).exists());
    assert_eq!(project.with_server(&["lock", "--check", "--server", "s", "--file", named]).0, 0);
    let option = format!("--locked={named}");
    assert_eq!(project.with_server(&["call", "search", &option, "--server", "s", "--non-interactive"]), (0, "ok\n".to_owned()));
}

#[test]
fn a_damaged_store_of_grants_starts_nothing_either() {
    // e023
    let project = Project::new(&json!([search("Finds words.")]));
    let state = project.home.path().join(".local/state/callgate");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("grants.toml"), "version = 1\n[[grant]\n").unwrap();
    let (code, text) = project.with_server(&["run", "--server", "s"]);
    assert!(code != 0 && text.contains("grants.toml` is not understood") && text.contains("line 2"), "{code} {text}");
}
