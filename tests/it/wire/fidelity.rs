//! Every message of the fidelity corpus passes byte for byte, whichever side sent it, or is refused for the reason named here.
use bytes::Bytes;
use callgate::wire::{Limits, Message, Reason, Refused, Side, read, read_batch};
use serde_json::Value;

struct Case {
    name: String,
    from: Side,
    text: String,
}

fn corpus() -> Vec<Case> {
    let lines = include_str!("../../cases/fidelity.jsonl").lines().filter(|line| !line.is_empty());
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap().to_owned();
        let from = if field("dir") == "c2s" { Side::Client } else { Side::Server };
        Case { name: field("name"), from, text: field("text") }
    };
    lines.map(case).collect()
}

fn admit(text: &str, from: Side) -> Result<Message, Refused> {
    read(Bytes::copy_from_slice(text.as_bytes()), from, &Limits::default())
}

/// The name of the case and the reason it must be refused for, as the peer is told.
const REFUSED: &[(&str, &str)] = &[
    ("req id null", "the `id` of a request must not be null"),
    ("resp id null", "a `result` needs the `id` of its request"),
    ("arg duplicate keys", "the name `a` appears twice"),
    ("dup top-level method", "the name `method` appears twice"),
    ("dup params.name", "the name `name` appears twice"),
    ("dup params", "the name `params` appears twice"),
    ("jsonrpc missing", "no `\"jsonrpc\": \"2.0\"`"),
    ("jsonrpc 1.0", "no `\"jsonrpc\": \"2.0\"`"),
    ("batch c2s", "an array of messages is not accepted"),
    ("batch s2c", "an array of messages is not accepted"),
];

#[test]
fn every_message_passes_unchanged_or_is_refused_for_its_reason() {
    let corpus = corpus();
    assert_eq!(corpus.len(), 213);
    let mut refused = 0;
    for case in &corpus {
        let expected = REFUSED.iter().find(|(name, _)| *name == case.name).map(|(_, reason)| *reason);
        match (admit(&case.text, case.from), expected) {
            (Ok(message), None) => assert_eq!(message.bytes(), case.text.as_bytes(), "{}", case.name),
            (Err(refusal), Some(reason)) => {
                assert!(refusal.to_string().contains(reason), "{}: {refusal}", case.name);
                refused += 1;
            }
            (Ok(_), Some(reason)) => panic!("{} should be refused: {reason}", case.name),
            (Err(refusal), None) => panic!("{} should pass: {refusal}", case.name),
        }
    }
    assert_eq!(refused, REFUSED.len());
}

#[test]
fn a_message_that_passes_passes_from_the_other_side_too() {
    let other = |side| if side == Side::Client { Side::Server } else { Side::Client };
    for case in corpus() {
        let Ok(message) = admit(&case.text, case.from) else { continue };
        // A request that only clients make is no answer to anything when a server sends it, but its bytes are as good.
        let again = admit(&case.text, other(case.from)).unwrap_or_else(|refusal| panic!("{}: {refusal}", case.name));
        assert_eq!(message.bytes(), again.bytes(), "{}", case.name);
    }
}

#[test]
fn every_refused_message_with_an_id_can_be_answered() {
    for case in corpus() {
        let Err(refusal) = admit(&case.text, case.from) else { continue };
        let answered = refusal.requests().count() + refusal.responses().count();
        let unanswerable = case.name.ends_with("id null");
        assert_eq!(answered == 0, unanswerable, "{}: {refusal:?}", case.name);
    }
}

#[test]
fn the_batches_pass_in_the_revision_that_has_them() {
    for case in corpus().iter().filter(|case| case.name.starts_with("batch")) {
        let elements: Vec<Value> = serde_json::from_str(&case.text).unwrap();
        let messages = read_batch(case.text.clone().into(), case.from, &Limits::default()).unwrap();
        assert_eq!(messages.len(), elements.len());
        for (message, element) in messages.iter().zip(elements) {
            assert!(case.text.contains(std::str::from_utf8(message.bytes()).unwrap()));
            assert_eq!(serde_json::from_slice::<Value>(message.bytes()).unwrap(), element);
        }
    }
}

#[test]
fn a_batch_refuses_what_its_revision_forbids() {
    let refused = |line: &str| read_batch(Bytes::copy_from_slice(line.as_bytes()), Side::Client, &Limits::default()).unwrap_err();
    assert_eq!(refused("[]").reason, Reason::Array { why: "it is empty" });
    let initialize = r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    assert!(refused(initialize).to_string().contains("`initialize` may not be part of a batch"));
    assert_eq!(refused(initialize).requests().count(), 2);
    let nested = r#"[[{"jsonrpc":"2.0","id":1,"method":"ping"}]]"#;
    assert!(refused(nested).to_string().contains("it holds another array"));
}
