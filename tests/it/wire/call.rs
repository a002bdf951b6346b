//! Calls: what the gate reads of them, what it refuses to judge, and the splices that make the bytes of a retry.
use crate::support::lines::{admit, call, request};
use callgate::wire::{Call, Id, Message, Side, decode, elements, insert, members, remove, replace, retain};
use serde_json::json;

fn line(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

#[test]
fn a_call_is_known_by_what_its_method_says() {
    let cases = [
        ("tools/call", r#"{"name":"re\u0061d","arguments":{"p":"a"},"_meta":{"x":1}}"#, "read", json!({"p": "a"})),
        ("tools/call", r#"{"name":"read"}"#, "read", json!(null)),
        ("tools/call", r#"{"name":"read","arguments":null}"#, "read", json!(null)),
        ("prompts/get", r#"{"name":"p","arguments":{"n":"1"}}"#, "p", json!({"n": "1"})),
        (
            "resources/read",
            r#"{"uri":"file:///a","_meta":{},"inputResponses":{},"requestState":"s"}"#,
            "resources/read",
            json!({"uri": "file:///a"}),
        ),
        ("tasks/update", r#"{"taskId":"t","x":1}"#, "tasks/update", json!({"taskId": "t", "x": 1})),
        ("x/open", r#"{"path":"/etc/shadow"}"#, "x/open", json!({"path": "/etc/shadow"})),
        ("x/open", r#"["/etc/shadow"]"#, "x/open", json!(["/etc/shadow"])),
    ];
    for (method, params, tool, arguments) in cases {
        let call = call(line(method, params));
        assert_eq!((call.method(), call.tool(), call.arguments()), (method, tool, &arguments));
        assert!(!call.lossy());
    }
}

#[test]
fn a_call_that_cannot_be_judged_is_refused() {
    let cases = [
        ("tools/call", r#"{"name":"t","arguments":[1]}"#, "`params.arguments` must be an object"),
        ("tools/call", r#"{"name":"t","arguments":"x"}"#, "`params.arguments` must be an object"),
        ("tools/call", r#"{"name":"t\ud800"}"#, "`params.name` must be a string"),
        ("tools/call", r#"{"name":7}"#, "`params.name` must be a string"),
        ("tools/call", r#"{"arguments":{}}"#, "`params.name` must be a string"),
        ("tools/call", r#"["t"]"#, "`params` must be an object"),
        ("tools/call", "null", "`params` must be an object"),
        ("prompts/get", r#"{"name":null}"#, "`params.name` must be a string"),
        ("resources/read", r#"["file:///a"]"#, "`params` must be an object"),
        ("tasks/cancel", "null", "`params` must be an object"),
    ];
    for (method, params, why) in cases {
        let bad = request(line(method, params)).into_call().unwrap_err();
        assert!(bad.to_string().contains(why), "{method} {params}: {bad}");
        assert_eq!(bad.id.raw(), "1");
    }
}

#[test]
fn only_what_needs_no_decision_becomes_another_message() {
    let cases = [
        ("tools/call", r#"{"name":"t"}"#, true),
        ("tools/call", "[]", true),
        ("resources/read", "{}", true),
        ("resources/subscribe", "{}", true),
        ("prompts/get", "{}", true),
        ("tasks/result", "{}", true),
        ("tasks/list", "{}", true),
        ("tasks/update", "{}", true),
        ("tasks/run", r#"{"name":"t"}"#, true),
        ("tasks/run", r#"{"z":1}"#, false),
        ("tools/list", r#"{"task":{}}"#, true),
        ("x/y", r#"{"uri":"a"}"#, true),
        ("Tools/Call", r#"{"name":"t"}"#, true),
        ("subscriptions/listen", r#"{"notifications":{"resourceSubscriptions":["file:///a"]}}"#, true),
        ("subscriptions/listen", r#"{"notifications":{"resourceSubscriptions":"file:///a"}}"#, true),
        ("subscriptions/listen", r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[]}}"#, false),
        ("tools/list", r#"{"cursor":"c"}"#, false),
        ("resources/unsubscribe", r#"{"uri":"file:///a"}"#, false),
        ("completion/complete", r#"{"ref":{"type":"ref/prompt","name":"p"}}"#, false),
        ("x/y", r#"{"z":1}"#, false),
        ("x/y", "[1]", false),
        ("x/y", r#"[{"name":"n"}]"#, false),
    ];
    for (method, params, gated) in cases {
        let text = line(method, params);
        let message = admit(&text, Side::Client).unwrap();
        match message.into_other() {
            Ok(other) => assert!(!gated && other.bytes() == text.as_bytes(), "{method} {params}"),
            Err(request) => assert!(gated && request.is_gated(), "{method} {params}"),
        }
    }
    let from_server = admit(line("x/y", r#"{"name":"n"}"#), Side::Server).unwrap();
    assert!(from_server.into_other().is_ok());
}

#[test]
fn what_cannot_be_decoded_exactly_is_flagged() {
    for (arguments, lossy) in
        [(r#"{"a":"\ud83d"}"#, true), (r#"{"a":1e400}"#, true), (r#"{"\udfff":1}"#, true), (r#"{"a":"\ud83d\ude00"}"#, false)]
    {
        assert_eq!(call(line("tools/call", &format!(r#"{{"name":"t","arguments":{arguments}}}"#))).lossy(), lossy, "{arguments}");
    }
    assert_eq!(decode(br#"["\ud83d",1e400,-0,18446744073709551615,1.5]"#), (json!(["\u{fffd}", "1e400", -0.0, u64::MAX, 1.5]), true));
}

#[test]
fn the_digest_follows_the_request_and_not_its_spelling() {
    let digest = |params: &str| call(line("tools/call", params)).digest();
    let base = digest(r#"{"name":"t","arguments":{"a":1,"b":"é\n"}}"#);
    let same = [
        r#"{ "arguments" : { "b":"\u00e9\u000a", "a":1 } , "name":"t" }"#,
        r#"{"name":"\u0074","arguments":{"a":1,"b":"é\n"},"_meta":{"progressToken":5},"requestState":"s","inputResponses":{"a":{}}}"#,
    ];
    for params in same {
        assert_eq!(digest(params), base, "{params}");
    }
    let other = [
        r#"{"name":"t","arguments":{"a":1.0,"b":"é\n"}}"#,
        r#"{"name":"t","arguments":{"a":"1","b":"é\n"}}"#,
        r#"{"name":"T","arguments":{"a":1,"b":"é\n"}}"#,
        r#"{"name":"t","arguments":{"a":1,"b":"é\n","_meta":1}}"#,
        r#"{"name":"t","arguments":{"a":1,"b":"é\n"},"task":{}}"#,
    ];
    for params in other {
        assert_ne!(digest(params), base, "{params}");
    }
    assert_ne!(digest(r#"{"name":"t","arguments":{"a":"\ud800"}}"#), digest(r#"{"name":"t","arguments":{"a":"\ud801"}}"#));
}

/// Anyone can recompute what the audit log shows: SHA-256 of the method, a line feed, and the canonical parameters.
#[test]
fn the_digest_is_a_plain_sha256() {
    use sha2::Digest;
    let digest = call(line("tools/call", r#"{"name":"t","arguments":{"b":[1,{"y":null,"x":"\/"}],"a":true}}"#)).digest();
    let canonical = "tools/call\n{\"arguments\":{\"a\":true,\"b\":[1,{\"x\":\"/\",\"y\":null}]},\"name\":\"t\"}";
    let expected: String = sha2::Sha256::digest(canonical).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, expected);
}

#[test]
fn a_retry_goes_on_without_the_keys_that_are_ours() {
    let retry = |params: &str, state: Option<&str>| {
        let bytes = call(line("tools/call", params)).without_own_keys(&["callgate", "callgate-2"], state);
        let prefix = line("tools/call", "").len() - 1;
        String::from_utf8(bytes[prefix..bytes.len() - 1].to_vec()).unwrap()
    };
    let ours = r#"{"name":"t", "inputResponses" : {"callgate":{"action":"accept"}} ,"requestState":"S", "z":1.10}"#;
    assert_eq!(retry(ours, None), r#"{"name":"t", "z":1.10}"#);
    assert_eq!(retry(ours, Some("U\"")), r#"{"name":"t","requestState":"U\"", "z":1.10}"#);
    let both = r#"{"inputResponses":{"callgate":{}, "b" :{"x":1.0},"callgate-2":{}},"requestState":"S"}"#;
    let named = |rest: &str| format!(r#"{{"name":"t",{}"#, &rest[1..]);
    assert_eq!(retry(&named(both), None), named(r#"{"inputResponses":{ "b" :{"x":1.0}}}"#));
    assert_eq!(retry(r#"{"name":"t"}"#, None), r#"{"name":"t"}"#);
    assert_eq!(retry(r#"{"name":"t","inputResponses":{}}"#, None), r#"{"name":"t","inputResponses":{}}"#);
    assert_eq!(retry(r#"{"name":"t"}"#, Some("U")), r#"{"name":"t","requestState":"U"}"#);
}

#[test]
fn arguments_are_rewritten_where_a_pointer_says() {
    let before = call(line("tools/call", r#"{"name":"t","arguments":{ "path":"a" ,"l":["x",{"p/q":"\u0062"}],"n":1.10}}"#));
    let after = before.with_arguments_spliced(&[("/path", "/r/a"), ("/l/1/p~1q", "/r/\"b\"")]).unwrap();
    assert_eq!(after.raw_arguments(), r#"{ "path":"/r/a" ,"l":["x",{"p/q":"/r/\"b\""}],"n":1.10}"#);
    assert_eq!(after.arguments(), &json!({"path": "/r/a", "l": ["x", {"p/q": "/r/\"b\""}], "n": 1.1}));
    for pointer in ["/n", "/missing", "/l/9", "", "/l"] {
        assert!(before.with_arguments_spliced(&[(pointer, "x")]).is_err(), "{pointer}");
    }
    let read = call(line("resources/read", r#"{"uri":"file:a"}"#)).with_arguments_spliced(&[("/uri", "file:///r/a")]).unwrap();
    assert_eq!(read.arguments(), &json!({"uri": "file:///r/a"}));
}

#[test]
fn a_synthetic_call_is_an_ordinary_one() {
    let call = Call::synthetic("a \"tool\"", &json!({"path": "x"})).unwrap();
    assert_eq!((call.method(), call.tool(), call.arguments()), ("tools/call", "a \"tool\"", &json!({"path": "x"})));
    assert!(Call::synthetic("t", &json!([1])).is_err());
}

#[test]
fn a_modern_request_says_what_its_client_can() {
    let params = r#"{"name":"t","_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"requestState":"s\u0031","inputResponses":{"a":1}}"#;
    let call = call(line("tools/call", params));
    assert_eq!(call.progress_token(), Some(&b"\"p\""[..]));
    assert_eq!(call.protocol_version().as_deref(), Some("2026-07-28"));
    assert_eq!(call.client_capabilities(), Some(&br#"{"elicitation":{}}"#[..]));
    assert_eq!(call.request_state().as_deref(), Some("s1"));
    assert_eq!(call.input_responses(), Some(&br#"{"a":1}"#[..]));
}

#[test]
fn ids_are_compared_by_value_and_kind() {
    let id = |raw: &str| match admit(format!(r#"{{"jsonrpc":"2.0","id":{raw},"result":1}}"#), Side::Server) {
        Ok(Message::Response(response)) => response.id().unwrap().clone(),
        other => panic!("{other:?}"),
    };
    let equal = [
        ("1", "1.0"),
        ("1", "1e0"),
        ("1", "10e-1"),
        ("100", "1e2"),
        ("0", "-0"),
        ("0", "0.0e9"),
        ("\"1\"", "\"\\u0031\""),
        ("1.50", "15e-1"),
        ("-5", "-5.0"),
    ];
    let different = [
        ("1", "\"1\""),
        ("1", "2"),
        ("9007199254740993", "9007199254740992"),
        ("\"a\"", "\"A\""),
        ("1", "-1"),
        ("\"\\ud800\"", "\"\\ud801\""),
        ("1", "1e99999999999999999999"),
    ];
    for (one, other) in equal {
        assert_eq!(id(one), id(other));
        assert_eq!(id(one).raw(), one);
    }
    for (one, other) in different {
        assert_ne!(id(one), id(other));
    }
    assert!(id("7").same_text(&id("\"7\"")) && id("\"7\"").same_text(&id("7.0")));
    assert!(!id("7").same_text(&id("\"x\"")) && !id("\"7\"").same_text(&id("\"07\"")));
    assert_eq!(Id::text("a\"b"), id(r#""a\u0022b""#));
}

#[test]
fn splices_leave_every_other_byte_alone() {
    let text = br#"{"r":{"tools":[ {"name":"a"} , {"name":"b"},{"name":"c","x":1.0} ] ,"k":1}}"#;
    let (_, _, result) = members(text).next().unwrap();
    let (_, _, tools) = members(&text[result.clone()]).next().unwrap();
    let tools = result.start + tools.start..result.start + tools.end;
    assert_eq!(elements(&text[tools.clone()]).count(), 3);
    let without = |name: &str| {
        let keep = |element: &[u8]| decode(element).0["name"] != *name;
        String::from_utf8(retain(text, tools.clone(), keep).to_vec()).unwrap()
    };
    assert_eq!(without("a"), r#"{"r":{"tools":[ {"name":"b"},{"name":"c","x":1.0} ] ,"k":1}}"#);
    assert_eq!(without("b"), r#"{"r":{"tools":[ {"name":"a"} ,{"name":"c","x":1.0} ] ,"k":1}}"#);
    assert_eq!(without("c"), r#"{"r":{"tools":[ {"name":"a"} , {"name":"b"}] ,"k":1}}"#);
    assert_eq!(without("none").as_bytes(), text);
    assert_eq!(&retain(text, tools.clone(), |_| false)[..], br#"{"r":{"tools":[] ,"k":1}}"#);
    assert_eq!(&remove(text, result.clone(), "k")[..], br#"{"r":{"tools":[ {"name":"a"} , {"name":"b"},{"name":"c","x":1.0} ] }}"#);
    assert_eq!(&insert(br#"{"a":{}}"#, 5..7, "b", b"1")[..], br#"{"a":{"b":1}}"#);
    assert_eq!(&insert(br#"{"a": 1 }"#, 0..9, "b", b"2")[..], br#"{"a": 1 ,"b":2}"#);
    assert_eq!(&insert(br#"{"a": 1 }"#, 0..9, "a", b"2")[..], br#"{"a": 2 }"#);
    assert_eq!(&replace(b"abc", 1..2, b"xyz")[..], b"axyzc");
    assert_eq!(&replace(b"abc", 2..9, b"xyz")[..], b"abc");
}
