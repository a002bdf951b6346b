//! `[server_requests]` with `ask`: a person decides whether a server may ask the client for something, in both eras.
use std::sync::Arc;

use crate::support::bare_session::{Bench, call, config};
use callgate::gate::{Answer, Channel as Answered, Choice, Ending};
use callgate::policy::{Channel, Text, Trust, load};
use callgate::session::{Config, Event, UpstreamId};
use serde_json::{Value, json};

const REFUSED: &str = "callgate refused the request: the policy does not let this server ask the client for it";
/// The key of the gate's own question under the seed of these tests.
const OWN_KEY: &str = "callgate-3031323334353637";

fn asking(change: impl FnOnce(&mut Config)) -> Config {
    let text = "version = 1\n[server_requests]\nsampling = \"ask\"\nroots = \"ask\"\n".to_owned();
    let policy = load(&[Text { name: "t.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap();
    config(|config| {
        config.policy = Arc::new(policy);
        change(config);
    })
}

fn bench() -> Bench {
    Bench::opened(asking(|_| {}), "unheard-of")
}

fn wants(bench: &mut Bench, id: u64, method: &str) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "messages": [{ "text": "tell me" }] } });
    bench.server_says(&request);
    request
}

fn answers(bench: &mut Bench, question: &Value, words: &str) {
    let result = json!({ "action": "accept", "content": { "decision": words } });
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
}

/// The person at an approver answers the last question.
fn approver_says(bench: &mut Bench, choice: Choice) {
    let question = bench.asked.last().expect("a question").clone();
    let decisions = question.items.iter().map(|item| (item.key.clone(), choice)).collect();
    let channel = Answered::Socket { peer: "1 ann /dev/pts/1".to_owned() };
    let answer = Answer { decisions, reason: None, channel, asserted_by_client: false, ending: Ending::Decided };
    bench.feed(Event::Answered { question: question.id, answer });
}

/// The only thing the server was told: that its request of this id is refused.
fn is_refused(bench: &mut Bench, id: u64) {
    let told: Vec<Value> = bench.server.drain(..).map(|line| serde_json::from_str(&line).unwrap()).collect();
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&told["id"], &told["error"]["code"], &told["error"]["message"]), (&json!(id), &json!(-31403), &json!(REFUSED)));
}

#[test]
fn a_request_that_is_allowed_once_reaches_the_client_and_its_answer_the_server() {
    let mut bench = bench();
    let request = wants(&mut bench, 5, "sampling/createMessage");
    let question = bench.client.remove(0);
    assert_eq!(question["method"], "elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    for part in ["server `s` asks the client for `sampling/createMessage`", "the server's words: {\"messages\":[{\"text\":\"tell me\"}]}"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let words = &question["params"]["requestedSchema"]["properties"]["decision"]["enum"];
    assert_eq!(*words, json!(["deny", "allow once", "allow for this session"]), "nothing to be kept for good");
    assert!(bench.client.is_empty() && bench.server.is_empty(), "nobody hears of it before it is answered");
    answers(&mut bench, &question, "allow once");
    assert_eq!(bench.client, [request]);
    let answer = json!({ "jsonrpc": "2.0", "id": 5, "result": { "role": "assistant" } });
    bench.client_says(&answer);
    assert_eq!(bench.server.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>(), [answer]);
    bench.client.clear();
    wants(&mut bench, 6, "sampling/createMessage");
    assert_eq!(bench.client[0]["method"], "elicitation/create", "once is once");
}

#[test]
fn a_yes_for_the_session_is_for_one_kind_of_request() {
    let mut bench = bench();
    wants(&mut bench, 5, "sampling/createMessage");
    let question = bench.client.remove(0);
    answers(&mut bench, &question, "allow for this session");
    bench.client.clear();
    let again = wants(&mut bench, 6, "sampling/createMessage");
    assert_eq!(bench.client, [again]);
    bench.client.clear();
    wants(&mut bench, 7, "roots/list");
    assert_eq!(bench.client[0]["method"], "elicitation/create");
    bench.client.clear();
    let free = wants(&mut bench, 8, "elicitation/create");
    assert_eq!(bench.client, [free], "of this kind the policy says `allow`");
}

#[test]
fn what_is_denied_or_not_answered_is_refused_as_the_policy_refuses_it() {
    let mut bench = bench();
    for id in 0..4 {
        wants(&mut bench, id, "sampling/createMessage");
        if id < 3 {
            let question = bench.client.remove(0);
            answers(&mut bench, &question, "deny");
        }
        assert!(bench.client.is_empty(), "after three denials nobody is asked: {:?}", bench.client);
        is_refused(&mut bench, id);
    }
    wants(&mut bench, 9, "roots/list");
    let question = bench.client.remove(0);
    bench.at(50);
    assert_eq!(bench.client[0]["params"]["requestId"], question["id"], "the form is taken off the screen");
    is_refused(&mut bench, 9);
    answers(&mut bench, &question, "allow once");
    assert!(bench.server.is_empty() && bench.client.len() == 1, "too late");
}

#[test]
fn with_nobody_to_ask_it_is_refused() {
    let mut bench = Bench::opened(asking(|config| config.channels = Vec::new()), "unheard-of");
    wants(&mut bench, 5, "sampling/createMessage");
    is_refused(&mut bench, 5);
    assert!(bench.client.is_empty() && bench.asked.is_empty());
}

#[test]
fn a_late_yes_of_an_approver_is_good_for_the_same_request() {
    let mut bench = Bench::opened(asking(|config| config.channels = vec![Channel::Socket]), "unheard-of");
    wants(&mut bench, 5, "sampling/createMessage");
    is_refused(&mut bench, 5);
    approver_says(&mut bench, Choice::Once);
    let request = wants(&mut bench, 6, "sampling/createMessage");
    assert_eq!(bench.client, [request]);
    wants(&mut bench, 7, "sampling/createMessage");
    is_refused(&mut bench, 7);
}

#[test]
fn a_request_that_is_taken_back_or_whose_client_leaves_is_not_passed() {
    let mut bench = bench();
    wants(&mut bench, 5, "sampling/createMessage");
    let question = bench.client.remove(0);
    bench.server_says(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } }));
    assert_eq!(bench.client.len(), 1, "{:?}", bench.client);
    assert_eq!((&bench.client[0]["method"], &bench.client[0]["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
    bench.server.clear();
    wants(&mut bench, 6, "sampling/createMessage");
    bench.client.clear();
    bench.feed(Event::ClientClosed);
    is_refused(&mut bench, 6);
    wants(&mut bench, 7, "sampling/createMessage");
    is_refused(&mut bench, 7);
    bench.feed(Event::ServerClosed(UpstreamId::ONLY, "it ended".to_owned()));
    assert!(bench.session.is_resting());
}

#[test]
fn an_answer_that_cannot_be_written_down_passes_nothing() {
    let mut bench = bench();
    wants(&mut bench, 5, "sampling/createMessage");
    let question = bench.client.remove(0);
    bench.records = false;
    answers(&mut bench, &question, "allow once");
    assert!(bench.client.is_empty(), "{:?}", bench.client);
    is_refused(&mut bench, 5);
}

// --- 2026-07-28: within the reply to a call

fn modern_call(id: u64, offers_form: bool) -> Value {
    let capabilities = if offers_form { json!({ "elicitation": {}, "sampling": {} }) } else { json!({ "sampling": {} }) };
    let meta =
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": capabilities });
    let mut line = call(id, "read_file", "a.txt");
    line["params"]["_meta"] = meta;
    line
}

/// What the server asks for before it goes on with the call of this id.
fn input_required(id: u64) -> Value {
    let requests = json!({ "draft": { "method": "sampling/createMessage", "params": { "messages": [] } } });
    let result = json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "theirs" });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// A call that was sent and whose server wants something; what the client is told.
fn held(bench: &mut Bench, id: u64, offers_form: bool) -> Option<Value> {
    bench.client_says(&modern_call(id, offers_form));
    assert_eq!(bench.server.drain(..).count(), 1);
    bench.server_says(&input_required(id));
    (!bench.client.is_empty()).then(|| bench.client.remove(0))
}

fn retry(id: u64, state: &Value, responses: &Value) -> Value {
    let mut line = modern_call(id, true);
    line["params"]["requestState"] = state.clone();
    line["params"]["inputResponses"] = responses.clone();
    line
}

fn own_answer(words: &str) -> Value {
    json!({ OWN_KEY: { "action": "accept", "content": { "decision": words } } })
}

#[test]
fn a_client_that_draws_forms_is_asked_first_and_gets_the_reply_when_it_comes_back() {
    let mut bench = bench();
    let asked = held(&mut bench, 1, true).expect("a question");
    let result = &asked["result"];
    assert_eq!((&asked["id"], &result["resultType"]), (&json!(1), &json!("input_required")));
    assert_eq!(
        result["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(),
        [OWN_KEY],
        "what the server wants is not yet asked"
    );
    bench.client_says(&retry(2, &result["requestState"], &own_answer("allow once")));
    assert!(bench.server.is_empty(), "the server has said what it wants; it is not asked again");
    assert_eq!(bench.client.remove(0), json!({ "jsonrpc": "2.0", "id": 2, "result": input_required(1)["result"] }));
    bench.client_says(&retry(3, &result["requestState"], &own_answer("allow once")));
    assert_eq!(bench.client.remove(0)["error"]["code"], -32602, "the state was used");
    let theirs = json!({ "draft": { "role": "assistant" } });
    bench.client_says(&retry(4, &json!("theirs"), &theirs));
    let sent: Value = serde_json::from_str(&bench.server[0]).unwrap();
    assert_eq!((&sent["params"]["requestState"], &sent["params"]["inputResponses"]), (&json!("theirs"), &theirs));
}

#[test]
fn a_denied_or_unanswered_round_trip_passes_nothing() {
    for (responses, refused) in [(own_answer("deny"), true), (json!({}), false)] {
        let mut bench = bench();
        let state = held(&mut bench, 1, true).expect("a question")["result"]["requestState"].clone();
        bench.client_says(&retry(2, &state, &responses));
        let told = bench.client.remove(0);
        assert_eq!(told["id"], 2);
        assert_eq!(told["error"]["message"] == REFUSED, refused, "{told}");
        let asked_again = told["result"]["inputRequests"].as_object().is_some_and(|requests| requests.keys().eq([OWN_KEY]));
        assert_eq!(asked_again, !refused, "{told}");
        assert!(bench.server.is_empty());
    }
}

#[test]
fn a_state_of_one_call_is_no_good_for_another_and_expires() {
    let mut bench = bench();
    let state = held(&mut bench, 1, true).expect("a question")["result"]["requestState"].clone();
    let mut other = retry(2, &state, &own_answer("allow once"));
    other["params"]["arguments"]["path"] = json!("b.txt");
    bench.client_says(&other);
    assert_eq!(bench.client.remove(0)["error"]["code"], -32602);
    bench.at(601);
    bench.client_says(&retry(3, &state, &own_answer("allow once")));
    assert_eq!(bench.client.remove(0)["error"]["code"], -32602);
    assert!(bench.server.is_empty() && bench.session.is_resting());
}

#[test]
fn a_client_without_forms_waits_while_an_approver_is_asked() {
    for (choice, passes) in [(Choice::Once, true), (Choice::Deny, false)] {
        let mut bench = bench();
        bench.feed(Event::Approvers(true));
        assert_eq!(held(&mut bench, 1, false), None);
        bench.client_says(&modern_call(1, false));
        assert_eq!(bench.client.remove(0)["error"]["code"], -32600, "the id is still in use");
        approver_says(&mut bench, choice);
        assert_eq!(bench.client.remove(0) == input_required(1), passes);
    }
}

#[test]
fn a_call_that_is_taken_back_takes_the_question_with_it() {
    let mut bench = bench();
    bench.feed(Event::Approvers(true));
    assert_eq!(held(&mut bench, 1, false), None);
    bench.client_says(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    bench.client.clear();
    approver_says(&mut bench, Choice::Once);
    assert!(bench.client.is_empty(), "{:?}", bench.client);
    assert!(bench.session.is_resting());
}

#[test]
fn with_no_form_and_no_approver_the_call_ends_with_the_refusal() {
    for (channels, offers_form) in [(vec![], true), (vec![Channel::Elicitation], false)] {
        let mut bench = Bench::opened(asking(|config| config.channels = channels), "unheard-of");
        // Opened as a client of the older revisions; what it declared there is no promise for this call.
        let told = held(&mut bench, 1, offers_form).expect("a refusal");
        assert_eq!((&told["id"], &told["error"]["code"], &told["error"]["message"]), (&json!(1), &json!(-31403), &json!(REFUSED)));
    }
}

#[test]
fn a_yes_for_the_session_lets_later_replies_pass() {
    let mut bench = bench();
    let state = held(&mut bench, 1, true).expect("a question")["result"]["requestState"].clone();
    bench.client_says(&retry(2, &state, &own_answer("allow for this session")));
    bench.client.clear();
    assert_eq!(held(&mut bench, 3, true), Some(input_required(3)));
}

#[test]
fn an_escape_in_the_kind_of_a_result_hides_nothing() {
    let mut bench = Bench::opened(asking(|config| config.channels = Vec::new()), "unheard-of");
    bench.client_says(&modern_call(1, false));
    let line = input_required(1).to_string().replace("input_required", "input\\u005frequired");
    bench.feed(Event::FromServer(UpstreamId::ONLY, line.into()));
    assert_eq!(bench.client.remove(0)["error"]["message"], REFUSED);
}
