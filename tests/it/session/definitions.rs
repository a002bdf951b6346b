//! What a server says of its tools, in front of a live gate: changes between lists, the access level, and names byte for byte.
use crate::support::bare_session::{self, Bench};
use crate::support::gate_process::{Gate, call, refusal};
use callgate::analyse::Definition;
use callgate::gate::{Grant, Key, ToolVersion};
use serde_json::{Value, json};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

fn gate(tools: &Value, options: &[&str]) -> Gate {
    let mut gate = Gate::start(options);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    gate.tools = Some(json!({ "tools": tools }).to_string());
    gate
}

fn search(description: &str, hints: &Value) -> Value {
    json!([{ "name": "search", "description": description, "inputSchema": { "type": "object" }, "annotations": hints }])
}

/// The client lists the tools and the server answers with `tools`.
fn lists(gate: &mut Gate, id: u64, tools: &Value) {
    let ask = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }).to_string();
    gate.client_says(&ask);
    assert_eq!(gate.at_server(), ask);
    let line = json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": tools } }).to_string();
    gate.server_says(&line);
    assert_eq!(gate.at_client(), line);
}

#[test]
fn a_definition_that_changed_between_two_lists_is_asked_about_with_the_difference() {
    // e019
    let hints = json!({ "readOnlyHint": true });
    let mut gate = gate(&json!([]), &[]);
    lists(&mut gate, 1, &search("finds words", &hints));
    let line = call(2, "search", &json!({ "q": "x" }));
    gate.client_says(&line);
    assert_eq!(gate.at_server(), line);
    lists(&mut gate, 3, &search("finds words and mails them", &hints));
    let line = call(4, "search", &json!({ "q": "x" }));
    gate.client_says(&line);
    let question = gate.asked();
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("definition changed") && message.contains("and mails them"), "{message}");
    gate.accepts(&question, "allow once");
    assert_eq!(gate.at_server(), line);
    // Once is once; for the session means that the new definition is the one to compare with.
    let again = call(5, "search", &json!({ "q": "x" }));
    gate.client_says(&again);
    let question = gate.asked();
    gate.accepts(&question, "allow for this session");
    assert_eq!(gate.at_server(), again);
    let free = call(6, "search", &json!({ "q": "y" }));
    gate.client_says(&free);
    assert_eq!(gate.at_server(), free);
}

#[test]
fn after_list_changed_the_gate_lists_again_before_it_judges() {
    // e020
    let hints = json!({ "readOnlyHint": true });
    let mut gate = gate(&search("v1", &hints), &[]);
    let line = call(1, "search", &json!({}));
    gate.client_says(&line);
    assert_eq!(gate.at_server(), line);
    gate.server_says(CHANGED);
    assert_eq!(gate.at_client(), CHANGED);
    gate.tools = None;
    gate.client_says(call(2, "search", &json!({})));
    let listing: Value = serde_json::from_str(&gate.at_server()).unwrap();
    assert_eq!(listing["method"], "tools/list");
    assert!(listing["id"].is_u64(), "f020: an integer, and none that a client counts to");
    gate.server_says(json!({ "jsonrpc": "2.0", "id": listing["id"], "result": { "tools": search("v2", &hints) } }).to_string());
    let question = gate.asked();
    gate.answers(&question, &json!({ "action": "decline" }));
    assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
    gate.nothing_for_server();
}

#[test]
fn hints_that_loosen_are_a_change_and_absent_ones_are_not() {
    let table = [
        (json!({ "readOnlyHint": false }), json!({ "readOnlyHint": true }), true),
        (json!({ "destructiveHint": true }), json!({ "destructiveHint": false }), true),
        (json!({ "readOnlyHint": true }), json!({ "readOnlyHint": false }), false),
        (json!({ "readOnlyHint": true }), Value::Null, false),
        (json!({ "destructiveHint": true }), json!({}), false),
        (json!({ "openWorldHint": true }), json!({ "openWorldHint": true }), false),
    ];
    for (before, after, asks) in table {
        let mut gate = gate(&json!([]), &[]);
        lists(&mut gate, 1, &search("finds", &before));
        lists(&mut gate, 2, &search("finds", &after));
        let line = call(3, "search", &json!({}));
        gate.client_says(&line);
        if asks {
            gate.asked();
            gate.nothing_for_server();
        } else {
            assert_eq!(gate.at_server(), line, "{before} then {after}");
        }
    }
}

#[test]
fn a_changed_definition_with_nobody_to_ask_is_refused_for_that() {
    let mut gate = gate(&json!([]), &["--non-interactive"]);
    lists(&mut gate, 1, &search("v1", &json!({})));
    lists(&mut gate, 2, &search("v2", &json!({})));
    gate.client_says(call(3, "search", &json!({})));
    assert_eq!(refusal(&gate.client_gets()), "changed_definition");
    gate.nothing_for_server();
}

#[test]
fn names_are_compared_byte_for_byte_and_an_unlisted_one_is_refused() {
    // e022, e031, e032
    let tools = json!([{ "name": "get_user" }, { "name": "get.user" }]);
    let mut gate = gate(&tools, &[]);
    for (id, name) in [(1, "get_user"), (2, "get.user")] {
        let line = call(id, name, &json!({ "id": "1" }));
        gate.client_says(&line);
        assert_eq!(gate.at_server(), line);
    }
    for (id, name) in (10..).zip(["GET_USER", "Get_user", "get_user ", "get-user", "get_user_v2", "ｇet_user", "get_user\u{200b}", ""]) {
        gate.client_says(call(id, name, &json!({ "id": "1" })));
        let message = gate.client_gets();
        assert_eq!(message["id"], id);
        assert!(message["error"].is_object() || refusal(&message) == "unknown_tool", "{name:?}: {message}");
    }
    gate.nothing_for_server();
}

#[test]
fn an_answer_for_one_tool_name_is_none_for_its_twin() {
    // e031, e032: two tools, two definitions, two answers
    let twins = |text: &str| json!([{ "name": "get_user", "description": text }, { "name": "GET_USER", "description": text }]);
    let mut gate = gate(&json!([]), &[]);
    lists(&mut gate, 1, &twins("v1"));
    lists(&mut gate, 2, &twins("v2"));
    let line = call(3, "get_user", &json!({}));
    gate.client_says(&line);
    let question = gate.asked();
    gate.accepts(&question, "allow for this session");
    assert_eq!(gate.at_server(), line);
    gate.client_says(call(4, "GET_USER", &json!({})));
    let question = gate.asked();
    assert!(question["params"]["message"].as_str().unwrap().contains("GET_USER"));
    gate.nothing_for_server();
}

#[test]
fn read_only_cuts_lists_and_refuses_calls() {
    let mut gate = gate(&json!([]), &["--access", "read_only"]);
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    gate.client_says(ask);
    gate.at_server();
    let reader = r#"{"name":"look", "description":"é\u00e9 \/","annotations":{"readOnlyHint":true},"n":1.10}"#;
    let writer = r#"{"name":"drop","annotations":{"readOnlyHint":false}}"#;
    let unknown = r#"{ "name" : "dunno" }"#;
    let last = r#"{"annotations":{"readOnlyHint":true},"name":"peek"}"#;
    let page = |tools: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{ "tools":[{tools}],"nextCursor":"2", "x":[1,2]}}}}"#);
    gate.server_says(page(&[writer, reader, unknown, last].join(",")));
    assert_eq!(gate.at_client(), page(&[reader, last].join(",")), "what stays, stays byte for byte");
    gate.tools = Some(format!(r#"{{"tools":[{reader},{writer},{unknown},{last}]}}"#));
    let line = call(2, "look", &json!({}));
    gate.client_says(&line);
    assert_eq!(gate.at_server(), line);
    for (id, name) in [(3, "drop"), (4, "dunno")] {
        gate.client_says(call(id, name, &json!({})));
        assert_eq!(refusal(&gate.client_gets()), "denied_by_policy", "{name}");
    }
    gate.nothing_for_server();
}

#[test]
fn a_server_that_cannot_list_has_no_tools() {
    let mut gate = Gate::start(&[]);
    gate.tools = None;
    gate.client_says(call(1, "t", &json!({})));
    let listing: Value = serde_json::from_str(&gate.at_server()).unwrap();
    gate.server_says(json!({ "jsonrpc": "2.0", "id": listing["id"], "error": { "code": -32601, "message": "no" } }).to_string());
    assert_eq!(refusal(&gate.client_gets()), "unknown_tool");
    gate.nothing_for_client();
    gate.nothing_for_server();
}

#[test]
fn a_tool_that_no_longer_says_that_it_destroys_is_still_known_to() {
    let drop_with = |hints: Value| json!([{ "name": "drop", "annotations": hints }]);
    for later in [json!({}), json!({ "destructiveHint": false }), json!({ "readOnlyHint": true })] {
        let mut gate = gate(&json!([]), &[]);
        lists(&mut gate, 1, &drop_with(json!({ "destructiveHint": true })));
        lists(&mut gate, 2, &drop_with(later.clone()));
        gate.client_says(call(3, "drop", &json!({ "path": gate.path("outside/k") })));
        let question = gate.asked();
        assert!(question["params"]["message"].as_str().unwrap().contains("(known to destroy)"), "{later}: {question}");
    }
}

#[test]
fn a_kept_grant_is_void_once_the_definition_is_another() {
    let directory = Key::Directory("/gate/out".into());
    let definition = Definition::from_value(json!({ "name": "read_file" })).digest();
    for (server, version, free) in [("s", "", true), ("s", "v2", false), ("other", "", false)] {
        let (server, definition) = (server.to_owned(), definition.clone());
        let grant = Grant::always(ToolVersion { server, tool: "read_file".to_owned(), definition }, directory.clone());
        let mut bench = Bench::opened(bare_session::config(|config| config.grants.add(grant)), "unheard-of");
        if !version.is_empty() {
            bench.client_says(&json!({ "jsonrpc": "2.0", "id": "again", "method": "tools/list" }));
            let tools = json!([{ "name": "read_file", "description": version }]);
            bench.server_says(&json!({ "jsonrpc": "2.0", "id": "again", "result": { "tools": tools } }));
        }
        (bench.client, bench.server) = (Vec::new(), Vec::new());
        bench.client_says(&bare_session::call(1, "read_file", "/gate/out/k"));
        assert_eq!(bench.server.len(), usize::from(free), "{version}");
        if !version.is_empty() {
            let form = bench.client[0]["params"]["requestedSchema"]["properties"].as_object().unwrap();
            assert_eq!(form.len(), 2, "the definition and the directory are both asked about: {form:?}");
        }
    }
}
