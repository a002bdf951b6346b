//! The table of smuggling attempts, and those that are too big or too odd for a table.
use std::time::Instant;

use crate::support::HANG;
use crate::support::lines::{admit, named};
use bytes::Bytes;
use callgate::wire::{Id, Limits, Message, Reason, Shape, Side, read, too_long};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    line: String,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    pass: bool,
    bytes: Option<String>,
    reason: Option<String>,
    requests: Option<Vec<String>>,
    responses: Option<Vec<String>>,
}

#[derive(serde::Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[test]
fn each_attempt_ends_as_the_table_says() {
    let table: Table = toml::from_str(include_str!("../../cases/wire_smuggling.toml")).unwrap();
    assert!(table.case.len() > 40);
    for case in table.case {
        let from = if case.from.as_deref() == Some("server") { Side::Server } else { Side::Client };
        match admit(&case.line, from) {
            Ok(message) => {
                assert!(case.pass, "{}: passed", case.name);
                assert_eq!(message.bytes(), case.bytes.as_ref().unwrap_or(&case.line), "{}", case.name);
            }
            Err(refused) => {
                assert_eq!(Some(named(&refused.reason)), case.reason.as_deref(), "{}: {refused}", case.name);
                let raw = |ids: Vec<&Id>| ids.iter().map(|id| id.raw().to_owned()).collect::<Vec<_>>();
                if let Some(requests) = case.requests {
                    assert_eq!(raw(refused.requests().collect()), requests, "{}", case.name);
                }
                if let Some(responses) = case.responses {
                    assert_eq!(raw(refused.responses().collect()), responses, "{}", case.name);
                }
            }
        }
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_and_answered() {
    let cases: [&[u8]; 4] = [b"a\xffb", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"];
    for text in cases {
        let line = [br#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":""#, text, br#""}}"#].concat();
        let refused = admit(line, Side::Client).unwrap_err();
        assert!(matches!(refused.reason, Reason::NotUtf8 { offset } if offset >= 55), "{refused}");
        assert_eq!(refused.requests().map(Id::raw).collect::<Vec<_>>(), ["3"]);
    }
}

#[test]
fn raw_control_characters_are_refused_wherever_they_stand() {
    for control in 0..0x20_u8 {
        for filler in 0..16 {
            let filler = "x".repeat(filler);
            let line = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"{filler}{}"}}"#, char::from(control));
            assert!(matches!(admit(line, Side::Client).unwrap_err().reason, Reason::NotJson { .. }), "{control}");
        }
    }
    assert!(admit("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\u{7f}\u{80}\u{85}\"}", Side::Client).is_ok());
}

#[test]
fn a_refused_batch_is_answered_so_many_times_and_no_more() {
    let calls = (0..300).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).collect::<Vec<_>>();
    let refused = admit(format!("[{}]", calls.join(",")), Side::Client).unwrap_err();
    assert_eq!(refused.requests().count(), 256);
}

#[test]
fn depth_is_bounded_without_recursion() {
    let nest =
        |depth: usize| format!(r#"{{"jsonrpc":"2.0","id":4,"method":"x/y","params":{{"a":{}{}}}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert!(admit(nest(510), Side::Client).is_ok());
    assert_eq!(admit(nest(511), Side::Client).unwrap_err().reason, Reason::TooDeep { limit: 512 });
    let bomb = admit(nest(1_000_000), Side::Client).unwrap_err();
    assert_eq!(bomb.reason, Reason::TooDeep { limit: 512 });
    assert_eq!(bomb.requests().map(Id::raw).collect::<Vec<_>>(), ["4"]);
    let unclosed = admit("[".repeat(1_000_000), Side::Server).unwrap_err();
    assert_eq!(named(&unclosed.reason), "array");
}

#[test]
fn a_tree_at_the_deepest_depth_can_be_built_and_dropped_on_a_small_stack() {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let nest = |depth: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"t","arguments":{{"a":{}1{}}}}}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    let read = |depth: usize| read(nest(depth).into(), Side::Client, &limits);
    assert_eq!(read(2_046).unwrap_err().reason, Reason::TooDeep { limit: 2_048 });
    let Ok(Message::Request(request)) = read(2_045) else { panic!("should pass") };
    let build = move || drop(request.into_call().unwrap().digest());
    std::thread::Builder::new().stack_size(1 << 20).spawn(build).unwrap().join().unwrap();
}

#[test]
fn a_line_over_the_limit_is_answered_by_the_id_at_either_end() {
    let limits = Limits { bytes: 1_000, ..Limits::default() };
    let filler = "x".repeat(1_200);
    let id_first = format!(r#"{{"jsonrpc":"2.0","id":8,"result":{{"t":"{filler}"}}}}"#);
    let id_last = format!(r#"{{"result":{{"t":"{filler}"}},"jsonrpc":"2.0","id":8}}"#);
    let version_last = format!(r#"{{"result":{{"t":"{filler}"}},"id":"8","jsonrpc":"2.0"}} "#);
    for (line, raw) in [(id_first, "8"), (id_last, "8"), (version_last, "\"8\"")] {
        let cut = too_long(&line.as_bytes()[..500], &line.as_bytes()[line.len() - 100..], Side::Server, &limits);
        let whole = read(line.into(), Side::Server, &limits).unwrap_err();
        for refused in [cut, whole] {
            assert_eq!(refused.reason, Reason::TooLong { limit: 1_000 });
            assert_eq!(refused.salvaged.iter().map(|found| (found.id.raw(), found.shape)).collect::<Vec<_>>(), [(raw, Shape::Response)]);
        }
    }
}

#[test]
fn a_line_of_65_mib_is_refused_quickly() {
    let line = format!(r#"{{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{{"name":"{}"}}}}"#, "x".repeat(65 << 20));
    let refused = admit(line, Side::Client).unwrap_err();
    assert_eq!(named(&refused.reason), "too long");
    assert_eq!(refused.requests().map(Id::raw).collect::<Vec<_>>(), ["8"]);
}

#[test]
fn many_names_are_no_way_to_make_it_slow() {
    let names = |count: usize, last: &str| {
        let names = (0..count).map(|at| format!("\"k{at}\":0,")).collect::<String>();
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"v":{{{names}"{last}":0}}}}}}"#)
    };
    let started = Instant::now();
    assert!(admit(names(100_000, "last"), Side::Client).is_ok());
    assert_eq!(named(&admit(names(100_000, "k5"), Side::Client).unwrap_err().reason), "duplicate");
    // Comparing each with each would take minutes.
    assert!(started.elapsed() < HANG, "{:?}", started.elapsed());
}

#[test]
fn more_values_than_a_tree_should_hold_are_refused_where_the_gate_looks_only() {
    let limits = Limits { values: 1_000, ..Limits::default() };
    let numbers = "0,".repeat(2_000) + "0";
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"v":[{numbers}]}}}}"#);
    assert_eq!(read(call.into(), Side::Client, &limits).unwrap_err().reason, Reason::TooMany { limit: 1_000 });
    let result = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":[{numbers}]}}}}"#);
    assert!(read(Bytes::from(result), Side::Server, &limits).is_ok());
}

/// Node's line reader also splits at the two Unicode line ends, which JSON allows inside strings. Whatever stands around them, the pieces
/// cannot be messages: the quotes of their names would be the gate's quotes turned inside out.
#[test]
fn pieces_cut_at_unicode_line_ends_are_no_messages() {
    let cases = [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\u{2028}{\",\"jsonrpc\":\":\",\"method\":\"}\u{2028}\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\u{2028}{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":9,\\\"method\\\":\\\"tools/call\\\"}\u{2029}\"}}",
    ];
    for line in cases {
        assert!(admit(line, Side::Client).is_ok(), "{line}");
        for piece in line.split(['\u{2028}', '\u{2029}']) {
            assert!(admit(piece, Side::Client).is_err(), "{piece}");
        }
    }
}
