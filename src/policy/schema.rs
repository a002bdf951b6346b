//! The JSON schema of a policy file, made from the key table that the check reads.
use serde_json::{Value, json};

use super::cell::Table;
use super::keys::Settings;
use super::shape::{Key, Shape, each};

/// The schema (JSON Schema 2020-12) by which an editor can complete and check a policy file.
pub fn schema() -> Value {
    let mut schema = table(Settings::KEYS);
    if let Some(members) = schema.as_object_mut() {
        members.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        members.insert("title".to_owned(), json!("callgate policy"));
        members.insert("required".to_owned(), json!(["version"]));
    }
    schema
}

fn table(keys: &'static [Key]) -> Value {
    let members = each(keys).map(|key| {
        let mut value = shape(&key.shape);
        if let Some(members) = value.as_object_mut() {
            members.insert("description".to_owned(), json!(key.says));
        }
        (key.name.to_owned(), value)
    });
    json!({"type": "object", "additionalProperties": false, "properties": members.collect::<serde_json::Map<_, _>>()})
}

fn shape(shape: &'static Shape) -> Value {
    match shape {
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Count(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Shape::Text | Shape::Program | Shape::NameGlob => json!({"type": "string", "minLength": 1}),
        Shape::Word(words) => json!({"type": "string", "enum": words}),
        Shape::Words(words) => json!({"type": "array", "uniqueItems": true, "items": {"enum": words}}),
        Shape::Strings => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Texts | Shape::Globs | Shape::Arguments | Shape::Roles(_) => {
            json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "minLength": 1}})
        }
        Shape::Table(keys) => table(keys),
        Shape::Named(keys) => json!({"type": "object", "additionalProperties": table(keys)}),
        Shape::NamedWords(words) => json!({"type": "object", "additionalProperties": {"enum": words}}),
        Shape::Tables(keys) => json!({"type": "array", "items": table(keys)}),
        Shape::Conditions => json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}),
    }
}
