//! What passes a live gate passes byte for byte, and what does not is answered: fidelity, wire cases, hostile peers.
use crate::support::gate_process::{Gate, call, refusal, reply};
use serde_json::{Value, json};

struct Message {
    name: String,
    from_client: bool,
    text: String,
}

fn corpus() -> Vec<Message> {
    let lines = include_str!("../../cases/fidelity.jsonl").lines().filter(|line| !line.is_empty());
    let message = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap().to_owned();
        Message { name: field("name"), from_client: field("dir") == "c2s", text: field("text") }
    };
    lines.map(message).collect()
}

/// The tool names that the corpus calls, as a list.
fn tools(corpus: &[Message]) -> String {
    let name = |message: &Message| serde_json::from_str::<Value>(&message.text).ok()?["params"]["name"].as_str().map(str::to_owned);
    let mut names: Vec<String> = corpus.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    let tools: Vec<Value> = names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    json!({ "tools": tools }).to_string()
}

/// What the client gets an answer to instead: repeated names, odd envelopes, and calls that nobody could be asked about.
const ANSWERED: [&str; 11] = [
    "req id null",
    "arg duplicate keys",
    "arguments array",
    "dup top-level method",
    "dup params.name",
    "dup params",
    "jsonrpc missing",
    "jsonrpc 1.0",
    "batch c2s",
    "resources/read",
    "resources/subscribe",
];

#[test]
fn client_messages_reach_the_server_as_sent_or_are_answered() {
    let corpus = corpus();
    let tools = tools(&corpus);
    let mut answered = Vec::new();
    for message in corpus.iter().filter(|message| message.from_client) {
        let mut gate = Gate::start(&["--non-interactive"]);
        gate.tools = Some(tools.clone());
        if let Some(id) = answered_id(&message.text) {
            // A reply passes only if the server asked.
            gate.server_says(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#));
            gate.at_client();
        }
        gate.client_says(&message.text);
        match gate.at_either() {
            Ok(line) => {
                assert_eq!(line, message.text, "{}", message.name);
            }
            Err(answer) => {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                let said = answer["error"]["message"].as_str().or(answer["result"]["content"][0]["text"].as_str());
                assert!(said.is_some_and(|said| said.len() > 20), "{}: {answer}", message.name);
                answered.push(message.name.as_str());
            }
        }
    }
    assert_eq!(answered, ANSWERED);
}

/// The id of a reply, as it stands.
fn answered_id(text: &str) -> Option<String> {
    let limits = callgate::wire::Limits::default();
    match callgate::wire::read(bytes::Bytes::copy_from_slice(text.as_bytes()), callgate::wire::Side::Client, &limits) {
        Ok(callgate::wire::Message::Response(response)) => response.id().map(|id| id.raw().to_owned()),
        _ => None,
    }
}

#[test]
fn server_messages_reach_the_client_as_sent_or_stay_out() {
    let mut passed = 0;
    let corpus = corpus();
    for message in corpus.iter().filter(|message| !message.from_client) {
        let mut gate = Gate::start(&[]);
        gate.server_says(&message.text);
        gate.server_says(r#"{"jsonrpc":"2.0","method":"notifications/test/end"}"#);
        let first = gate.at_client();
        if first == message.text {
            passed += 1;
        } else {
            assert!(first.contains("notifications/test/end"), "{}: the client got {first}", message.name);
            assert!(gate.log().contains("not passed on") || gate.log().contains("dropped"), "{}", message.name);
        }
    }
    assert!(passed >= 80, "only {passed} passed");
}

#[test]
fn ids_keep_their_type_and_each_call_gets_its_own_answer() {
    // f016, f017, f019, f052
    let mut gate = Gate::start(&[]);
    for id in ["1", "\"1\"", "12345678901", "\"c-9\""] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#);
        gate.client_says(&line);
        assert_eq!(gate.at_server(), line);
    }
    for id in ["\"1\"", "12345678901", "1", "\"c-9\""] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
        gate.server_says(&line);
        assert_eq!(gate.at_client(), line);
    }
}

#[test]
fn both_directions_have_their_own_ids() {
    // f010
    let mut gate = Gate::start(&[]);
    gate.client_says(call(1, "t", &json!({})));
    gate.at_server();
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","url":"https://e.test/x","elicitationId":"e","x":1}}"#;
    let taken_back = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    for line in [asked, taken_back, reply(1).as_str()] {
        gate.server_says(line);
        assert_eq!(gate.at_client(), line);
    }
}

#[test]
fn requests_of_the_server_pass_and_are_answered_by_the_client() {
    // f031, f034
    let mut gate = Gate::start(&[]);
    for method in ["sampling/createMessage", "roots/list", "vendor/unknown"] {
        let line = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": {} }).to_string();
        gate.server_says(&line);
        assert_eq!(gate.at_client(), line);
        let answer = json!({ "jsonrpc": "2.0", "id": method, "error": { "code": -32601, "message": "no" } }).to_string();
        gate.client_says(&answer);
        assert_eq!(gate.at_server(), answer);
    }
}

#[test]
fn a_reply_to_nothing_the_server_asked_is_kept_from_it() {
    let mut gate = Gate::start(&[]);
    gate.client_says(r#"{"jsonrpc":"2.0","id":"foreign","result":{}}"#);
    gate.nothing_for_server();
}

#[test]
fn notifications_pass_late_ones_too() {
    // f002, f004, f005, f008, f011
    let mut gate = Gate::start(&[]);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"zz"}}"#;
    gate.client_says(cancel);
    assert_eq!(gate.at_server(), cancel);
    gate.client_says(call(6, "t", &json!({})));
    gate.at_server();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}"#;
    gate.client_says(cancel);
    assert_eq!(gate.at_server(), cancel);
    let late = r#"{"jsonrpc":"2.0","id":6,"error":{"code":0,"message":"Request cancelled"}}"#;
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":10}}"#;
    for line in [late, progress] {
        gate.server_says(line);
        assert_eq!(gate.at_client(), line);
    }
}

#[test]
fn a_call_cancelled_while_it_is_asked_about_is_never_sent_or_answered() {
    // f007
    let mut gate = Gate::start(&[]);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    let outside = gate.path("outside/k");
    gate.client_says(call(8, "write_file", &json!({ "path": outside, "content": "y" })));
    let question = gate.client_gets();
    assert_eq!(question["method"], "elicitation/create");
    gate.client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#);
    let withdrawn = gate.client_gets();
    assert_eq!((&withdrawn["method"], &withdrawn["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
    gate.client_says(
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "decision": "allow once" } } })
            .to_string(),
    );
    gate.nothing_for_server();
    gate.nothing_for_client();
    assert_eq!(gate.audit().last().unwrap()["refusal"], "cancelled");
}

#[test]
fn pages_cursors_and_every_member_of_a_tool_survive() {
    // f013, f035
    let mut gate = Gate::start(&[]);
    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}}"#;
    gate.client_says(ask);
    assert_eq!(gate.at_server(), ask);
    let page = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"k":1},"execution":{"taskSupport":"optional"},"icons":[]}],"nextCursor":"p3"}}"#;
    gate.server_says(page);
    assert_eq!(gate.at_client(), page);
}

#[test]
fn a_cursor_that_never_moves_does_not_hold_the_gates_own_listing() {
    // f037
    let mut gate = Gate::start(&[]);
    gate.tools = Some(r#"{"tools":[{"name":"t"}],"nextCursor":"same"}"#.to_owned());
    gate.client_says(call(1, "t", &json!({})));
    assert_eq!(gate.at_server(), call(1, "t", &json!({})));
}

#[test]
fn messages_may_come_in_any_pieces() {
    // f026
    let mut gate = Gate::start(&[]);
    let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"grüße"}}"#;
    let cut = line.find('ü').unwrap() + 1;
    gate.server_writes(&line.as_bytes()[..cut]);
    gate.server_writes(&line.as_bytes()[cut..]);
    gate.server_writes(format!("\n{line}\n{line}\n").as_bytes());
    for _ in 0..3 {
        assert_eq!(gate.at_client(), line);
    }
}

#[test]
fn noise_of_the_server_stays_off_the_clients_stream() {
    // f028, f029
    let mut gate = Gate::start(&[]);
    for noise in ["Starting server on stdio...", "", "null", "42", "{}", "[]", r#"{"level":"info"}"#, "\u{1b}[31mred"] {
        gate.server_says(noise);
    }
    gate.nothing_for_client();
    gate.nothing_for_server();
    assert!(gate.log().contains("Starting server"));
}

#[test]
fn arrays_and_look_alikes_of_a_call_never_reach_the_server() {
    // f046, f047, f049
    let mut gate = Gate::start(&["--non-interactive"]);
    gate.initialize("2025-11-25", &json!({}));
    let danger = gate.path("outside/k");
    let hostile = [
        "[]".to_owned(),
        format!("[{}]", call(1, "read_file", &json!({ "path": danger }))),
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"t","name":"read_file","arguments":{{"path":"{danger}"}}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","Name":"read_file","arguments":{{"path":"{danger}"}}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"t","arguments":{{"path":"a.txt","path":"{danger}"}}}}}}"#
        ),
    ];
    for line in &hostile {
        gate.client_says(line);
        assert!(gate.client_gets()["error"]["code"].is_i64(), "{line}");
    }
    for disguised in [
        format!("\u{feff}{}", call(5, "read_file", &json!({ "path": danger }))),
        format!("  {}\r", call(6, "read_file", &json!({ "path": danger }))),
    ] {
        gate.client_says(&disguised);
        assert_eq!(refusal(&gate.client_gets()), "no_approver", "{disguised}");
    }
    gate.nothing_for_server();
}

#[test]
fn batches_of_2025_03_26_are_gated_one_by_one_and_answered_together() {
    let mut gate = Gate::start(&["--non-interactive"]);
    gate.initialize("2025-03-26", &json!({}));
    let outside = gate.path("outside/k");
    gate.client_says(format!("[{},{}]", call(1, "t", &json!({})), call(2, "read_file", &json!({ "path": outside }))));
    assert_eq!(gate.at_server(), call(1, "t", &json!({})));
    gate.server_says(reply(1));
    let answers = gate.client_gets();
    let by_id = |id: u64| answers.as_array().unwrap().iter().find(|answer| answer["id"] == id).unwrap().clone();
    assert_eq!(by_id(1)["result"]["content"][0]["text"], "ok");
    assert_eq!(refusal(&by_id(2)), "no_approver");
    gate.nothing_for_server();
}

#[test]
fn numbers_are_forwarded_as_written() {
    // f050
    let mut gate = Gate::start(&[]);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1e400,"b":-0,"c":9223372036854775807,"d":1.10}}}"#;
    gate.client_says(line);
    assert_eq!(gate.at_server(), line);
    gate.client_says(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"a":NaN}}}"#);
    assert_eq!(gate.client_gets()["error"]["code"], -32700);
}

#[test]
fn a_line_over_the_limit_is_answered_and_the_session_goes_on() {
    let mut gate = Gate::start(&[]);
    gate.client_says(call(1, "t", &json!({})));
    gate.at_server();
    let big = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#, "x".repeat(65 << 20));
    gate.server_says(big);
    let answer = gate.client_gets();
    assert_eq!(answer["id"], 1);
    assert!(answer["error"]["message"].as_str().unwrap().contains("longer than"));
    gate.nothing_for_client();
}
