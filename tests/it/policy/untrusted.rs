//! A project's file before anyone trusts it: whatever it says, with any key, no call's verdict becomes milder.
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use callgate::analyse::{Definition, Form, Mention, Surroundings};
use callgate::gate::{Decision, Facts, GrantStore, Judge, Located, Outcome, PinStatus, Place, Sensitive, Step};
use callgate::policy::{
    Effect, Identity, Platform, Policy, Role, RoleRule, Selector, ServerRequest, Text, Trust, load, profile_named, profile_names, schema,
};
use callgate::wire::Call;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::picker::Picker;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    keys: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    key: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    loosens: Vec<String>,
    #[serde(default)]
    tightens: Vec<String>,
    never_loosens: Option<String>,
}

/// One key of the schema that holds a value: its path (`*` for a name of the user's choice) and the schema of the value.
#[derive(Debug, Clone)]
struct Leaf {
    path: String,
    form: Value,
}

/// A call that may be judged, and what is known of its server.
#[derive(Debug, Clone)]
struct Target {
    server: String,
    claims: Option<(String, Identity)>,
    tool: String,
    arguments: Value,
    definition: Value,
}

fn leaves(form: &Value, path: &str, found: &mut Vec<Leaf>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if let Some(members) = form["properties"].as_object() {
        members.iter().for_each(|(name, form)| leaves(form, &below(name), found));
    } else if form["items"]["properties"].is_object() {
        leaves(&form["items"], path, found);
    } else if form["additionalProperties"]["properties"].is_object() {
        leaves(&form["additionalProperties"], &below("*"), found);
    } else {
        found.push(Leaf { path: path.to_owned(), form: form.clone() });
    }
}

fn every_leaf() -> Vec<Leaf> {
    let mut found = Vec::new();
    leaves(&schema(), "", &mut found);
    found
}

fn text(name: &str, body: &str, trust: Trust) -> Text {
    let version = if body.starts_with("version") { "" } else { "version = 1\n" };
    Text { name: name.to_owned(), text: format!("{version}{body}\n"), trust }
}

fn both(user: &str, project: &str) -> Result<Policy, callgate::policy::PolicyError> {
    load(&[text("policy.toml", user, Trust::Trusted), text("callgate.toml", project, Trust::Untrusted)])
}

#[test]
fn every_key_has_a_rule_for_a_file_that_nobody_trusts() {
    let table: Table = toml::from_str(include_str!("../../cases/untrusted.toml")).unwrap();
    for row in &table.keys {
        for loosens in &row.loosens {
            let error = both(&row.before, loosens).map(drop).expect_err(loosens);
            assert!(error.to_string().contains("not trusted, so it may not set"), "{loosens}: {error}");
            // The same text is the user's to write.
            load(&[text("policy.toml", &row.before, Trust::Trusted), text("policy.toml", loosens, Trust::Trusted)]).expect(loosens);
        }
        row.tightens.iter().for_each(|tightens| drop(both(&row.before, tightens).unwrap_or_else(|error| panic!("{tightens}: {error}"))));
    }
    for leaf in every_leaf() {
        // What is known of a tool has the same rules for one server as for all.
        let key = leaf.path.replace("servers.*.tools.*.", "tools.*.");
        let rows: Vec<&Row> = table.keys.iter().filter(|row| row.key == key).collect();
        let is_ruled = rows.iter().any(|row| !row.loosens.is_empty() || row.never_loosens.is_some());
        assert!(is_ruled, "say in tests/cases/untrusted.toml what a file that nobody trusts may do with `{key}`");
    }
}

#[test]
fn only_the_user_takes_away_a_profile_that_a_server_claims() {
    let distrust = "trust_annotations = false";
    let found = |texts: &[Text]| {
        let mut policy = load(texts).unwrap();
        policy.identify("s", &profile_named("git").unwrap().matches[..1], Identity::Claimed);
        (policy.profile("s").is_some(), policy.trusts_annotations("s"))
    };
    let (users, projects) =
        (|body: &str| text("policy.toml", body, Trust::Trusted), |body: &str| text("callgate.toml", body, Trust::Untrusted));
    assert_eq!(found(&[projects("")]), (true, true));
    for body in [distrust, "servers.s.trust_annotations = false"] {
        assert_eq!(found(&[projects(body)]), (true, false), "{body}");
        assert_eq!(found(&[users(body), projects("")]), (false, false), "{body}");
        assert_eq!(found(&[projects(""), users(body)]), (false, false), "{body}");
    }
}

/// Values that a form admits, chosen from what has a meaning for the call.
fn value(form: &Value, target: &Target, pick: &mut Picker) -> Value {
    if let Some(words) = form["enum"].as_array() {
        return pick.one(words).clone();
    }
    match form["type"].as_str() {
        Some("boolean") => json!(pick.below(2) == 0),
        Some("integer") => {
            let (least, most) = (form["minimum"].as_u64().unwrap(), form["maximum"].as_u64().unwrap());
            json!(*pick.one(&[least, most, most.min(60), (least + 1).min(most), most.min(900)]))
        }
        Some("array") => {
            let mut items: Vec<Value> = (0..pick.below(3)).map(|_| value(&form["items"], target, pick)).collect();
            items.dedup();
            let mut seen = BTreeSet::new();
            items.retain(|item| seen.insert(item.to_string()));
            json!(items)
        }
        Some("object") => {
            let name = argument(target, pick);
            let value = value_of(&target.arguments, &name).filter(|value| !value.is_array() && !value.is_object() && !value.is_null());
            json!({ name: value.unwrap_or_else(|| json!("*")) })
        }
        _ => json!(string(target, pick)),
    }
}

fn value_of(arguments: &Value, name: &str) -> Option<Value> {
    if name.starts_with('/') { arguments.pointer(name).cloned() } else { arguments.get(name).cloned() }
}

fn string(target: &Target, pick: &mut Picker) -> String {
    let names = [argument(target, pick), target.server.clone(), target.tool.clone()];
    let words = ["auto", "none", "*", "/", "/etc", "~", "vendor/**", "*.env", "src/*", "git", "filesystem", "/usr/bin/true"];
    if pick.below(2) == 0 { pick.one(&names).clone() } else { (*pick.one(&words)).to_owned() }
}

/// The name of an argument of the call, or a pointer to it.
fn argument(target: &Target, pick: &mut Picker) -> String {
    let names: Vec<&String> = target.arguments.as_object().unwrap().keys().collect();
    if names.is_empty() {
        return "path".to_owned();
    }
    let name = pick.one(&names);
    if pick.below(2) == 0 { (*name).clone() } else { format!("/{}", name.replace('~', "~0").replace('/', "~1")) }
}

/// A text of one entry for a key, about the call's own server and tool more often than not.
fn entry(leaf: &Leaf, target: &Target, pick: &mut Picker) -> String {
    let quoted = |name: &str| serde_json::to_string(name).unwrap();
    let value = toml_of(&value(&leaf.form, target, pick));
    if let Some(key) = leaf.path.strip_prefix("rules.") {
        let action = pick.one(&["allow", "ask", "deny"]);
        return if key == "action" {
            format!("rules = [{{ action = {value} }}]")
        } else {
            format!("rules = [{{ {key} = {value}, action = \"{action}\" }}]")
        };
    }
    let server = if pick.below(4) > 0 { target.server.clone() } else { "other".to_owned() };
    let with_argument = || {
        Some(format!(
            "{}?{}",
            target.tool,
            target.arguments.as_object()?.iter().find_map(|(name, value)| Some(format!("{name}={}", value.as_str()?)))?
        ))
    };
    let tool = if pick.below(4) > 0 { target.tool.clone() } else { with_argument().unwrap_or_else(|| "other".to_owned()) };
    let path = match leaf.path.as_str() {
        "methods" => {
            let method = *pick.one(&["tools/call", "resources/read", "logging/setLevel"]);
            format!("methods.{}", quoted(method))
        }
        path => path.replace("servers.*", &format!("servers.{}", quoted(&server))).replace("tools.*", &format!("tools.{}", quoted(&tool))),
    };
    format!("{path} = {value}")
}

/// JSON values that policies hold, as TOML.
fn toml_of(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let pairs = members.iter().map(|(name, value)| format!("{} = {}", serde_json::to_string(name).unwrap(), toml_of(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        plain => plain.to_string(),
    }
}

/// What an argument of each role could hold that a gate minds, and what it could not mind.
fn sample(role: Role, pick: &mut Picker) -> Value {
    let values: &[&str] = match role {
        Role::Path | Role::WritePath | Role::Pattern | Role::Plain | Role::Content => {
            &["a.txt", "/etc/passwd", ".git/hooks/pre-commit", ".env", "../x", "src"]
        }
        Role::Command | Role::Code => &["ls", "cat /etc/passwd", "rm -rf x", "curl http://127.0.0.1/", "echo x > .git/hooks/pre-commit"],
        Role::Url => &["https://example.com/", "http://127.0.0.1/", "file:///etc/passwd"],
        Role::Sql => &["select 1", "delete from t", "select readfile('/etc/passwd')"],
    };
    json!(*pick.one(values))
}

/// Puts `value` where the selector points, with a list of one for each `*`.
fn put(arguments: &mut Map<String, Value>, selector: &Selector, value: Value) {
    let tokens = match selector {
        Selector::Name(name) => vec![name.clone()],
        Selector::Pointer(tokens) => tokens.clone(),
    };
    let Some((first, rest)) = tokens.split_first() else { return };
    let nested = rest.iter().rev().fold(value, |value, token| if token == "*" { json!([value]) } else { json!({ token: value }) });
    arguments.insert(first.clone(), nested);
}

/// A call of a tool that some profile knows, with arguments that it knows, by a server that is known by one of three ways.
fn target(pick: &mut Picker) -> Target {
    let profiles: Vec<&str> = profile_names().collect();
    let profile = *pick.one(&profiles);
    let known = profile_named(profile).unwrap();
    let tools: Vec<&str> = known.tool_names().collect();
    let tool = pick.one(&tools).split('?').next().unwrap().to_owned();
    let mut arguments = Map::new();
    let roles: Vec<RoleRule> = Policy::builtin().tool(profile, &tool).roles;
    for rule in &roles {
        if pick.below(3) > 0 {
            put(&mut arguments, &rule.selector, sample(rule.role, pick));
        }
    }
    if pick.below(4) == 0 {
        arguments.insert("action".to_owned(), json!("delete"));
    }
    let identity = *pick.one(&[None, Some(Identity::Claimed), Some(Identity::Command)]);
    let server = if identity.is_some() { "s1".to_owned() } else { profile.to_owned() };
    let claims = identity.map(|identity| (known.matches[0].clone(), identity));
    let annotations = pick.one(&[json!({}), json!({ "readOnlyHint": true }), json!({ "destructiveHint": true })]).clone();
    let definition = json!({ "name": tool, "inputSchema": { "type": "object" }, "annotations": annotations });
    Target { server, claims, tool, arguments: Value::Object(arguments), definition }
}

fn surroundings(policy: &Policy) -> Surroundings {
    let root = PathBuf::from("/home/you/project");
    let permitted = policy.allow_directories().iter().filter(|text| text.starts_with('/')).map(PathBuf::from);
    Surroundings {
        root: root.clone(),
        spelled_root: root.clone(),
        home: Some("/home/you".into()),
        allowed_directories: std::iter::once(root).chain(permitted).collect(),
        allowed_files: Vec::new(),
        variables: BTreeMap::from([("HOME".to_owned(), "/home/you".to_owned())]),
        platform: Platform::Linux,
        folds_case: false,
    }
}

/// Where a mention leads on a disk that has everything and no links.
fn outcome(mention: &Mention, here: &Surroundings) -> Outcome {
    let (Form::Path(text) | Form::Unless { path: text, .. }) = &mention.form else { return Outcome::Void };
    let mut path = PathBuf::new();
    for part in here.root.join(text).components() {
        if part.as_os_str() == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    let spelled = Path::new(text).to_path_buf();
    Outcome::Places(vec![Place { spelled, path, exists: true, is_directory: false, through_link: false, reaches_elsewhere: false }])
}

fn verdict(mut policy: Policy, target: &Target) -> Option<Effect> {
    if let Some((name, identity)) = &target.claims {
        policy.identify(&target.server, std::slice::from_ref(name), *identity);
    }
    let sensitive = Sensitive::new(policy.sensitive_extra(), policy.sensitive_except()).ok()?;
    let here = surroundings(&policy);
    let definition = Definition::from_value(target.definition.clone());
    let facts = Facts {
        policy: &policy,
        sensitive: &sensitive,
        surroundings: &here,
        server: &target.server,
        access: policy.access(&target.server),
        definition: Some(&definition),
        pin_status: &PinStatus::Known,
        granted: &GrantStore::default(),
        expected: &[],
        rewrite_relative: false,
        explain: false,
    };
    let call = Call::synthetic(&target.tool, &target.arguments).ok()?;
    let mut step = Judge::of(call).begin(&facts);
    let decision: Decision = loop {
        step = match step {
            Step::ReadScripts(judge) => judge.unread(&facts),
            Step::Locate(judge) => {
                let located = judge.wanted().into_iter().map(|mention| Located { outcome: outcome(&mention, &here), mention }).collect();
                break judge.located(located).decide(&facts);
            }
            Step::Decided(decision) => break decision,
        };
    };
    Some(decision.effect())
}

/// What a policy says that is no verdict on a call, each as a number that must not fall.
fn strictness(policy: &Policy) -> Vec<u64> {
    let effect = |effect: Effect| match effect {
        Effect::Allow => 0,
        Effect::Ask => 1,
        Effect::Deny => 2,
    };
    let kinds = [ServerRequest::Sampling, ServerRequest::Elicitation, ServerRequest::Roots];
    let limits = policy.limits();
    let (approval, at_most) = (policy.approval(), |value: u64| u64::MAX - value);
    let or_none = |value: u64| if value == 0 { 0 } else { at_most(value) };
    let mut all: Vec<u64> = kinds.map(|kind| effect(policy.server_request_action(kind))).to_vec();
    all.extend([at_most(limits.message_bytes.value), at_most(limits.depth.value), or_none(limits.call_timeout.value)]);
    all.extend([approval.minimum_answer_ms.value, or_none(approval.questions_per_minute.value)]);
    all.extend([or_none(approval.refusals_per_minute.value), u64::from(approval.require.value > callgate::policy::Require::Any)]);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn no_text_that_nobody_trusts_makes_a_verdict_milder(seed in any::<u64>()) {
        let pick = &mut Picker::new(seed);
        let (leaves, target) = (every_leaf(), target(pick));
        let some = |most: usize, pick: &mut Picker| {
            let entries = (0..pick.below(most + 1)).map(|_| entry(&pick.one(&leaves).clone(), &target, pick)).collect::<Vec<_>>();
            entries.join("\n")
        };
        let user = some(2, pick);
        let Ok(base) = load(&[text("policy.toml", &user, Trust::Trusted)]) else { return Ok(()) };
        // Entries that may not stand are left out one by one, as a person would who is told of them.
        let mut project = String::new();
        for _ in 0..4 {
            let longer = format!("{project}\n{}", entry(&pick.one(&leaves).clone(), &target, pick));
            if both(&user, &longer).is_ok() {
                project = longer;
            }
        }
        let policy = both(&user, &project).unwrap();
        prop_assert!(strictness(&base).iter().zip(strictness(&policy)).all(|(before, after)| after >= *before), "{project}");
        if let (Some(before), Some(after)) = (verdict(base, &target), verdict(policy, &target)) {
            prop_assert!(after >= before, "{before} became {after}\n-- user\n{user}\n-- project\n{project}\n-- call\n{target:?}");
        }
    }
}
