//! Calls that a client sends together are asked about together: one question, a word for each key, and each call settled on its own.
use crate::support::bare_session::{Bench, call, config};
use crate::support::gate_process::own_key;
use callgate::gate::{Answer, Channel as Answered, Choice, Ending, Question};
use callgate::policy::Channel;
use callgate::session::Event;
use serde_json::{Value, json};

/// Reads of these files outside the root, with ids from 1.
fn reads(names: &[&str]) -> Vec<Value> {
    (1..).zip(names).map(|(id, name)| call(id, "read_file", &format!("/gate/{name}"))).collect()
}

fn bench() -> Bench {
    Bench::opened(config(|_| {}), "unheard-of")
}

/// The last question that the client was asked; what it got before is forgotten.
fn form(bench: &mut Bench) -> Value {
    let form = bench.client.iter().rfind(|message| message["method"] == "elicitation/create").expect("a question").clone();
    bench.client.clear();
    form
}

/// The descriptions of the fields, in their order.
fn fields(form: &Value) -> Vec<String> {
    let properties = form["params"]["requestedSchema"]["properties"].as_object().unwrap();
    properties.values().map(|field| field["description"].as_str().unwrap().to_owned()).collect()
}

/// Fills the fields in, in their order.
fn fills_in(bench: &mut Bench, form: &Value, words: &[&str]) {
    let names = form["params"]["requestedSchema"]["required"].as_array().unwrap();
    assert_eq!(names.len(), words.len(), "{form}");
    let content: Value = names.iter().zip(words).map(|(name, word)| (name.as_str().unwrap().to_owned(), json!(word))).collect();
    let result = json!({ "action": "accept", "content": content });
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": form["id"], "result": result }));
}

fn cancel(bench: &mut Bench, id: u64) {
    bench.client_says(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
}

/// The ids of the calls that reached the server.
fn sent(bench: &Bench) -> Vec<u64> {
    let ids = bench.server.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    ids.filter(|message| message["method"] == "tools/call").map(|message| message["id"].as_u64().unwrap()).collect()
}

/// The ids and kinds of the refusals that reached the client.
fn refused(bench: &Bench) -> Vec<(u64, String)> {
    let kind = |message: &Value| message["result"]["_meta"]["callgate/refusal"]["kind"].as_str().map(str::to_owned);
    bench.client.iter().filter_map(|message| Some((message["id"].as_u64()?, kind(message)?))).collect()
}

fn denied(id: u64) -> (u64, String) {
    (id, "denied_by_user".to_owned())
}

#[test]
fn every_field_names_its_call_and_every_word_settles_its_own() {
    let mut bench = bench();
    bench.client_says_together(&reads(&["a/k", "b/k", "c/k"]));
    let form = form(&mut bench);
    let message = form["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("callgate asks: server `s` wants to run 3 calls"), "{message}");
    for (number, (name, field)) in (1..).zip(["a", "b", "c"].into_iter().zip(fields(&form))) {
        assert!(field.starts_with(&format!("call {number} (tool `read_file`): read /gate/{name}/k")), "{field}");
        let arguments = format!("call {number}: tool `read_file`, the agent's arguments: {{\"path\":\"/gate/{name}/k\"}}");
        assert!(message.contains(&arguments), "{message}");
    }
    fills_in(&mut bench, &form, &["allow once", "deny", "allow once"]);
    assert_eq!((sent(&bench), refused(&bench)), (vec![1, 3], vec![denied(2)]));
}

#[test]
fn equal_findings_are_one_field_and_its_word_settles_all_of_them() {
    for (word, sent_ids) in [("allow once", vec![1, 2, 3]), ("deny", vec![])] {
        let mut bench = bench();
        bench.client_says_together(&reads(&["out/a", "out/b", "out/c"]));
        let form = form(&mut bench);
        let message = form["params"]["message"].as_str().unwrap();
        assert!(fields(&form)[0].starts_with("calls 1, 2, 3 (tool `read_file`): read /gate/out/a"), "{form}");
        assert!(message.contains("in these calls also `/gate/out/b`, `/gate/out/c`"), "{message}");
        fills_in(&mut bench, &form, &[word]);
        assert_eq!(sent(&bench), sent_ids);
        assert_eq!(refused(&bench).len(), 3 - sent_ids.len());
        // One word counts once: it takes three to silence the question.
        bench.client_says(&call(9, "read_file", "/gate/out/d"));
        assert!(bench.client.iter().any(|message| message["method"] == "elicitation/create"));
    }
}

#[test]
fn what_differs_under_one_key_is_not_answered_by_one_word() {
    let mut bench = bench();
    bench.client_says_together(&[call(1, "read_file", "/gate/out/a"), call(2, "write_file", "/gate/out/a")]);
    let first = form(&mut bench);
    assert!(first["params"]["message"].as_str().unwrap().starts_with("callgate asks: read /gate/out/a"), "{first}");
    fills_in(&mut bench, &first, &["allow once"]);
    let second = form(&mut bench);
    assert!(fields(&second)[0].contains("/gate/out/a") && second["params"]["message"].as_str().unwrap().contains("`write_file`"));
    fills_in(&mut bench, &second, &["deny"]);
    assert_eq!((sent(&bench), refused(&bench)), (vec![1], vec![denied(2)]));
}

#[test]
fn a_call_of_several_findings_goes_on_only_if_all_of_its_own_are_allowed() {
    let mut bench = bench();
    let two = json!({ "name": "read_file", "arguments": { "path": "/gate/a/k", "other_path": "/gate/b/k" } });
    let two = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": two });
    bench.client_says_together(&[two, call(2, "read_file", "/gate/b/l")]);
    let form = form(&mut bench);
    let words: Vec<&str> = fields(&form).iter().map(|field| if field.contains("/gate/a/k") { "deny" } else { "allow once" }).collect();
    fills_in(&mut bench, &form, &words);
    assert_eq!((sent(&bench), refused(&bench)), (vec![2], vec![denied(1)]));
}

#[test]
fn a_call_that_is_taken_back_leaves_the_question_to_the_others() {
    let mut bench = bench();
    bench.client_says_together(&reads(&["a/k", "b/k"]));
    let first = form(&mut bench);
    cancel(&mut bench, 1);
    assert!(bench.client.is_empty(), "the form stays: {:?}", bench.client);
    fills_in(&mut bench, &first, &["allow once", "allow once"]);
    assert_eq!((sent(&bench), bench.client.len()), (vec![2], 0));

    bench.client_says_together(&[call(3, "read_file", "/gate/a/k"), call(4, "read_file", "/gate/b/k")]);
    let second = form(&mut bench);
    cancel(&mut bench, 4);
    cancel(&mut bench, 3);
    assert_eq!(bench.client.len(), 1);
    assert_eq!(bench.client[0]["params"]["requestId"], second["id"], "nobody is left, so the form is taken back");
    fills_in(&mut bench, &second, &["allow once", "allow once"]);
    assert_eq!(sent(&bench), [2]);
}

#[test]
fn a_form_holds_what_a_small_screen_can_show_and_the_rest_is_the_next_form() {
    let mut bench = bench();
    let names: Vec<String> = (0..10).map(|n| format!("{n}/k")).collect();
    bench.client_says_together(&reads(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    for count in [4, 4, 2] {
        let form = form(&mut bench);
        assert_eq!(fields(&form).len(), count);
        assert!(form["params"]["message"].as_str().unwrap().lines().count() <= 11);
        fills_in(&mut bench, &form, &vec!["allow once"; count]);
    }
    assert_eq!(sent(&bench), (1..=10).collect::<Vec<_>>());
}

#[test]
fn arguments_too_long_to_be_shown_beside_others_are_asked_about_alone() {
    let mut bench = bench();
    let mut long = call(2, "read_file", "/gate/b/k");
    long["params"]["arguments"]["note"] = json!("x".repeat(1600));
    bench.client_says_together(&[call(1, "read_file", "/gate/a/k"), long, call(3, "read_file", "/gate/c/k")]);
    for _ in 0..3 {
        let form = form(&mut bench);
        let offered = &form["params"]["requestedSchema"]["properties"]["decision"]["enum"];
        let is_cut = form["params"]["message"].as_str().unwrap().contains("characters not shown");
        let lasts = offered.as_array().unwrap().contains(&json!("allow for this session"));
        assert_eq!(lasts, !is_cut, "nothing that lasts is offered for what cannot be seen: {form}");
        fills_in(&mut bench, &form, &["allow once"]);
    }
    assert_eq!(sent(&bench), [1, 2, 3]);
}

#[test]
fn an_answer_for_the_session_settles_what_waits_for_the_next_form() {
    let mut bench = bench();
    let mut calls = reads(&["a/1", "b/2", "c/3", "d/4", "d/5", "e/6"]);
    calls.push(call(7, "write_file", "/gate/a/7"));
    bench.client_says_together(&calls);
    let first = form(&mut bench);
    fills_in(&mut bench, &first, &["allow for this session", "deny", "allow once", "allow once"]);
    let second = form(&mut bench);
    assert_eq!(sent(&bench), [1, 3, 4, 7]);
    assert_eq!(fields(&second).len(), 2, "{second}");
}

#[test]
fn a_slow_disk_holds_up_the_calls_that_came_with_it_for_a_moment_only() {
    let mut bench = bench();
    bench.disk_answers = false;
    bench.client_says_together(&reads(&["a/k", "b/k", "c/k"]));
    bench.disk_answers_late(0);
    assert!(bench.client.is_empty(), "the others may join");
    bench.disk_answers_late(0);
    bench.at(1);
    let first = form(&mut bench);
    assert_eq!(fields(&first).len(), 2);
    bench.disk_answers_late(0);
    bench.disk_answers = true;
    fills_in(&mut bench, &first, &["deny", "deny"]);
    assert_eq!(fields(&form(&mut bench)).len(), 1);
}

#[test]
fn when_nobody_answers_in_time_every_call_is_refused() {
    let mut bench = bench();
    bench.client_says_together(&reads(&["a/k", "b/k"]));
    form(&mut bench);
    bench.at(50);
    let late = |id| (id, "timed_out".to_owned());
    assert_eq!(refused(&bench), [late(1), late(2)]);
    assert!(sent(&bench).is_empty());
}

/// A session whose person sits at an approver, and the question about these reads.
fn at_approver(names: &[&str]) -> (Bench, Question) {
    let mut bench = Bench::opened(config(|config| config.channels = vec![Channel::Socket]), "unheard-of");
    bench.feed(Event::Approvers(true));
    bench.client_says_together(&reads(names));
    assert_eq!(bench.asked.len(), 1);
    let question = bench.asked.remove(0);
    (bench, question)
}

fn answers(bench: &mut Bench, question: &Question, choices: &[Choice]) {
    let decisions = question.items.iter().map(|item| item.key.clone()).zip(choices.iter().copied()).collect();
    let channel = Answered::Socket { peer: "1 ann /dev/pts/1".to_owned() };
    let answer = Answer { decisions, reason: Some("not b".to_owned()), channel, asserted_by_client: false, ending: Ending::Decided };
    bench.feed(Event::Answered { question: question.id.clone(), answer });
}

#[test]
fn an_approver_gets_one_question_that_lists_the_calls() {
    let (mut bench, question) = at_approver(&["a/k", "b/k", "c/k", "a/l"]);
    let places: Vec<&[usize]> = question.items.iter().map(|item| item.calls.as_slice()).collect();
    assert_eq!((question.calls.len(), places), (4, vec![&[0, 3][..], &[1], &[2]]));
    answers(&mut bench, &question, &[Choice::Once, Choice::Deny, Choice::Once]);
    assert_eq!((sent(&bench), refused(&bench)), (vec![1, 3, 4], vec![denied(2)]));
    assert!(bench.client[0]["result"]["content"][0]["text"].as_str().unwrap().contains("not b"));
}

#[test]
fn a_late_answer_is_good_for_one_repeat_of_each_call_that_it_allows() {
    let (mut bench, question) = at_approver(&["a/k", "b/k", "c/k"]);
    cancel(&mut bench, 3);
    bench.at(50);
    assert_eq!(refused(&bench).len(), 2);
    bench.client.clear();
    answers(&mut bench, &question, &[Choice::Once, Choice::Deny, Choice::Once]);
    for (id, name) in [(11, "a"), (12, "a"), (13, "b"), (14, "c")] {
        bench.client_says(&call(id, "read_file", &format!("/gate/{name}/k")));
    }
    assert_eq!(sent(&bench), [11], "one repeat, nothing denied, nothing that was taken back");
}

#[test]
fn calls_of_one_array_are_asked_about_together_and_their_replies_are_one_array() {
    let mut bench = Bench::new(config(|_| {}));
    let params = json!({ "protocolVersion": "2025-03-26", "capabilities": { "elicitation": {} }, "clientInfo": { "name": "goose", "version": "1" } });
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params }));
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": "init", "result": { "protocolVersion": "2025-03-26", "capabilities": {} } }));
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list" }));
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": "list", "result": { "tools": [{ "name": "read_file" }] } }));
    bench.client.clear();
    bench.client_says(&json!(reads(&["a/k", "b/k", "c/k"])));
    let form = form(&mut bench);
    fills_in(&mut bench, &form, &["allow once", "deny", "allow once"]);
    assert_eq!(sent(&bench), [1, 3]);
    for id in [3, 1] {
        assert!(bench.client.is_empty(), "collected");
        bench.server_says(&json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [] } }));
    }
    let replies = bench.client[0].as_array().unwrap();
    let mut ids: Vec<u64> = replies.iter().map(|reply| reply["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(replies.iter().filter(|reply| reply["result"]["isError"] == true).count(), 1);
}

#[test]
fn in_the_modern_revision_every_call_has_a_form_of_its_own() {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let mut bench = bench();
    let mut calls = reads(&["a/k", "b/k"]);
    calls.iter_mut().for_each(|call| call["params"]["_meta"] = meta.clone());
    bench.client_says_together(&calls);
    for (id, reply) in (1..).zip(&bench.client) {
        assert_eq!((&reply["id"], &reply["result"]["resultType"]), (&json!(id), &json!("input_required")));
        let form = &reply["result"]["inputRequests"][own_key(reply["result"]["requestState"].as_str().unwrap())]["params"];
        assert!(form["requestedSchema"]["properties"]["decision"].is_object(), "{form}");
    }
    assert_eq!(bench.client.len(), 2);
}
