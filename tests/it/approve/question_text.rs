//! The question model: grouping of findings, what is offered, what an answer settles.
use std::collections::BTreeMap;
use std::path::PathBuf;

use callgate::analyse::Confidence;
use callgate::gate::{Answer, Channel, Choice, Ending, Finding, Key, Kind, Question, Scopes};
use callgate::policy::{Direction, Effect};
use proptest::prelude::*;

fn word<T: Copy>(table: &[(&str, T)], given: &str) -> T {
    table.iter().find(|(word, _)| *word == given).unwrap_or_else(|| panic!("`{given}` is not known")).1
}

fn kind(given: &str) -> Kind {
    let all = [
        Kind::UnknownTool,
        Kind::Definition,
        Kind::Access,
        Kind::Outside,
        Kind::Sensitive,
        Kind::Unparsed,
        Kind::PrivateAddress,
        Kind::Rule,
    ];
    all.into_iter().find(|kind| kind.word() == given).expect("a kind")
}

fn key(text: &str) -> Key {
    match text.split_once(' ') {
        Some(("directory", path)) => Key::Directory(path.into()),
        Some(("file", path)) => Key::File(path.into()),
        _ => Key::Call(text.to_owned()),
    }
}

fn finding(row: &toml::Value) -> Finding {
    let text = |name: &str| row.get(name).and_then(toml::Value::as_str).unwrap_or_default();
    let action = word(&[("ask", Effect::Ask), ("deny", Effect::Deny), ("allow", Effect::Allow), ("", Effect::Ask)], text("action"));
    let confidence = [("guess", Confidence::Guess), ("expected", Confidence::Expected), ("", Confidence::Declared)];
    let direction = [("read", Direction::Read), ("write", Direction::Write), ("", Direction::Unknown)];
    let path = row.get("path").map(|path| PathBuf::from(path.as_str().expect("path")));
    Finding {
        kind: kind(text("kind")),
        action,
        key: key(text("key")),
        covered: path.iter().cloned().collect(),
        path,
        direction: word(&direction, text("direction")),
        argument: text("argument").to_owned(),
        raw: text("raw").to_owned(),
        confidence: word(&confidence, text("confidence")),
        because: text("because").to_owned(),
    }
}

fn words(value: &toml::Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|word| word.as_str().expect("text").to_owned()).collect()
}

fn answer(decisions: impl IntoIterator<Item = (Key, Choice)>) -> Answer {
    Answer { decisions: decisions.into_iter().collect(), ..Answer::nothing(Channel::Terminal, Ending::Decided) }
}

#[test]
fn the_table_holds() {
    let table: toml::Table = toml::from_str(include_str!("../../cases/question.toml")).expect("the table is TOML");
    for case in table["case"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("name");
        let findings: Vec<Finding> = case["findings"].as_array().expect("findings").iter().map(finding).collect();
        let scopes = Scopes {
            session: case.get("session").is_none_or(|value| value.as_bool().expect("bool")),
            always: case.get("always").is_none_or(|value| value.as_bool().expect("bool")),
        };
        let arguments = "x".repeat(case.get("arguments").map_or(2, |size| size.as_integer().expect("size") as usize));
        let question = Question::from_findings("q", "files", "read_file", "d", arguments, &findings, &scopes);
        let items = case["items"].as_array().expect("items");
        assert_eq!(question.items.len(), items.len(), "case `{name}`: {:#?}", question.items);
        for (item, expected) in question.items.iter().zip(items) {
            assert_eq!(item.key, key(expected["key"].as_str().expect("key")), "case `{name}`");
            let offered: Vec<&str> = item.offered.iter().map(|choice| choice.words()).collect();
            assert_eq!(offered, words(&expected["offered"]), "case `{name}`: offered");
            assert_eq!(item.headline(), expected["headline"].as_str().expect("headline"), "case `{name}`");
            assert_eq!(item.details(), words(&expected["details"]), "case `{name}`");
        }
        if let Some(given) = case.get("answer") {
            let decisions = given
                .as_table()
                .expect("answer")
                .iter()
                .map(|(text, choice)| (key(text), Choice::from_words(choice.as_str().expect("words")).expect("a choice")));
            let settlement = question.settle(&answer(decisions));
            let allowed: Vec<String> =
                settlement.allowed.iter().map(|(key, choice)| format!("{} = {}", key.text(), choice.words())).collect();
            assert_eq!(allowed, words(&case["allowed"]), "case `{name}`: allowed");
            assert_eq!(settlement.is_cleared(), case["cleared"].as_bool().expect("cleared"), "case `{name}`: cleared");
        }
    }
}

#[test]
fn a_question_without_items_is_never_cleared() {
    let question = Question::from_findings("q", "s", "t", "d", "{}", &[], &Scopes::ALL);
    assert!(!question.settle(&answer([])).is_cleared());
}

#[test]
fn an_answer_that_was_not_decided_allows_nothing() {
    let row: toml::Value = toml::from_str("kind = 'outside'\nkey = 'directory /etc'").expect("TOML");
    let question = Question::from_findings("q", "s", "t", "d", "{}", &[finding(&row)], &Scopes::ALL);
    for ending in [Ending::Declined, Ending::Dismissed, Ending::Unusable("noise")] {
        let given = Answer { ending, ..answer([(Key::Directory("/etc".into()), Choice::Once)]) };
        assert!(question.settle(&given).allowed.is_empty());
        assert!(!question.settle(&given).is_cleared());
    }
}

fn any_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        "/[ab]{1,2}".prop_map(|path| Key::Directory(path.into())),
        "/[ab]{1,2}".prop_map(|path| Key::File(path.into())),
        "[ab]{1,2}".prop_map(Key::Call),
    ]
}

fn any_finding() -> impl Strategy<Value = Finding> {
    let kinds = prop::sample::select(vec![Kind::Outside, Kind::Sensitive, Kind::Unparsed, Kind::Rule, Kind::Definition]);
    let confidences = prop::sample::select(vec![Confidence::Guess, Confidence::Expected, Confidence::Declared]);
    let actions = prop::sample::select(vec![Effect::Allow, Effect::Ask, Effect::Deny]);
    (any_key(), kinds, confidences, actions).prop_map(|(key, kind, confidence, action)| Finding {
        kind,
        action,
        key,
        path: None,
        covered: Vec::new(),
        direction: Direction::Read,
        argument: String::new(),
        raw: String::new(),
        confidence,
        because: String::new(),
    })
}

proptest! {
    #[test]
    fn an_answer_never_allows_what_was_not_asked_or_not_offered(
        findings in prop::collection::vec(any_finding(), 0..8),
        decisions in prop::collection::btree_map(any_key(), prop::sample::select(Choice::ALL.to_vec()), 0..8),
        session: bool,
        always: bool,
    ) {
        let question = Question::from_findings("q", "s", "t", "d", "{}", &findings, &Scopes { session, always });
        let asked: BTreeMap<Key, Vec<Choice>> = question.items.iter().map(|item| (item.key.clone(), item.offered.clone())).collect();
        let settlement = question.settle(&answer(decisions.clone()));
        for (key, choice) in &settlement.allowed {
            prop_assert_eq!(decisions.get(key), Some(choice));
            prop_assert!(asked.get(key).is_some_and(|offered| offered.contains(choice)));
            prop_assert!(*choice != Choice::Deny);
        }
        prop_assert_eq!(settlement.allowed.len() + settlement.denied.len(), asked.len());
        let asking = findings.iter().filter(|finding| finding.action == Effect::Ask);
        prop_assert!(asking.clone().all(|finding| asked.contains_key(&finding.key)));
        prop_assert!(session || !question.items.iter().any(|item| item.offered.contains(&Choice::Session)));
        prop_assert!(always || !question.items.iter().any(|item| item.offered.contains(&Choice::Always)));
    }

    #[test]
    fn not_a_path_is_offered_only_where_all_findings_are_guesses(findings in prop::collection::vec(any_finding(), 0..8)) {
        let question = Question::from_findings("q", "s", "t", "d", "{}", &findings, &Scopes::ALL);
        for item in question.items {
            let mut under = findings.iter().filter(|finding| finding.action == Effect::Ask && finding.key == item.key);
            let guesses = under.all(|finding| finding.confidence == Confidence::Guess);
            prop_assert_eq!(item.offered.contains(&Choice::NotAPath), guesses && !matches!(item.key, Key::Call(_)));
        }
    }
}
