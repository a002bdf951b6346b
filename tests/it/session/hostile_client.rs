//! A client that tries to have a server do what the gate would not let through as a call.
use std::sync::Arc;

use crate::support::bare_session::{Bench, config};
use crate::support::gate_process::{Gate, call, refusal};
use callgate::policy::{Access, Text, Trust, load};
use serde_json::{Value, json};

fn request(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

#[test]
fn a_denied_tool_is_denied_under_every_method_that_names_it() {
    let text = "version = 1\n[tools.danger]\naction = \"deny\"\n".to_owned();
    let policy = Arc::new(load(&[Text { name: "policy.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap());
    let table = [
        ("tasks/run", json!({ "name": "danger" }), false),
        ("tasks/create", json!({ "name": "dan\u{67}er", "arguments": {} }), false),
        ("x/call", json!({ "name": "danger" }), false),
        ("tasks/get", json!({ "taskId": "t", "name": "danger" }), false),
        ("tasks/run", json!({ "name": "harmless" }), true),
        ("tasks/get", json!({ "taskId": "danger" }), true),
    ];
    for (method, params, passes) in table {
        let mut bench = Bench::opened(config(|config| config.policy = Arc::clone(&policy)), "unheard-of");
        bench.client_says(&request(method, &params));
        assert_eq!(bench.server.len(), usize::from(passes), "{method} {params}");
        assert_eq!(bench.client.first().map(|reply| &reply["error"]["code"]), (!passes).then_some(&json!(-31403)), "{method} {params}");
    }
}

#[test]
fn read_only_knows_the_methods_of_tasks_by_their_names() {
    for (method, passes) in [("tasks/get", true), ("tasks/list", true), ("tasks/update", true), ("tasks/run", false), ("tasks/", false)] {
        let mut bench = Bench::opened(config(|config| config.access = Access::ReadOnly), "unheard-of");
        bench.client_says(&request(method, &json!({ "taskId": "t" })));
        assert_eq!(bench.server.len(), usize::from(passes), "{method}");
        assert_eq!(bench.client.first().map(|reply| &reply["error"]["code"]), (!passes).then_some(&json!(-32601)), "{method}");
    }
}

#[test]
fn in_read_only_nothing_looks_outside_by_way_of_a_completion_or_a_list() {
    let completes = |value: &str| json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "path", "value": value } });
    let of_template = |uri: &str| json!({ "ref": { "type": "ref/resource", "uri": uri }, "argument": { "name": "owner", "value": "mod" } });
    let table = [
        ("completion/complete", completes("/etc/"), false),
        ("completion/complete", completes("../outside/"), false),
        ("completion/complete", completes("src/"), true),
        ("completion/complete", completes(""), true),
        ("completion/complete", of_template("github://repos/{owner}/{repo}"), true),
        ("resources/list", json!({ "uri": "file:///etc" }), false),
        ("resources/templates/list", json!({ "path": "/etc" }), false),
        ("prompts/list", json!({ "directory": "../outside" }), false),
        ("resources/list", json!({ "cursor": "/etc/passwd" }), true),
        ("tools/list", json!({ "_meta": { "progressToken": "/etc" } }), true),
    ];
    for (method, params, passes) in table {
        let mut bench = Bench::opened(config(|config| config.access = Access::ReadOnly), "unheard-of");
        bench.client_says(&request(method, &params));
        assert_eq!(bench.server.len(), usize::from(passes), "{method} {params}: {:?}", bench.client);
        let mut bench = Bench::opened(config(|_| {}), "unheard-of");
        bench.client_says(&request(method, &params));
        assert_eq!(bench.server.len(), 1, "with full access it is the server's own affair: {method} {params}");
    }
}

/// A text that lies within `depth` others, all of them JSON.
fn within(depth: usize, text: &str) -> String {
    (0..depth).fold(text.to_owned(), |inner, _| json!({ "a": inner }).to_string())
}

#[test]
fn what_lies_deeper_than_texts_are_opened_is_not_believed() {
    for depth in [1, 7, 8, 9, 10, 11, 12] {
        let mut bench = Bench::opened(config(|_| {}), "unheard-of");
        let params = json!({ "name": "read_file", "arguments": { "x": within(depth, "/etc/passwd") } });
        bench.client_says(&request("tools/call", &params));
        assert_eq!(bench.server, [""; 0], "{depth}");
        assert_eq!(bench.client[0]["method"], "elicitation/create", "{depth}");
    }
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&request("tools/call", &json!({ "name": "read_file", "arguments": { "x": within(6, "plain words") } })));
    assert_eq!(bench.server.len(), 1);
}

#[test]
fn the_record_of_a_call_with_many_findings_is_bounded() {
    let mut gate = Gate::start(&["--non-interactive"]);
    let paths: Vec<String> = (0..10_000).map(|number| format!("/elsewhere/{number}/k")).collect();
    gate.client_says(call(1, "t", &json!({ "paths": paths })));
    assert_eq!(refusal(&gate.client_gets()), "no_approver");
    let line = gate.audit().pop().unwrap();
    assert_eq!((line["findings"].as_array().unwrap().len(), &line["more_findings"]), (50, &json!(9950)));
    gate.client_says(call(2, "t", &json!({ "path": "/elsewhere/k" })));
    gate.client_gets();
    assert!(gate.audit().pop().unwrap().get("more_findings").is_none());
}
