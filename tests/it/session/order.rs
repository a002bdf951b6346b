//! Calls that touch the same file go one after the other, and relative paths are sent as they were judged where the policy says so.
use crate::support::gate_process::{Gate, call, reply};
use serde_json::json;

/// A server whose tools declare which argument is a path.
const DECLARED: &str = r#"{"tools":[{"name":"write_file","inputSchema":{"type":"object"},"_meta":{"checkpaths":["path"]}},{"name":"move","inputSchema":{"type":"object"},"_meta":{"checkpaths":["from","to"]}}]}"#;

fn gate(options: &[&str]) -> Gate {
    let mut gate = Gate::start(options);
    gate.tools = Some(DECLARED.to_owned());
    gate
}

#[test]
fn the_second_write_of_a_file_waits_for_the_first() {
    let mut gate = gate(&[]);
    let absolute = gate.path("root/a.txt");
    let first = call(1, "write_file", &json!({ "path": "a.txt", "content": "1" }));
    let second = call(2, "write_file", &json!({ "path": absolute, "content": "2" }));
    let elsewhere = call(3, "write_file", &json!({ "path": "b.txt", "content": "3" }));
    for line in [&first, &second, &elsewhere] {
        gate.client_says(line);
    }
    assert_eq!(gate.at_server(), first);
    assert_eq!(gate.at_server(), elsewhere, "another file does not wait");
    gate.nothing_for_server();
    gate.server_says(reply(1));
    assert_eq!(gate.at_server(), second);
}

#[test]
fn overlapping_sets_wait_in_call_order() {
    let mut gate = gate(&[]);
    let lines = [
        call(1, "move", &json!({ "from": "a.txt", "to": "b.txt" })),
        call(2, "move", &json!({ "from": "b.txt", "to": "c.txt" })),
        call(3, "write_file", &json!({ "path": "c.txt", "content": "3" })),
    ];
    for line in &lines {
        gate.client_says(line);
    }
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(&gate.at_server(), line);
        gate.nothing_for_server();
        gate.server_says(reply(index + 1));
    }
}

#[test]
fn a_cancelled_call_lets_the_next_one_go() {
    let mut gate = gate(&[]);
    let second = call(2, "write_file", &json!({ "path": "a.txt", "content": "2" }));
    gate.client_says(call(1, "write_file", &json!({ "path": "a.txt", "content": "1" })));
    gate.client_says(&second);
    gate.at_server();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    gate.client_says(cancel);
    assert_eq!(gate.at_server(), cancel);
    assert_eq!(gate.at_server(), second);
}

#[test]
fn relative_paths_are_sent_absolute_where_the_policy_says_so() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("root")).unwrap();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "version = 1\n[servers.s]\nrewrite_relative = true\n").unwrap();
    let mut gate = Gate::start_in(home, &["--policy", &policy.to_string_lossy()]);
    gate.tools = Some(DECLARED.to_owned());
    gate.client_says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{"n":1.10,"path":"sub/a.txt","content":"see a.txt"}}}"#);
    let root = std::fs::canonicalize(gate.path("root")).unwrap();
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"write_file","arguments":{{"n":1.10,"path":"{}/sub/a.txt","content":"see a.txt"}}}}}}"#,
        root.display()
    );
    assert_eq!(gate.at_server(), expected, "only the path is changed, the rest is the same bytes");
}
