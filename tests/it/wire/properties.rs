//! What holds of every line and every splice: no panic, no change beyond blanks, edits that touch nothing else.
use crate::support::reader_checks;
use callgate::wire::{Id, decode, elements, error, insert, members, refusal, remove, request, result, retain};
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON text in odd but legal spellings: blanks anywhere, escapes where none are needed, numbers of all sorts.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?",
        string_text(),
    ];
    leaf.prop_recursive(6, 60, 6, |inside| {
        let blank = "[ \t]{0,2}";
        let element = (blank, inside.clone(), blank).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let names = proptest::collection::btree_map("[a-zé]{1,4}", (blank, inside, blank), 0..12);
        prop_oneof![
            proptest::collection::vec(element, 0..6).prop_map(|elements| format!("[{}]", elements.join(","))),
            names.prop_map(|members| {
                let member = |(name, (before, value, after)): (String, (String, String, String))| {
                    format!("{before}\"{name}\"{after}:{before}{value}{after}")
                };
                format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

fn string_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["[ -!#-\\[\\]-~é\u{2028}😀]{0,5}", "\\\\[\"\\\\/bfnrt]", "\\\\u[0-9a-fA-F]{4}"];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn line(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"v":{params}}}}}}}"#)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        reader_checks::check(&bytes);
    }

    #[test]
    fn any_text_around_a_message_is_read_or_refused(before in "[\u{feff} \r\n\t{\\[\"]{0,3}", text in json_text(), after in "[ \r\n}\\],]{0,3}") {
        reader_checks::check(format!("{before}{}{after}", line(&text)).as_bytes());
    }

    #[test]
    fn legal_json_passes_in_any_spelling(text in json_text()) {
        prop_assert!(reader_checks::check(line(&text).as_bytes()));
    }

    #[test]
    fn members_and_elements_cover_their_container(text in json_text()) {
        let (value, _) = decode(text.as_bytes());
        let parts: Vec<Value> = match value {
            Value::Object(_) => members(text.as_bytes()).map(|(_, _, range)| decode(&text.as_bytes()[range]).0).collect(),
            _ => elements(text.as_bytes()).map(|range| decode(&text.as_bytes()[range]).0).collect(),
        };
        match &value {
            Value::Object(map) => prop_assert_eq!(parts.len(), map.len()),
            Value::Array(list) => prop_assert_eq!(&parts, list),
            _ => prop_assert!(parts.is_empty()),
        }
    }

    #[test]
    fn a_member_put_in_comes_out_again(text in json_text(), name in "[A-Z\"\\\\\u{1}]{1,3}", new in json_text()) {
        let (before, _) = decode(text.as_bytes());
        prop_assume!(before.is_object());
        let with = insert(text.as_bytes(), 0..text.len(), &name, new.as_bytes());
        let mut expected = before.clone();
        expected[&name] = decode(new.as_bytes()).0;
        prop_assert_eq!(decode(&with).0, expected);
        prop_assert_eq!(remove(&with, 0..with.len(), &name), text.as_bytes());
    }

    #[test]
    fn keeping_some_elements_drops_exactly_the_others(texts in proptest::collection::vec(json_text(), 0..6), mask in any::<u8>(), around in "[ \t]{0,2}") {
        let list = |chosen: Vec<&String>| format!("[{}]", chosen.iter().map(|text| format!("{around}{text}{around}")).collect::<Vec<_>>().join(","));
        let wrap = |inside: String| format!("{{\"a\": {inside} }}");
        let text = wrap(list(texts.iter().collect()));
        let chosen: Vec<&String> = texts.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, text)| text).collect();
        let mut at = 0;
        let kept = retain(text.as_bytes(), 6..text.len() - 2, |_| {
            at += 1;
            mask >> (at - 1) & 1 == 1
        });
        prop_assert_eq!(String::from_utf8(kept.to_vec()).unwrap(), wrap(list(chosen)));
    }

    #[test]
    fn our_own_messages_are_always_admitted(text in "\\PC{0,20}[\"\\\\\u{0}\u{7f}]?", number in any::<i64>()) {
        let body = json!({ "text": text, "number": number });
        let id = Id::text(&text);
        reader_accepts(&result(&id, &body));
        reader_accepts(&error(Some(&id), number, &text, Some(body.clone())));
        reader_accepts(&refusal(&id, &text, json!({ "callgate/refusal": text }), true));
        reader_accepts(&error(None, number, &text, None));
        reader_accepts(&request(&text, "x/y", &body));
    }
}

fn reader_accepts(line: &[u8]) {
    assert!(reader_checks::check(line), "{}", String::from_utf8_lossy(line));
}

#[test]
fn the_kept_corpus_of_the_fuzzer_holds() {
    let corpus = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/reader")).unwrap();
    let mut count = 0;
    for entry in corpus {
        let path = entry.unwrap().path();
        let outcome = std::panic::catch_unwind(|| reader_checks::check(&std::fs::read(&path).unwrap()));
        assert!(outcome.is_ok(), "{}", path.display());
        count += 1;
    }
    assert!(count > 50, "{count} files");
}
