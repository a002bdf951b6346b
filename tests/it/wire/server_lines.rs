//! What servers write besides one message per line: each way ends in an answer, in ids to answer, or as noise.
use crate::support::lines::named;
use callgate::wire::{Id, Limits, Message, Reason, ServerLines, Shape};

/// Each line's fate: the admitted bytes, or the reason and the ids of responses it held.
fn fates(lines: &[&[u8]]) -> Vec<String> {
    let mut server = ServerLines::default();
    let fate = |line: &&[u8]| match server.read(line.to_vec().into(), &Limits::default()) {
        Ok(message) => String::from_utf8(message.bytes().to_vec()).unwrap(),
        Err(refused) => {
            let ids: Vec<&str> = refused.responses().map(Id::raw).collect();
            format!("{} {}", named(&refused.reason), ids.join(" ")).trim().to_owned()
        }
    };
    lines.iter().map(fate).collect()
}

#[test]
fn noise_is_refused_and_answers_nobody() {
    let lines: [&[u8]; 8] = [b"Starting server on stdio...", b"", b"null", b"42", b"\"str\"", b"{}", b"[]", b"\xff\xfe garbage"];
    let expected = ["not json", "empty", "not an object", "not an object", "not an object", "not json-rpc", "array", "not utf-8"];
    assert_eq!(fates(&lines), expected);
}

#[test]
fn an_answer_that_cannot_pass_names_its_call() {
    let cases: [(&[u8], &str); 7] = [
        (br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}{"jsonrpc":"2.0","id":3,"result":{}}"#, "not json 3"),
        (br#"[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":3,"result":{}}]"#, "array 3"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"text\":\"a\tb\"}}", "not json 3"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"text\":\"a\xffb\"}}", "not utf-8 3"),
        (br#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#, "not json 3"),
        (br#"{"jsonrpc":"2.0","id":3,"result":{"x":"cut off"#, "not json 3"),
        (br#"{"id":3,"result":{"id":4}}"#, "not json-rpc 3"),
    ];
    for (line, fate) in cases {
        assert_eq!(fates(&[line]), [fate], "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn an_answer_printed_over_several_lines_is_one_message() {
    let text =
        serde_json::json!({"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": "a } b \" c"}, {}, 1, [], "x"]}});
    let pretty = serde_json::to_string_pretty(&text).unwrap();
    let mut server = ServerLines::default();
    let mut passed = Vec::new();
    for line in pretty.lines() {
        match server.read(format!("{line}\r").into(), &Limits::default()) {
            Ok(message) => passed.push(message),
            Err(refused) => assert!(refused.salvaged.is_empty(), "{line}: {refused}"),
        }
    }
    let [Message::Response(response)] = passed.as_slice() else { panic!("{passed:?}") };
    assert_eq!(serde_json::from_slice::<serde_json::Value>(response.bytes()).unwrap(), text);
    assert!(!response.bytes().iter().any(|byte| b"\r\n".contains(byte)));
}

#[test]
fn a_printed_request_is_noise_and_a_broken_answer_names_its_call() {
    let request: [&[u8]; 5] = [b"{", b"  \"jsonrpc\": \"2.0\",", b"  \"id\": 3,", b"  \"method\": \"tools/call\"", b"}"];
    assert_eq!(fates(&request)[4], "bad shape");
    let broken: [&[u8]; 4] = [b"{", b"  \"id\": 3,", b"  \"result\": NaN", b"}"];
    assert_eq!(fates(&broken), ["not json", "not json", "not json", "not json 3"]);
    let torn: [&[u8]; 4] = [b"{", b" \"id\": 3, \"result\": {", b"  \"text\": \"torn", b"\"}}"];
    assert_eq!(fates(&torn), ["not json", "not json", "not json 3", "not json"]);
    let cut: [&[u8]; 2] = [b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"x\":1", b"next line"];
    assert_eq!(fates(&cut), ["not json 3", "not json"]);
}

#[test]
fn a_whole_message_ends_what_was_open() {
    let ping = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let fates = fates(&[b"{", b"  \"a\": 1,", ping, b"}"]);
    assert_eq!(fates, ["not json", "not json", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "not json"]);
    let bad = br#"{"jsonrpc":"2.0","id":3,"result":NaN}"#;
    assert_eq!(self::fates(&[b"{ starting", bad]), ["not json", "not json 3"]);
}

#[test]
fn what_is_kept_open_is_bounded() {
    let limits = Limits { bytes: 100, ..Limits::default() };
    let mut server = ServerLines::default();
    let mut lines = vec!["{".to_owned(), "\"id\": 3, \"result\": [".to_owned()];
    lines.extend((0..20).map(|_| "\"0123456789\",".to_owned()));
    let refused: Vec<_> = lines.into_iter().map(|line| server.read(line.into(), &limits).unwrap_err()).collect();
    let answered: Vec<_> = refused.iter().flat_map(|refused| &refused.salvaged).collect();
    assert!(matches!(answered.as_slice(), [found] if found.shape == Shape::Response && found.id.raw() == "3"), "{answered:?}");
    assert!(refused.iter().all(|refused| matches!(refused.reason, Reason::NotJson { .. })));
}
