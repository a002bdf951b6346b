//! A tool's definition as its server lists it: texts, schemas, hints and declared paths, and the digest over them.
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::wire;

/// The four hints of the specification's tool annotations; `None` is "not stated".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    /// `destructiveHint`; void when `read_only` is true (MCP 2025-06-18, server/tools).
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// One tool as listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    /// The name, byte for byte.
    pub name: String,
    /// The title, or nothing.
    pub title: String,
    /// The description, or nothing.
    pub description: String,
    /// The input schema, or `null`.
    pub input_schema: Value,
    /// The output schema, or `null`.
    pub output_schema: Value,
    /// The annotations, or `null`.
    pub annotations: Value,
    /// The hints among the annotations.
    pub hints: Hints,
    /// Argument names or pointers that `_meta.checkpaths` declares to be paths.
    pub checkpaths: Vec<String>,
}

impl Hints {
    /// Reads the `annotations` of a tool.
    pub fn of(annotations: &Value) -> Self {
        let hint = |name: &str| annotations.get(name).and_then(Value::as_bool);
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

impl Definition {
    /// Reads one element of a `tools/list` result (or the `definition` member that `callgate check` takes, with the name apart).
    pub fn from_value(mut value: Value) -> Self {
        let mut part = |name: &str| value.get_mut(name).map(Value::take).unwrap_or_default();
        let annotations = part("annotations");
        Self {
            name: if let Value::String(name) = part("name") { name } else { String::new() },
            title: text(part("title")),
            description: text(part("description")),
            input_schema: part("inputSchema"),
            output_schema: part("outputSchema"),
            hints: Hints::of(&annotations),
            annotations,
            checkpaths: checkpaths(&value),
        }
    }

    /// SHA-256 over the name and every part that counts as the definition, hexadecimal. The order of members in the JSON
    /// does not matter.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        [&self.name, &self.title, &self.description].into_iter().for_each(|text| add(text));
        [&self.input_schema, &self.output_schema, &self.annotations].into_iter().for_each(|json| add(&json.to_string()));
        self.checkpaths.iter().for_each(|path| add(path));
        wire::hex(&hash.finalize())
    }
}

/// A text; what is none, though it should be, counts by its JSON, so that a change of it is one.
fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn checkpaths(value: &Value) -> Vec<String> {
    let listed = value.pointer("/_meta/checkpaths").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::Definition;
    use serde_json::json;

    fn digest(definition: &serde_json::Value) -> String {
        Definition::from_value(definition.clone()).digest()
    }

    #[test]
    fn every_part_counts_and_the_order_of_members_does_not() {
        let first = r#"{"name":"a","title":"A","description":"d","inputSchema":{"type":"object","properties":{"p":{},"q":{}}},"annotations":{"readOnlyHint":true}}"#;
        let turned = r#"{"annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"q":{},"p":{}},"type":"object"},"description":"d","title":"A","name":"a"}"#;
        let (first, turned) = (serde_json::from_str(first).unwrap(), serde_json::from_str(turned).unwrap());
        assert_eq!(digest(&first), digest(&turned));
        for (pointer, value) in [
            ("/name", json!("b")),
            ("/title", json!("B")),
            ("/description", json!({ "no": "text" })),
            ("/inputSchema/type", json!("array")),
            ("/annotations/readOnlyHint", json!(false)),
        ] {
            let mut changed = first.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            assert_ne!(digest(&first), digest(&changed), "{pointer}");
        }
        let mut more = first.clone();
        more["_meta"] = json!({ "checkpaths": ["p"] });
        more["outputSchema"] = json!({});
        assert_ne!(digest(&first), digest(&more));
    }
}
