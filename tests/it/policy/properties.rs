//! What holds of every policy: any text is read or refused without a panic, and in a merge the order of texts never loosens.
use callgate::policy::{Access, Effect, Policy, Sourced, Text, Trust, load, show};
use proptest::prelude::*;
use serde_json::json;

fn text(name: usize, text: &str, trust: Trust) -> Text {
    Text { name: format!("{name}.toml"), text: text.to_owned(), trust }
}

fn trusted(texts: &[String]) -> Vec<Text> {
    texts.iter().enumerate().map(|(index, body)| text(index, body, Trust::Trusted)).collect()
}

fn action() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["allow", "ask", "deny"])
}

/// A text of actions alone: for tools anywhere, on a server, by rules, for methods and for requests of servers.
fn actions() -> impl Strategy<Value = String> {
    let some = |line: &'static str| {
        proptest::option::of(action()).prop_map(move |word| word.map(|word| line.replace('@', word)).unwrap_or_default())
    };
    let parts = [
        "[tools.a]\naction = \"@\"\n",
        "[servers.s.tools.a]\naction = \"@\"\n",
        "[[rules]]\ntool = \"a*\"\naction = \"@\"\n",
        "[[rules]]\nserver = \"s\"\nwhen = { \"/n\" = 1 }\naction = \"@\"\n",
        "[methods]\n\"logging/setLevel\" = \"@\"\n",
        "[server_requests]\nsampling = \"@\"\n",
    ];
    Vec::from(parts.map(some)).prop_map(|parts| format!("version = 1\n{}", parts.concat()))
}

/// Text that is often nearly a policy.
fn nearly() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "version = 1\n",
        "access = \"full\"\n",
        "access = 7\n",
        "[paths]\n",
        "deny = [\"a/**\", \"[\"]\n",
        "[tools.\"x y\"]\n",
        "paths = [\"/a/*\", \"~\", \"/~\"]\n",
        "[servers.s]\n",
        "command = \"x\"\n",
        "url = \"y\"\n",
        "[[rules]]\n",
        "when = { \"/a\" = 1e400, b = \"*\", \"\" = [] }\n",
        "action = \"deny\"\n",
        "= = =\n",
        "[limits]\n",
        "depth = 99999999999999999999\n",
        "call_timeout = 0x10\n",
        "\u{feff}",
        "\"\"\"",
        "'''",
        "\u{1b}[2J = 1\n",
        "é = \"ü\"\n",
        "[a.b.c]\n",
        "{",
        "}",
        "[",
        "]",
        "\r\n",
        "#\n",
    ]);
    prop_oneof![proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()), any::<String>()]
}

fn shape_of(policy: &Policy) -> impl PartialEq + std::fmt::Debug + use<> {
    let value = |sourced: Option<Sourced<Effect>>| sourced.map(|sourced| sourced.value);
    let on = |server: &str| value(policy.tool(server, "a").action);
    let rules = |n: i32| policy.rules("s", "a", &json!({"n": n})).iter().map(|hit| hit.action).max();
    (
        on("s"),
        on("t"),
        rules(1),
        rules(2),
        value(policy.method_action("logging/setLevel").cloned()),
        policy.server_request_action(callgate::policy::ServerRequest::Sampling),
    )
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_place(body in nearly()) {
        if let Err(error) = load(&[text(0, &body, Trust::Trusted)]) {
            prop_assert!(!error.problems.is_empty());
            for problem in error.problems {
                prop_assert!(problem.line >= 1 && problem.column >= 1 && !problem.hint.is_empty());
                prop_assert!(!problem.to_string().chars().any(|character| character.is_control() && character != '\n'));
            }
        }
    }

    #[test]
    fn the_order_of_texts_never_matters_to_actions(texts in proptest::collection::vec(actions(), 1..5)) {
        let forward = load(&trusted(&texts)).unwrap();
        let backward = load(&trusted(&texts.iter().rev().cloned().collect::<Vec<_>>())).unwrap();
        prop_assert_eq!(shape_of(&forward), shape_of(&backward));
    }

    #[test]
    fn an_untrusted_text_never_loosens(before in actions(), after in actions(), level in prop::sample::select(vec!["", "access = \"full\"\n", "access = \"read_only\"\n"]), read_only in any::<bool>()) {
        let lower = before.replacen("version = 1\n", &format!("version = 1\n{level}"), 1);
        let upper = format!("{after}\n[tools.b]\nread_only = {read_only}\n");
        let base = load(&[text(0, &lower, Trust::Trusted)]).unwrap();
        if let Ok(policy) = load(&[text(0, &lower, Trust::Trusted), text(1, &upper, Trust::Untrusted)]) {
            prop_assert!(!read_only);
            prop_assert!(policy.access("s") == Access::ReadOnly || base.access("s") == Access::Full);
            let strictness = |policy: &Policy| policy.tool("s", "a").action.map(|action| action.value);
            prop_assert!(strictness(&policy) >= strictness(&base));
            let hits = |policy: &Policy| policy.rules("s", "a", &json!({"n": 1})).len();
            prop_assert!(hits(&policy) >= hits(&base));
        }
    }

    #[test]
    fn what_is_shown_reads_back_to_the_same_policy(texts in proptest::collection::vec(actions(), 1..4), glob in "[a-z*\"\\\\\u{7f}é]{1,8}") {
        let mut texts = trusted(&texts);
        let globs = format!("version = 1\n[paths]\nallow = [{0}]\n[tools.{0}]\nread_only = true\npaths = [{0}]\n", serde_json::to_string(&glob).unwrap().replace('\u{7f}', "\\u007f"));
        texts.push(text(9, &globs, Trust::Trusted));
        let policy = load(&texts).unwrap();
        let shown = show(&policy);
        let again = load(&[text(0, &shown, Trust::Trusted)]).unwrap_or_else(|error| panic!("{error}\n{shown}"));
        prop_assert_eq!(shape_of(&policy), shape_of(&again));
        prop_assert_eq!(policy.allow_directories(), again.allow_directories());
        prop_assert_eq!(policy.run_directories(), again.run_directories());
        prop_assert_eq!(again.tool("s", &glob).roles.len(), 1);
    }
}
