//! What must hold of the reader for any bytes at all; shared by the fuzz target, the kept corpus and the mutation test.
use bytes::Bytes;
use callgate::wire::{Limits, Message, Reason, Refused, Side, decode, members, read, read_batch};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Reads the bytes as a line of either side, single and as a batch, and checks everything that does not depend on what they are. True
/// when they are a message.
pub fn check(line: &[u8]) -> bool {
    let mut passed = false;
    for from in [Side::Client, Side::Server] {
        let read = read(Bytes::copy_from_slice(line), from, &Limits::default());
        match &read {
            Ok(message) => {
                passed = true;
                admitted(line, message, from);
            }
            Err(refused) => assert!(refused.salvaged.len() <= 256 && !refused.to_string().is_empty()),
        }
        let batch = read_batch(Bytes::copy_from_slice(line), from, &Limits::default());
        for message in batch.iter().flatten() {
            assert!(parses(message.bytes()));
        }
        same_grammar(line, &batch);
    }
    passed
}

/// The bytes without a byte-order mark and outer blanks, with line breaks as blanks: all that reading may change.
pub fn normal(line: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| b" \t\r\n".contains(byte);
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    line[start..end].iter().map(|&byte| if b"\r\n".contains(&byte) { b' ' } else { byte }).collect()
}

fn parses(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| serde_json::from_str::<IgnoredAny>(line).is_ok())
}

fn admitted(line: &[u8], message: &Message, from: Side) {
    let bytes = message.bytes();
    assert_eq!(bytes, &normal(line), "what passes is unchanged");
    assert!(!bytes.contains(&b'\n') && !bytes.contains(&b'\r'));
    let again = read(bytes.clone(), from, &Limits::default()).expect("what passes once passes again");
    assert_eq!(again.bytes(), bytes);
    let (value, lossy) = decode(bytes);
    if let (false, Ok(theirs)) = (lossy, serde_json::from_slice::<Value>(bytes)) {
        assert!(same_value(&value, &theirs), "decoded {value}, serde_json has {theirs}");
    }
    for (name, _, range) in members(bytes) {
        assert!(value.get(&*name).is_some() && range.end < bytes.len());
    }
    if let Message::Request(request) = message.clone() {
        views(request, &value);
    }
}

/// Equal, but for the last bits of doubles: serde_json rounds them less exactly than the standard library.
fn same_value(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, other)| same_value(one, other))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len() && ours.iter().all(|(name, one)| theirs.get(name).is_some_and(|other| same_value(one, other)))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= one.abs() * 1e-15
        }
        _ => ours == theirs,
    }
}

fn views(request: callgate::wire::Request, value: &Value) {
    assert_eq!(Some(request.method()), value["method"].as_str());
    let named = value["params"]["name"].as_str().map(str::to_owned);
    let gated = request.is_gated();
    assert_eq!(request.clone().into_other().is_err(), gated);
    let Ok(call) = request.into_call() else { return };
    if call.method() == "tools/call" {
        assert_eq!(Some(call.tool()), named.as_deref());
        assert_eq!(call.arguments(), value["params"].get("arguments").unwrap_or(&Value::Null));
    }
    assert_eq!(call.digest().len(), 64);
    let retry = call.without_own_keys(&["callgate"], Some("state"));
    assert!(parses(&retry));
}

/// Agrees with serde_json on what is JSON, wherever the verdict depends on the grammar alone.
fn same_grammar(line: &[u8], batch: &Result<Vec<Message>, Refused>) {
    let theirs = parses(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
    match batch {
        Ok(_) => assert!(theirs, "admitted what is not JSON"),
        Err(refused) => match refused.reason {
            Reason::NotUtf8 { .. } | Reason::NotJson { .. } | Reason::Empty => assert!(!theirs, "refused JSON: {refused}"),
            // These are found before the end of the line, so the rest of it may be anything.
            Reason::TooDeep { .. }
            | Reason::TooMany { .. }
            | Reason::Duplicate { .. }
            | Reason::LookAlike { .. }
            | Reason::TooLong { .. } => {}
            _ => assert!(theirs, "took for JSON what is not: {refused}"),
        },
    }
}
