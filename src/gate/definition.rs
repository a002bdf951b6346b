//! A tool's definition as its server lists it: schema, hints and declared paths.
use serde_json::Value;

/// The four hints of the specification's tool annotations; `None` is "not stated".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`; void when `read_only` is true (MCP 2025-06-18, server/tools).
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// One tool as listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    /// The name, byte for byte.
    pub name: String,
    /// The description, or nothing.
    pub description: String,
    /// The input schema, or `null`.
    pub input_schema: Value,
    /// The hints.
    pub hints: Hints,
    /// Argument names or pointers that `_meta.checkpaths` declares to be paths.
    pub checkpaths: Vec<String>,
}

impl Definition {
    /// Reads one element of a `tools/list` result (or the `definition` member that `callgate check` takes, with the name apart).
    pub fn from_value(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let hint = |name: &str| value.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
        Self {
            name: text("name"),
            description: text("description"),
            input_schema: value.get("inputSchema").cloned().unwrap_or(Value::Null),
            hints: Hints {
                read_only: hint("readOnlyHint"),
                destructive: hint("destructiveHint"),
                idempotent: hint("idempotentHint"),
                open_world: hint("openWorldHint"),
            },
            checkpaths: checkpaths(value),
        }
    }
}

fn checkpaths(value: &Value) -> Vec<String> {
    let listed = value.pointer("/_meta/checkpaths").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
