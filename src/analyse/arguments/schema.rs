//! What a tool's input schema says of one argument.
use serde_json::Value;

use crate::analyse::{Confidence, Definition};

use super::leaf::Step;
use super::names::Hint;
use super::vocabulary::VOCABULARY;
use super::words::words;

/// Most subschemas that are followed side by side, and how often a reference is followed.
const MOST_BRANCHES: usize = 16;

/// The role that the schema gives the value at `steps`, and how sure it is.
pub fn hint(definition: Option<&Definition>, steps: &[Step<'_>]) -> Option<(Hint, Confidence)> {
    let top = &definition?.input_schema;
    if !top.is_object() || steps.is_empty() {
        return None;
    }
    let mut branches = spread(top, vec![top]);
    for step in steps {
        let next = branches.iter().flat_map(|branch| descend(branch, *step)).collect();
        branches = spread(top, next);
    }
    branches.into_iter().find_map(read)
}

/// Whether the schema's word beats the word of the name: a description is free text, so it may not turn a body or a command
/// into something that is searched less, and a name that says more stands.
pub fn wins(by_schema: Hint, by_name: Hint) -> bool {
    match by_schema {
        Hint::Path => !matches!(by_name, Hint::Command | Hint::Words | Hint::Code | Hint::Sql | Hint::Pattern),
        Hint::Route => matches!(by_name, Hint::Unknown | Hint::Neutral | Hint::Text | Hint::Path | Hint::Url),
        Hint::Content => matches!(by_name, Hint::Unknown | Hint::Neutral | Hint::Text),
        _ => !matches!(by_name, Hint::Path | Hint::Command | Hint::Code | Hint::Sql),
    }
}

/// The alternatives of each schema and what its references name.
fn spread<'v>(top: &'v Value, mut branches: Vec<&'v Value>) -> Vec<&'v Value> {
    let mut next = 0;
    while let Some(branch) = branches.get(next).copied() {
        next += 1;
        if branches.len() > MOST_BRANCHES {
            break;
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            branches.extend(branch.get(key).and_then(Value::as_array).into_iter().flatten());
        }
        let reference = branch.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        branches.extend(reference.and_then(|pointer| top.pointer(pointer)));
    }
    branches.truncate(MOST_BRANCHES);
    branches
}

fn descend<'v>(schema: &'v Value, step: Step<'_>) -> Vec<&'v Value> {
    match step {
        Step::Top => vec![schema],
        Step::Index(at) => {
            let listed = schema.get("prefixItems").or_else(|| schema.get("items")).and_then(|items| items.get(at));
            listed.or_else(|| schema.get("items")).into_iter().collect()
        }
        Step::Key(key) => match schema.get("properties").and_then(|properties| properties.get(key)) {
            Some(property) => vec![property],
            None => {
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                let others = schema.get("additionalProperties").filter(|other| other.is_object());
                patterns.into_iter().flat_map(|members| members.values()).chain(others).collect()
            }
        },
    }
}

fn read(schema: &Value) -> Option<(Hint, Confidence)> {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("format") {
        "path" | "file-path" | "filepath" | "file" | "directory-path" | "directory" | "folder" => {
            return Some((Hint::Path, Confidence::Declared));
        }
        "uri" | "url" | "uri-reference" | "iri" => return Some((Hint::Url, Confidence::Guess)),
        "regex" | "json-pointer" | "date-time" | "uuid" | "email" => return Some((Hint::Route, Confidence::Guess)),
        "markdown" | "html" | "textarea" => return Some((Hint::Content, Confidence::Guess)),
        _ => {}
    }
    if !text("contentMediaType").is_empty() || !text("contentEncoding").is_empty() {
        return Some((Hint::Content, Confidence::Guess));
    }
    let found = described(text("description")).or_else(|| described(text("title")))?;
    Some((found, Confidence::Guess))
}

/// The head of a description's first phrase: "The absolute path to …" is a path, "Contents of the file" is not.
fn described(text: &str) -> Option<Hint> {
    let head: String = text.chars().take(160).collect();
    let words = words(&head);
    let say = &VOCABULARY.schema;
    let mut rest = words.iter().map(String::as_str).skip_while(|word| say.fillers.has(word));
    let (first, next) = (rest.next()?, rest.next().unwrap_or_default());
    let is_path = match first {
        "path" | "paths" | "filepath" | "filename" | "filenames" => true,
        "file" | "files" | "directory" | "directories" | "folder" | "folders" => !say.not_the_file.has(next),
        other if say.no_files.has(other) && matches!(next, "path" | "route") => return Some(Hint::Route),
        other => is_place(next) && !say.no_files.has(other),
    };
    is_path.then_some(Hint::Path)
}

fn is_place(word: &str) -> bool {
    matches!(word, "path" | "paths" | "file" | "files" | "filename" | "filepath" | "directory" | "directories" | "folder" | "folders")
}

#[cfg(test)]
mod tests {
    use super::{Hint, described};

    #[test]
    fn reads_the_head_of_a_description() {
        for text in [
            "Path to the file",
            "The absolute path of the image",
            "Directory to search",
            "File to read",
            "Optional output folder",
            "List of file paths",
        ] {
            assert_eq!(described(text), Some(Hint::Path), "{text}");
        }
        for text in ["Contents of the file", "File content to write", "The search query", "Maximum depth below the path", "File type", ""] {
            assert_eq!(described(text), None, "{text}");
        }
    }
}
