//! Names of arguments in another case: some servers take them for the names a policy means, so that they count where it tightens.
use callgate::policy::{Effect, Policy, Text, Trust, load};
use serde_json::{Value, json};

fn policy(body: &str) -> Policy {
    let text = format!("version = 1\n{body}\n");
    load(&[Text { name: "policy.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap()
}

fn by_rule(action: &str, arguments: &Value) -> Option<Effect> {
    let body = format!("[[rules]]\nserver = \"github\"\ntool = \"delete_*\"\nwhen = {{ \"/owner\" = \"my-org\" }}\naction = \"{action}\"");
    policy(&body).rules("github", "delete_file", arguments).iter().map(|hit| hit.action).max()
}

#[test]
fn a_rule_that_tightens_sees_an_argument_in_any_case() {
    for (arguments, tightens, allows) in [
        (json!({"owner": "my-org"}), true, true),
        (json!({"Owner": "my-org"}), true, false),
        (json!({"OWNER": "my-org"}), true, false),
        (json!({"OWNER": ["my-org"]}), true, false),
        (json!({"owner": "my-org", "Owner": "other"}), true, false),
        (json!({"owner": "other", "Owner": "my-org"}), true, false),
        (json!({"owner": "other"}), false, false),
        (json!({"Owner": "other"}), false, false),
        (json!({"owners": "my-org"}), false, false),
        (json!({"x": {"owner": "my-org"}}), false, false),
    ] {
        assert_eq!(by_rule("deny", &arguments), tightens.then_some(Effect::Deny), "{arguments}");
        assert_eq!(by_rule("ask", &arguments), tightens.then_some(Effect::Ask), "{arguments}");
        assert_eq!(by_rule("allow", &arguments), allows.then_some(Effect::Allow), "{arguments}");
    }
}

#[test]
fn a_table_for_an_argument_tightens_in_any_case_and_loosens_only_in_its_own() {
    let said = |prefix: &str, arguments: &Value| {
        let tables = [
            ("list", "read_only = true\ndestructive = false\naction = \"allow\"\nplain = [\"q\"]"),
            ("delete", "read_only = false\ndestructive = true\naction = \"deny\"\nreason = \"no\""),
            ("move", "action = \"ask\""),
        ];
        let body: String = tables.map(|(action, body)| format!("[{prefix}\"project?action={action}\"]\n{body}\n")).concat();
        let found = policy(&body).tool_for("s", "project", arguments);
        let [read_only, destructive] = [found.read_only, found.destructive].map(|flag| flag.map(|flag| flag.value));
        (found.action.map(|action| action.value), found.reason, read_only, destructive, found.roles.len())
    };
    let (no, nothing) = (Some("no".to_owned()), (None, None, None, None, 0));
    for prefix in ["tools.", "servers.s.tools."] {
        for (arguments, wanted) in [
            (json!({"action": "list"}), (Some(Effect::Allow), None, Some(true), Some(false), 1)),
            (json!({"Action": "list"}), nothing.clone()),
            (json!({"action": "delete"}), (Some(Effect::Deny), no.clone(), Some(false), Some(true), 0)),
            (json!({"Action": "delete"}), (Some(Effect::Deny), no.clone(), Some(false), Some(true), 0)),
            (json!({"act\u{131}on": "delete"}), (Some(Effect::Deny), no.clone(), Some(false), Some(true), 0)),
            (json!({"action": "list", "ACTION": "delete"}), (Some(Effect::Deny), no.clone(), Some(false), Some(true), 1)),
            (json!({"aCTION": "frob", "action": "list"}), (None, None, None, None, 1)),
            (json!({"action": "list", "Action": 1}), (None, None, None, None, 1)),
            (json!({"action": "list", "other": "delete"}), (Some(Effect::Allow), None, Some(true), Some(false), 1)),
            (json!({"ACTION": "move"}), (Some(Effect::Ask), None, None, None, 0)),
            (json!({"action": "DELETE"}), nothing.clone()),
            (json!({"Actions": "delete"}), nothing.clone()),
        ] {
            assert_eq!(said(prefix, &arguments), wanted, "{prefix} {arguments}");
        }
    }
    assert_eq!(said("servers.other.tools.", &json!({"Action": "delete"})), nothing);
}
