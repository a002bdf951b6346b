//! The 2026-07-28 revision in front of a live gate: no handshake, and a question that is an answer with a sealed state.
use crate::support::bare_session::{Bench, config};
use crate::support::gate_process::{Gate, own_key, refusal};
use callgate::gate::{Grant, Key, Kind, Scope};
use callgate::session::Event;
use serde_json::{Value, json};

/// What every request of the revision says of its sender.
fn meta(capabilities: &Value) -> String {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
    .to_string()
}

/// A call of `tool`; `more` stands behind the arguments.
fn call_with(id: u64, tool: &str, path: &str, capabilities: &Value, more: &str) -> String {
    let meta = meta(capabilities);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}", "arguments":{{"path":"{path}","n":1.10}},"_meta":{meta}{more}}}}}"#
    )
}

fn read(id: u64, path: &str, more: &str) -> String {
    call_with(id, "read_file", path, &json!({ "elicitation": {} }), more)
}

/// The members of a retry that carry the answer to our form and the state, which begins with the key of the form.
fn brings(result: &Value, state: &str) -> String {
    format!(r#","inputResponses":{{"{}":{result}}},"requestState":{}"#, own_key(state), json!(state))
}

fn yes(words: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": words } })
}

/// Sends a call that has to be asked about; the form's parameters and the state.
fn asks(gate: &mut Gate, line: &str) -> (Value, String) {
    gate.client_says(line);
    let reply = gate.client_gets();
    let result = &reply["result"];
    assert_eq!(result["resultType"], "input_required", "{reply}");
    let request = &result["inputRequests"][own_key(result["requestState"].as_str().unwrap())];
    assert_eq!(request["method"], "elicitation/create");
    (request["params"].clone(), result["requestState"].as_str().unwrap().to_owned())
}

/// A state that is not valid is an error in the parameters, and nothing is sent.
fn is_no_good(gate: &mut Gate, line: &str, why: &str) {
    gate.client_says(line);
    let reply = gate.client_gets();
    assert_eq!(reply["error"]["code"], -32602, "{why}: {reply}");
    gate.nothing_for_server();
}

#[test]
fn what_needs_nobody_passes_untouched() {
    let mut gate = Gate::start(&[]);
    let discover = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{}}}}}"#, meta(&json!({})));
    gate.client_says(&discover);
    assert_eq!(gate.at_server(), discover);
    let discovered = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0, "x":1}}"#;
    gate.server_says(discovered);
    assert_eq!(gate.at_client(), discovered);
    let first = read(2, "a.txt", "");
    gate.client_says(&first);
    assert_eq!(gate.at_server(), first);
    // A question of the server's own, its state and the answer to it.
    let wants = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"theirs\u00e9/\/=="}}"#;
    gate.server_says(wants);
    assert_eq!(gate.at_client(), wants);
    let retry = read(3, "a.txt", r#","inputResponses":{"q":{"action":"accept","content":{}}},"requestState":"theirs\u00e9/\/==""#);
    gate.client_says(&retry);
    assert_eq!(gate.at_server(), retry);
}

#[test]
fn the_gates_own_listing_speaks_the_revision_of_the_call() {
    let mut gate = Gate::start(&[]);
    gate.tools = None;
    gate.client_says(read(1, "a.txt", ""));
    let listing: Value = serde_json::from_str(&gate.at_server()).unwrap();
    assert_eq!(listing["method"], "tools/list");
    assert_eq!(listing["params"]["_meta"], serde_json::from_str::<Value>(&meta(&json!({ "elicitation": {} }))).unwrap());
}

#[test]
fn an_accepted_retry_is_the_call_without_our_members() {
    let mut gate = Gate::start(&[]);
    let path = gate.path("outside/k");
    let (form, state) = asks(&mut gate, &read(1, &path, ""));
    assert_eq!(form["mode"], "form");
    assert!(form["message"].as_str().unwrap().contains("outside/k"));
    assert!(gate.audit().iter().any(|line| line["verdict"] == "ask"));
    gate.client_says(read(2, &path, &brings(&yes("allow once"), &state)));
    assert_eq!(gate.at_server(), read(2, &path, ""));
    gate.nothing_for_client();
    asks(&mut gate, &read(3, &path, ""));
    gate.nothing_for_server();
}

#[test]
fn a_yes_for_the_session_holds_and_a_no_refuses() {
    let mut gate = Gate::start(&[]);
    let path = gate.path("outside/k");
    let table = [
        (yes("deny"), "denied_by_user"),
        (json!({ "action": "decline" }), "denied_by_user"),
        (json!({ "action": "cancel" }), "dismissed"),
        (json!({ "action": "accept", "content": { "decision": "sure" } }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": "allow once", "more": 1 } }), "bad_answer"),
    ];
    for (number, (answer, kind)) in (1..).zip(&table) {
        let path = gate.path(&format!("outside/{number}/k"));
        let (_, state) = asks(&mut gate, &read(10 + number, &path, ""));
        gate.client_says(read(20 + number, &path, &brings(answer, &state)));
        let refused = gate.client_gets();
        assert_eq!((refusal(&refused), &refused["result"]["resultType"]), (*kind, &json!("complete")), "{answer}");
    }
    gate.nothing_for_server();
    let (_, state) = asks(&mut gate, &read(1, &path, ""));
    gate.client_says(read(2, &path, &brings(&yes("allow for this session"), &state)));
    assert_eq!(gate.at_server(), read(2, &path, ""));
    gate.client_says(read(3, &path, ""));
    assert_eq!(gate.at_server(), read(3, &path, ""));
}

#[test]
fn a_state_is_good_once_and_for_its_own_call_only() {
    let mut gate = Gate::start(&[]);
    let (path, other) = (gate.path("outside/k"), gate.path("outside/other"));
    let (_, state) = asks(&mut gate, &read(1, &path, ""));
    let good = brings(&yes("allow once"), &state);
    is_no_good(&mut gate, &read(2, &other, &good), "other arguments");
    is_no_good(&mut gate, &call_with(3, "write_file", &path, &json!({ "elicitation": {} }), &good), "another tool");
    let middle = state.len() / 2;
    let changed = if state.as_bytes()[middle] == b'A' { "B" } else { "A" };
    let tampered = [
        format!("{}{changed}{}", &state[..middle], &state[middle + 1..]),
        state[..state.len() - 3].to_owned(),
        format!("{state}AAAA"),
        format!("{}.", own_key(&state)),
        format!("{}.e30", own_key(&state)),
    ];
    for state in tampered {
        is_no_good(&mut gate, &read(4, &path, &brings(&yes("allow once"), &state)), "tampered");
    }
    gate.client_says(read(5, &path, &good));
    assert_eq!(gate.at_server(), read(5, &path, ""), "the failed tries did not use it up");
    is_no_good(&mut gate, &read(6, &path, &good), "a second use");
    let mut elsewhere = Gate::start(&[]);
    asks(&mut elsewhere, &read(7, &path, &good));
    elsewhere.nothing_for_server();
}

#[test]
fn an_answer_without_a_state_or_a_state_without_an_answer_is_no_approval() {
    let mut gate = Gate::start(&[]);
    let path = gate.path("outside/k");
    let (_, state) = asks(&mut gate, &read(2, &path, ""));
    asks(&mut gate, &read(1, &path, &format!(r#","inputResponses":{{"{}":{}}}"#, own_key(&state), yes("allow once"))));
    asks(&mut gate, &read(3, &path, &format!(r#","requestState":"{state}""#)));
    gate.nothing_for_server();
}

#[test]
fn who_declares_no_form_is_refused_with_a_complete_result() {
    let mut gate = Gate::start(&[]);
    let path = gate.path("outside/k");
    for (id, capabilities) in [(1, json!({})), (2, json!({ "elicitation": { "url": {} } })), (3, json!({ "roots": {} }))] {
        gate.client_says(call_with(id, "read_file", &path, &capabilities, ""));
        let refused = gate.client_gets();
        assert_eq!((refusal(&refused), &refused["result"]["resultType"]), ("no_approver", &json!("complete")));
    }
    gate.nothing_for_server();
}

#[test]
fn the_servers_own_question_after_an_approval_needs_no_second_one_of_ours() {
    let mut gate = Gate::start(&[]);
    let path = gate.path("outside/k");
    let (_, state) = asks(&mut gate, &read(1, &path, ""));
    gate.client_says(read(2, &path, &brings(&yes("allow once"), &state)));
    gate.at_server();
    let theirs = "é\"\\/ \u{1f512}==";
    let mut last = state;
    for round in 0..3 {
        let wants = |state: &str| {
            let id = 2 + round;
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required","inputRequests":{{"q":{{"method":"roots/list"}}}},"requestState":{},"x":1.0}}}}"#,
                json!(state)
            )
        };
        gate.server_says(wants(theirs));
        let line = gate.at_client();
        let got: Value = serde_json::from_str(&line).unwrap();
        let wrapped = got["result"]["requestState"].as_str().unwrap().to_owned();
        assert_eq!(line, wants(&wrapped), "only the state is another");
        assert_ne!(wrapped, last);
        let id = 3 + round;
        let answers = r#","inputResponses":{"q":{"roots":[]}},"requestState":"#;
        gate.client_says(read(id, &path, &format!("{answers}{}", json!(wrapped))));
        let arrived = gate.at_server();
        assert_eq!(arrived, read(id, &path, &format!("{answers}{}", json!(theirs))));
        last = wrapped;
    }
    // The approval was for one call: its state is used up, and the call by itself is asked about again.
    is_no_good(&mut gate, &read(8, &path, &format!(r#","inputResponses":{{}},"requestState":{}"#, json!(last))), "a second use");
    asks(&mut gate, &read(9, &path, ""));
}

#[test]
fn a_quick_yes_is_not_believed_in_this_revision_either() {
    let home = Gate::furnished();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "version = 1\n[approval]\nminimum_answer_ms = 60000\n").unwrap();
    let mut gate = Gate::start_in(home, &["--policy", policy.to_str().unwrap()]);
    let path = gate.path("outside/k");
    let (_, state) = asks(&mut gate, &read(1, &path, ""));
    gate.client_says(read(2, &path, &brings(&yes("allow once"), &state)));
    assert_eq!(refusal(&gate.client_gets()), "bad_answer");
    gate.nothing_for_server();
}

#[test]
fn what_a_server_may_not_ask_for_it_may_not_ask_for_within_a_result() {
    let home = Gate::furnished();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "version = 1\n[server_requests]\nsampling = \"deny\"\n").unwrap();
    let mut gate = Gate::start_in(home, &["--policy", policy.to_str().unwrap()]);
    for (id, method, passes) in [(1, "sampling/createMessage", false), (2, "roots/list", true)] {
        gate.client_says(read(id, "a.txt", ""));
        gate.at_server();
        let asks = json!({ "a": { "method": "roots/list" }, "b": { "method": method } });
        let line = json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "input_required", "inputRequests": asks } }).to_string();
        gate.server_says(&line);
        let got = gate.at_client();
        assert_eq!(got == line, passes, "{got}");
        assert_eq!(serde_json::from_str::<Value>(&got).unwrap()["error"]["code"] == -31403, !passes, "{got}");
    }
}

/// A gate whose tools are listed.
fn gate_in_a_row(seed: u8) -> Bench {
    let mut bench = Bench::new(config(|config| config.seed = std::array::from_fn(|place| u8::try_from(place).unwrap() ^ seed)));
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list" }));
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": "list", "result": { "tools": [{ "name": "read_file" }] } }));
    bench.client.clear();
    bench.server.clear();
    bench
}

#[test]
fn of_two_gates_in_a_row_each_has_its_own_question_answered() {
    for outer_allows in [false, true] {
        let (mut outer, mut inner) = (gate_in_a_row(1), gate_in_a_row(2));
        let path = "/gate/outside/k";
        if outer_allows {
            outer.feed(Event::Granted(Grant::new(Key::Directory("/gate/outside".into()), vec![Kind::Outside], Scope::Session)));
        }
        let (mut more, mut rounds) = (String::new(), 0);
        loop {
            let line: Value = serde_json::from_str(&read(rounds, path, &more)).unwrap();
            outer.client_says(&line);
            for line in std::mem::take(&mut outer.server) {
                inner.client_says(&serde_json::from_str(&line).unwrap());
            }
            for line in std::mem::take(&mut inner.client) {
                outer.server_says(&line);
            }
            let Some(reply) = outer.client.pop() else { break };
            let result = &reply["result"];
            assert_eq!(result["resultType"], "input_required", "{reply}");
            let (key, _) = result["inputRequests"].as_object().unwrap().iter().next().unwrap();
            let state = &result["requestState"];
            more = format!(r#","inputResponses":{{"{key}":{}}},"requestState":{state}"#, yes("allow once"));
            rounds += 1;
            assert!(rounds < 5, "endless questions");
        }
        assert_eq!(rounds, if outer_allows { 1 } else { 2 }, "a question of each that asks");
        let sent: Vec<Value> = inner.server.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let call: Value = serde_json::from_str(&read(rounds, path, "")).unwrap();
        assert_eq!(sent, [call], "without anything of either gate");
    }
}
