//! A server that tries to speak for the gate, or for somebody else: escapes, ids of the gate's own, replies to nobody.
use std::sync::Arc;

use crate::support::bare_session::{Bench, call, config};
use bytes::Bytes;
use callgate::policy::{Text, Trust, load};
use callgate::session::{Event, UpstreamId};
use serde_json::{Value, json};

const OUT: &str = "/somewhere/else/k";

/// A bench whose client is being asked about a call, and the id of that question.
fn asked() -> (Bench, Value) {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "read_file", OUT));
    let question = bench.client.remove(0);
    assert_eq!(question["method"], "elicitation/create", "{question}");
    (bench, question["id"].clone())
}

fn server_writes(bench: &mut Bench, line: &str) {
    bench.feed(Event::FromServer(UpstreamId::ONLY, Bytes::copy_from_slice(line.as_bytes())));
}

/// The same text with its first letter as an escape.
fn escaped(id: &Value) -> String {
    let text = id.as_str().unwrap();
    format!("\"\\u{:04x}{}\"", u32::from(text.chars().next().unwrap()), &text[1..])
}

#[test]
fn nothing_of_a_servers_reaches_the_client_under_an_id_of_the_gates() {
    let (mut bench, id) = asked();
    for id in [id.to_string(), escaped(&id)] {
        let form = r#"{"message":"Which colour?","requestedSchema":{"type":"object","properties":{}}}"#;
        server_writes(&mut bench, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{form}}}"#));
        assert!(bench.server.pop().is_some_and(|refused| refused.contains("its id is taken")), "{id}");
        for (method, name) in
            [("cancelled", "requestId"), ("progress", "progressToken"), ("elicitation/complete", "elicitationId"), ("x", "requestId")]
        {
            server_writes(&mut bench, &format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"{name}":{id}}}}}"#));
        }
    }
    assert_eq!(bench.client, [json!(null); 0]);
    let other = json!({ "jsonrpc": "2.0", "id": "callgate-0-1", "method": "roots/list" });
    bench.server_says(&other);
    assert_eq!(bench.client, [other], "the question of another gate behind this one");
}

#[test]
fn what_a_server_sees_tells_nothing_of_what_the_client_sees() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "unlisted", "a"));
    let listing: Value = serde_json::from_str(&bench.server[0]).unwrap();
    let (_, question) = asked();
    let salt = u64::from_str_radix(question.as_str().unwrap().split('-').nth(1).unwrap(), 16).unwrap();
    let low = (1_u64 << 51) - 1;
    assert!(salt & low & !0xff != listing["id"].as_u64().unwrap() & low & !0xff, "{listing} {question}");
}

#[test]
fn a_client_neither_takes_nor_cancels_the_gates_own_listing() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "unlisted", "a"));
    let listing: Value = serde_json::from_str(&bench.server.remove(0)).unwrap();
    bench.client_says(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": listing["id"] } }));
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": listing["id"], "method": "tools/list" }));
    assert_eq!(bench.server, [""; 0]);
    assert_eq!(bench.client[0]["error"]["code"], -32600);
}

#[test]
fn an_escape_is_the_same_word_in_what_a_server_asks_for() {
    let text = "version = 1\n[server_requests]\nelicitation = \"deny\"\n".to_owned();
    let policy = Arc::new(load(&[Text { name: "policy.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap());
    let spellings = [
        ("\"input_required\"", "\"elicitation/create\""),
        ("\"input_require\\u0064\"", "\"elicitation/create\""),
        ("\"input_required\"", "\"elicitation\\/create\""),
        ("\"input\\u005frequired\"", "\"\\u0065licitation/create\""),
    ];
    for (kind, method) in spellings {
        let mut bench = Bench::opened(config(|config| config.policy = Arc::clone(&policy)), "unheard-of");
        bench.client_says(&call(1, "read_file", "/gate/root/a"));
        let asks = format!(r#"{{"a":{{"method":{method},"params":{{"message":"x"}}}}}}"#);
        server_writes(
            &mut bench,
            &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":{kind},"inputRequests":{asks},"requestState":"S"}}}}"#),
        );
        assert_eq!(bench.client[0]["error"]["code"], -31403, "{kind} {method}: {:?}", bench.client);
        server_writes(&mut bench, &format!(r#"{{"jsonrpc":"2.0","id":9,"method":{method},"params":{{"message":"x"}}}}"#));
        assert_eq!(bench.client.len(), 1, "{method}");
    }
}

#[test]
fn a_reply_to_nobody_ends_nothing() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "read_file", "/gate/root/a"));
    for stray in [r#""result":{}"#, r#""error":{"code":-1,"message":"m"}"#, r#""result":{},"error":{}"#, r#""result":[1],"x":"\u0069d""#] {
        server_writes(&mut bench, &format!(r#"{{"jsonrpc":"2.0","id":null,{stray}}}"#));
        server_writes(&mut bench, &format!(r#" {{{stray},"i\u0064" : null ,"jsonrpc":"2.0"}}"#));
    }
    assert_eq!(bench.client, [json!(null); 0]);
    let reply = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } });
    bench.server_says(&reply);
    assert_eq!(bench.client, [reply]);
}

#[test]
fn a_reply_under_another_spelling_of_its_id_is_found_among_many() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    let ids = [json!(7), json!("70"), json!("007"), json!(8), json!("8")];
    for id in &ids {
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": id, "method": "resources/list" }));
    }
    for (said, meant) in
        [(json!("7"), json!(7)), (json!(70), json!("70")), (json!(7), json!("007")), (json!("8"), json!("8")), (json!("8"), json!(8))]
    {
        bench.server_says(&json!({ "jsonrpc": "2.0", "id": said, "result": {} }));
        assert_eq!(bench.client.pop().unwrap()["id"], meant, "{said}");
    }
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": "70", "result": {} }));
    assert_eq!(bench.client.pop().unwrap()["id"], "70", "a late reply is passed as it is");
}
