//! What holds of every key that is declared: it is described in the reference, and what the reference says of it is true.
use serde_json::Value;
use toml::Table;

use super::shape::{Key, Shape, each};
use super::{DEFAULT, Policy, cell, keys, schema, show};

/// Every key of a table and of the tables in it, as the words of a path; names of the user's choice are `*`.
fn paths(keys: &'static [Key], above: &str) -> Vec<(String, &'static Key)> {
    let mut found = Vec::new();
    for key in each(keys) {
        let path = format!("{above}{}", key.name);
        found.extend(match key.shape {
            Shape::Table(inner) | Shape::Tables(inner) => paths(inner, &format!("{path}.")),
            Shape::Named(inner) => paths(inner, &format!("{path}.*.")),
            _ => Vec::new(),
        });
        found.push((path, key));
    }
    found
}

fn every_key() -> Vec<(String, &'static Key)> {
    paths(<keys::Settings as cell::Table>::KEYS, "")
}

/// The reference with its examples in force: lines of TOML that stand behind `# ` as well as the others.
fn with_examples() -> Table {
    let is_example =
        |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.trim_matches('"').contains(' '));
    let uncommented = |line: &'static str| line.strip_prefix("# ").filter(|rest| is_example(rest)).unwrap_or(line);
    let text: Vec<&str> = DEFAULT.lines().map(uncommented).collect();
    toml::from_str(&text.join("\n")).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether the table holds the path; `*` is any name.
fn holds(value: &toml::Value, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    match value {
        toml::Value::Table(table) if *first == "*" => table.values().any(|below| holds(below, rest)),
        toml::Value::Table(table) => table.get(*first).is_some_and(|below| holds(below, rest)),
        toml::Value::Array(items) => items.iter().any(|item| holds(item, path)),
        _ => false,
    }
}

#[test]
fn every_key_says_what_it_means_and_stands_in_the_reference() {
    let reference = toml::Value::Table(with_examples());
    let also = DEFAULT.lines().find_map(|line| line.split_once("# also: ")).unwrap().1;
    let roles: Vec<&str> = also.split(", ").collect();
    let keys = every_key();
    assert!(keys.len() > 60, "{}", keys.len());
    for (path, key) in keys {
        assert!(
            key.says.len() > 8 && !key.says.ends_with('.') && !key.says.contains('\n'),
            "{path} does not say in one line what it means"
        );
        // What is known of a tool is said in the same words whether for one server or for all.
        let described = path.replace("servers.*.tools.*.", "tools.*.");
        let steps: Vec<&str> = described.split('.').collect();
        let known = holds(&reference, &steps) || (matches!(key.shape, Shape::Arguments) && roles.contains(&key.name));
        assert!(known, "describe `{path}` in policy/default.toml, with its value or in an example behind `# `");
    }
}

#[test]
fn the_reference_says_what_holds_when_nothing_is_set() {
    let reference: Table = toml::from_str(DEFAULT).unwrap();
    let shown: Table = toml::from_str(&show(&Policy::declared())).unwrap();
    let said =
        |table: Table| -> Table { table.into_iter().filter(|(_, value)| value.as_table().is_none_or(|below| !below.is_empty())).collect() };
    assert_eq!(said(shown), said(reference), "policy/default.toml and the built-in values of `keys` differ");
}

#[test]
fn every_key_stands_in_the_schema_with_its_form() {
    let schema = schema();
    for (path, key) in every_key() {
        let step = |value: &Value, step: &str| match step {
            "*" => value["additionalProperties"].clone(),
            name => {
                let value = if value["items"].is_object() { &value["items"] } else { value };
                value["properties"][name].clone()
            }
        };
        let found = path.split('.').fold(schema.clone(), |value, name| step(&value, name));
        assert_eq!(found["description"], key.says, "{path}");
        assert!(found["type"].is_string(), "{path}");
    }
}
