//! The elicitation form and what counts as an answer to it.
use std::path::PathBuf;

use callgate::analyse::Confidence;
use callgate::gate::{Choice, Ending, Finding, Key, Kind, Question, Scopes};
use callgate::policy::{Direction, Effect};
use callgate::session::elicit::{Version, form, meta_for, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

fn outside(directory: &str, path: &str, raw: &str) -> Finding {
    Finding {
        kind: Kind::Outside,
        action: Effect::Ask,
        key: Key::Directory(directory.into()),
        path: Some(PathBuf::from(path)),
        covered: vec![PathBuf::from(path)],
        direction: Direction::Read,
        argument: "/command".to_owned(),
        raw: raw.to_owned(),
        confidence: Confidence::Declared,
        because: "operand of `cat`".to_owned(),
    }
}

fn question(findings: &[Finding], arguments: &str) -> Question {
    let mut question = Question::from_findings("q-7", "shell", "run", "d", arguments, findings, &Scopes::ALL);
    question.client = Some("claude-code".to_owned());
    question.directory = "/home/ann/project".to_owned();
    question
}

fn one() -> Question {
    question(&[outside("/etc", "/etc/hosts", "../../../etc/hosts")], r#"{"command":"cat ../../../etc/hosts"}"#)
}

fn two() -> Question {
    let findings = [outside("/etc", "/etc/hosts", "/etc/hosts"), outside("/srv", "/srv/a", "/srv/a")];
    question(&findings, r#"{"command":"cat /etc/hosts /srv/a"}"#)
}

#[test]
fn forms_look_like_this() {
    let render = |question: &Question, version| serde_json::to_string_pretty(&form(question, version)).expect("JSON");
    insta::assert_snapshot!("one_key_2025_06", render(&one(), Version::Legacy2025_06));
    insta::assert_snapshot!("two_keys_2025_11", render(&two(), Version::Legacy2025_11));
    let mut noted = one();
    noted.notes.push("the server's description changed since it was first seen".to_owned());
    noted.calls[0].arguments = "{\"command\":\"cat \u{202e}x\u{1b}[31m\"}".to_owned();
    insta::assert_snapshot!("hostile_modern", render(&noted, Version::Modern));
}

#[test]
fn every_form_is_flat_required_and_denies_first() {
    let many: Vec<Finding> = (0..40).map(|n| outside(&format!("/d{n}"), &format!("/d{n}/f"), "f")).collect();
    for question in [one(), two(), question(&many, "{}"), question(&[], "{}")] {
        for version in [Version::Legacy2025_06, Version::Legacy2025_11, Version::Modern] {
            let form = form(&question, version);
            let schema = &form["requestedSchema"];
            let properties = schema["properties"].as_object().expect("properties");
            assert!(!properties.is_empty(), "an empty form is accepted by a machine");
            let required: Vec<&str> =
                schema["required"].as_array().expect("required").iter().map(|name| name.as_str().expect("text")).collect();
            assert_eq!(required.len(), properties.len());
            for (name, property) in properties {
                assert!(required.contains(&name.as_str()));
                assert_eq!(property["type"], "string");
                assert_eq!(property["enum"][0], "deny");
                assert!(property.get("title").is_none() && property.get("oneOf").is_none());
            }
            assert_eq!(form.get("mode").is_some(), version != Version::Legacy2025_06);
            assert!(form["message"].as_str().expect("message").lines().count() <= 11);
        }
    }
}

#[test]
fn a_megabyte_of_hostile_text_stays_a_short_plain_message() {
    let hostile = "\u{1b}]0;x\u{7}\u{202e}\n".repeat(120_000);
    let mut question = question(&[outside("/etc", "/etc/hosts", &hostile)], &hostile);
    question.calls[0].tool = hostile.clone();
    question.notes = vec![hostile];
    let message = form(&question, Version::Modern)["message"].as_str().expect("message").to_owned();
    assert!(message.len() < 6_000, "{} bytes", message.len());
    assert!(message.lines().count() <= 10);
    assert!(message.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(message.contains("characters not shown"));
}

#[test]
fn the_table_of_results_holds() {
    let table: toml::Table = toml::from_str(include_str!("../../cases/elicit.toml")).expect("the table is TOML");
    for case in table["case"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("name");
        let question = if case.get("keys").is_some() { two() } else { one() };
        let result: Value = serde_json::from_str(case["result"].as_str().expect("result")).expect("JSON");
        let answer = parse(&question, &result);
        assert!(answer.asserted_by_client, "case `{name}`");
        let ending = match answer.ending {
            Ending::Decided => "decided",
            Ending::Declined => "declined",
            Ending::Dismissed => "dismissed",
            Ending::Unusable(why) => why,
        };
        assert_eq!(ending, case["ending"].as_str().expect("ending"), "case `{name}`");
        let settlement = question.settle(&answer);
        let allowed: Vec<&str> = settlement.allowed.iter().map(|(_, choice)| choice.words()).collect();
        let expected: Vec<&str> = case["allowed"].as_array().expect("allowed").iter().map(|word| word.as_str().expect("text")).collect();
        assert_eq!(allowed, expected, "case `{name}`");
    }
}

#[test]
fn meta_is_copied_without_the_progress_token() {
    assert_eq!(meta_for(r#"{"progressToken":1,"agentToolRequestId":"r-1"}"#), Some(json!({"agentToolRequestId": "r-1"})));
    for nothing in ["{}", r#"{"progressToken":"x"}"#, "[]", "null", "", "{", &"[".repeat(10_000)] {
        assert_eq!(meta_for(nothing), None, "`{nothing}`");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(Choice::ALL.map(|choice| json!(choice.words())).to_vec());
    let leaf = prop_oneof![words, any::<bool>().prop_map(Value::from), any::<i64>().prop_map(Value::from), ".{0,8}".prop_map(Value::from)];
    let names = prop::sample::select(vec!["action", "content", "decision", "decision_1", "decision_2", "x"]);
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_result_allows_more_than_its_words(content in any_json(), action in prop::sample::select(vec!["accept", "decline", "cancel", "Accept", ""])) {
        let question = one();
        let settlement = question.settle(&parse(&question, &json!({ "action": action, "content": content })));
        let exact = action == "accept" && content.as_object().is_some_and(|members| members.len() == 1);
        let words = content.get("decision").and_then(Value::as_str).unwrap_or_default();
        let allows = exact && ["allow once", "allow for this session", "allow always"].contains(&words);
        prop_assert_eq!(settlement.is_cleared(), allows);
    }
}
