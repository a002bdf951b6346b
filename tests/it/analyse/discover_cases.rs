//! The tables of `tests/cases/discover*.toml`: from the arguments of one call to the places it names, and why.
use std::collections::BTreeSet;
use std::path::PathBuf;

use callgate::analyse::{Condition, Definition, Discovered, DiscoveryInput, Form, Mention, Scripts, Surroundings, discover};
use callgate::policy::{Platform, Role, RoleRule, Selector, ToolSettings};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

/// One row: a call, and everything that discovery must say of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default = "some_tool")]
    tool: String,
    /// The arguments as JSON text.
    arguments: String,
    /// The tool's definition as JSON text.
    definition: Option<String>,
    #[serde(default)]
    expected: Vec<String>,
    /// Declared roles: `path:/a/*` or `content:name`.
    #[serde(default)]
    roles: Vec<String>,
    /// All places, each once: `path /w/p/x`, with `if it exists` or `if its first part exists` where that matters.
    #[serde(default)]
    mentions: Vec<String>,
    /// Parts of the reasons of everything that cannot be followed.
    #[serde(default)]
    unparsed: Vec<String>,
    /// Parts of the reasons of everything that speaks of a change.
    #[serde(default)]
    writes: Vec<String>,
    /// A part of the reason that the first mention must give.
    because: Option<String>,
    /// The direction of every mention.
    direction: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Table {
    case: Vec<Case>,
}

fn some_tool() -> String {
    "t".into()
}

fn surroundings() -> Surroundings {
    Surroundings {
        root: PathBuf::from("/w/p"),
        spelled_root: PathBuf::from("/w/p"),
        home: Some(PathBuf::from("/h")),
        allowed_directories: vec![PathBuf::from("/w/p")],
        allowed_files: Vec::new(),
        variables: [("HOME".to_owned(), "/h".to_owned())].into(),
        platform: Platform::Linux,
        folds_case: false,
    }
}

fn role(text: &str) -> RoleRule {
    let (role, selector) = text.split_once(':').unwrap();
    let role = match role {
        "path" => Role::Path,
        "write_path" => Role::WritePath,
        "content" => Role::Content,
        "plain" => Role::Plain,
        "pattern" => Role::Pattern,
        "url" => Role::Url,
        "code" => Role::Code,
        "sql" => Role::Sql,
        other => panic!("no role {other}"),
    };
    let selector = match selector.strip_prefix('/') {
        Some(pointer) => Selector::Pointer(pointer.split('/').map(str::to_owned).collect()),
        None => Selector::Name(selector.to_owned()),
    };
    RoleRule { selector, role, source: "callgate.toml:1".into() }
}

fn run(case: &Case) -> Discovered {
    let arguments: Value = serde_json::from_str(&case.arguments).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let definition = case.definition.as_ref().map(|text| Definition::from_value(serde_json::from_str(text).unwrap()));
    let settings = ToolSettings { roles: case.roles.iter().map(|text| role(text)).collect(), ..ToolSettings::default() };
    discover(&DiscoveryInput {
        tool: &case.tool,
        arguments: &arguments,
        definition: definition.as_ref(),
        settings: &settings,
        expected: &case.expected,
        surroundings: &surroundings(),
        scripts: &Scripts::default(),
        explain: false,
    })
}

fn line(mention: &Mention) -> String {
    let form = match &mention.form {
        Form::Path(path) => format!("path {path}"),
        Form::Glob(glob) => format!("glob {glob}"),
        Form::NameOnly(name) => format!("name {name}"),
        Form::Url(url) => format!("url {url}"),
        Form::Unless { .. } => "unless".into(),
    };
    let condition = match (&mention.form, mention.condition) {
        (Form::Path(_), Condition::Exists) => " if it exists",
        (Form::Path(_), Condition::FirstComponentExists) => " if its first part exists",
        _ => "",
    };
    format!("{form}{condition}")
}

fn check(case: &Case) -> Result<(), String> {
    let found = run(case);
    let lines: BTreeSet<String> = found.mentions.iter().map(line).collect();
    let wanted: BTreeSet<String> = case.mentions.iter().cloned().collect();
    if lines != wanted {
        return Err(format!("{}: found {lines:#?}, wanted {wanted:#?}", case.name));
    }
    reasons(&case.name, "unparsed", &found.unparsed.iter().map(|item| item.why.clone()).collect::<Vec<_>>(), &case.unparsed)?;
    reasons(&case.name, "writes", &found.writes.iter().map(|item| item.why.clone()).collect::<Vec<_>>(), &case.writes)?;
    if let (Some(because), Some(first)) = (&case.because, found.mentions.first())
        && !first.because.contains(because.as_str())
    {
        return Err(format!("{}: because {:?}, wanted {because:?}", case.name, first.because));
    }
    if let Some(direction) = &case.direction
        && let Some(other) = found.mentions.iter().find(|mention| mention.direction.to_string() != *direction)
    {
        return Err(format!("{}: {} is {}", case.name, other.raw, other.direction));
    }
    Ok(())
}

fn reasons(name: &str, kind: &str, found: &[String], wanted: &[String]) -> Result<(), String> {
    let all_met = wanted.iter().all(|part| found.iter().any(|why| why.contains(part.as_str())));
    let none_left = found.iter().all(|why| wanted.iter().any(|part| why.contains(part.as_str())));
    if all_met && none_left { Ok(()) } else { Err(format!("{name}: {kind} {found:?}, wanted {wanted:?}")) }
}

#[test]
fn every_row_of_the_tables_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut failures = Vec::new();
    let mut rows = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("discover") && name.ends_with(".toml") {
            let table: Table = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
            rows += table.case.len();
            failures.extend(table.case.iter().filter_map(|case| check(case).err()));
        }
    }
    assert!(rows > 50, "only {rows} rows found");
    assert!(failures.is_empty(), "{} of {rows} rows fail:\n{}", failures.len(), failures.join("\n"));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/~.:@=,'\"`%$*?{}\\[\\]();|<> -]{0,24}",
        "\\PC{0,24}",
        Just("../../etc/passwd".to_owned()),
        Just("file:///etc/%70asswd".to_owned()),
        Just("SELECT readfile('/x'); DROP TABLE t".to_owned()),
        Just("{\"path\": \"/etc\"}".to_owned()),
        Just("\u{0}\u{7f}\u{ff0e}\u{ff0e}/x".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "path", "files", "cwd", "text", "name", "content", "query", "pattern", "glob", "url", "env", "code", "sql", "action", "value",
            "target",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z_./~ -]{0,10}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn found(arguments: &Value) -> Discovered {
    let (settings, surroundings) = (ToolSettings::default(), surroundings());
    let definition = Definition::default();
    discover(&DiscoveryInput {
        tool: "t",
        arguments,
        definition: Some(&definition),
        settings: &settings,
        expected: &[],
        surroundings: &surroundings,
        scripts: &Scripts::default(),
        explain: true,
    })
}

proptest! {
    #[test]
    fn never_panics_and_paths_are_absolute(arguments in prop::collection::btree_map(name(), value(), 0..5)) {
        let arguments = Value::Object(arguments.into_iter().collect());
        for mention in found(&arguments).mentions {
            if let Form::Path(path) = &mention.form {
                prop_assert!(path.starts_with('/') || path.starts_with('~'), "{path}");
            }
        }
    }

    #[test]
    fn adding_an_argument_never_removes_a_mention(
        arguments in prop::collection::btree_map(name(), value(), 0..4), extra in name(), added in value(),
    ) {
        prop_assume!(!arguments.contains_key(&extra));
        let before = Value::Object(arguments.clone().into_iter().collect());
        let mut more = arguments;
        more.insert(extra, added);
        let after = found(&Value::Object(more.into_iter().collect()));
        for mention in found(&before).mentions {
            let kept = after.mentions.iter().any(|other| other.form == mention.form && other.argument == mention.argument && other.condition <= mention.condition);
            prop_assert!(kept, "{mention:?}");
        }
    }
}

#[test]
fn depth_and_size_are_bounded_not_cut() {
    let mut deep = json!("/etc/passwd");
    for _ in 0..500 {
        deep = json!([deep]);
    }
    let seen = found(&json!({ "x": deep }));
    assert!(seen.mentions.iter().any(|mention| mention.form == Form::Path("/etc/passwd".into())));
    let many: Vec<String> = (0..10_000).map(|at| format!("/etc/{at}")).collect();
    assert_eq!(found(&json!({ "paths": many })).mentions.len(), 10_000);
    let too_many: Vec<u32> = (0..300_000).collect();
    assert_eq!(found(&json!({ "x": too_many })).unparsed.len(), 1);
}

/// Texts made to cost more than their length: each must be gone through in time that grows with its length alone.
#[test]
fn hostile_texts_end() {
    let texts = [
        "=a".repeat(400_000),
        "}".repeat(400_000),
        "{a,b}".repeat(80_000),
        (0..60_000).map(|at| format!("$a{at}$")).collect(),
        "'\"`".repeat(200_000),
        "../".repeat(200_000),
        "[".repeat(400_000),
        "%2f".repeat(200_000),
        "/* ".repeat(200_000),
        "SELECT $".to_owned() + &"$a ".repeat(200_000),
        "file://[".repeat(80_000),
        "@:".repeat(300_000),
    ];
    for text in &texts {
        let seen = found(&json!({ "x": text, "path": text, "glob": text, "code": text, "sql": text, "content": text, "url": text }));
        assert!(seen.mentions.len() + seen.unparsed.len() < 3_000_000);
    }
}
