//! The lock file's text: for each server the definitions of its tools as they were accepted, so that a difference can be shown.
use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Spanned;

use crate::analyse::{Definition, Hints};
use crate::policy::{PolicyError, Problem};

/// The file's form.
const VERSION: u32 = 1;
const HEADER: &str = "# Written by `callgate lock`: the tools of each server as they were accepted. `callgate run --locked` asks before a\n\
                      # tool is used that is not here as it is here; `callgate lock --check` shows what has changed.\n\n";
/// What to do about a file that is not understood.
const HINT: &str = "take the file from before, or remove it, look at the tools and run `callgate lock` again";

/// Tools by name.
pub type Tools = BTreeMap<String, Definition>;

/// What the lock file says of one server, for a session.
#[derive(Debug, Clone, Default)]
pub struct Locked {
    /// The accepted tools; none where there is no file or the file does not name the server.
    pub tools: Tools,
    /// Whether a tool that is not among them has to be accepted before it is used.
    pub required: bool,
}

/// A lock file, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lockfile {
    servers: BTreeMap<String, Tools>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<T> {
    version: u32,
    #[serde(default = "BTreeMap::new")]
    servers: BTreeMap<String, Server<T>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server<T> {
    #[serde(default = "BTreeMap::new")]
    tools: BTreeMap<String, T>,
}

/// One tool; schemas and annotations are JSON texts, because TOML has no `null` and no place for every number of theirs.
#[derive(Debug, Serialize)]
struct Written {
    digest: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checkpaths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<String>,
}

/// The same as it is read, with places for complaints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    digest: Spanned<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    checkpaths: Vec<String>,
    annotations: Option<Spanned<String>>,
    input_schema: Option<Spanned<String>>,
    output_schema: Option<Spanned<String>>,
}

/// What is wrong, and where.
type Fault = (Range<usize>, String);

impl Lockfile {
    /// Reads the text of the file that is spoken of as `name`.
    ///
    /// # Errors
    /// A text that is not in the known form, or a definition that its digest does not fit: with line and column. A damaged file must
    /// not count as an empty one.
    pub fn read(name: &str, text: &str) -> Result<Self, PolicyError> {
        parse(text).map_err(|(span, why)| PolicyError { problems: vec![Problem::at(name, text, span, why, HINT)] })
    }

    /// The text; the same for the same tools.
    ///
    /// # Errors
    /// What TOML cannot say.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        let servers = self.servers.iter().map(|(server, tools)| {
            let tools = tools.iter().map(|(name, tool)| (name.clone(), Written::of(tool))).collect();
            (server.clone(), Server { tools })
        });
        Ok(format!("{HEADER}{}", toml::to_string_pretty(&Document { version: VERSION, servers: servers.collect() })?))
    }

    /// The accepted tools of `server`, if the file names it.
    pub fn tools(&self, server: &str) -> Option<&Tools> {
        self.servers.get(server)
    }

    /// Accepts `tools` as those of `server`, in the place of what was accepted before.
    pub fn accept(&mut self, server: &str, tools: Tools) {
        self.servers.insert(server.to_owned(), tools);
    }
}

fn parse(text: &str) -> Result<Lockfile, Fault> {
    let document: Document<Read> =
        toml::from_str(text).map_err(|error| (error.span().unwrap_or(0..0), crate::escape::visible(error.message())))?;
    if document.version != VERSION {
        return Err((0..0, format!("the lock file's version {} is not known", document.version)));
    }
    let mut servers = BTreeMap::new();
    for (server, entry) in document.servers {
        let tools = entry.tools.into_iter().map(|(name, tool)| Ok((name.clone(), tool.definition(name)?)));
        servers.insert(server, tools.collect::<Result<Tools, Fault>>()?);
    }
    Ok(Lockfile { servers })
}

impl Read {
    fn definition(self, name: String) -> Result<Definition, Fault> {
        let annotations = json(self.annotations)?;
        let definition = Definition {
            name,
            title: self.title,
            description: self.description,
            input_schema: json(self.input_schema)?,
            output_schema: json(self.output_schema)?,
            hints: Hints::of(&annotations),
            annotations,
            checkpaths: self.checkpaths,
        };
        if definition.digest() == *self.digest.get_ref() {
            return Ok(definition);
        }
        Err((self.digest.span(), "the digest does not fit the definition below it".to_owned()))
    }
}

fn json(text: Option<Spanned<String>>) -> Result<Value, Fault> {
    let Some(text) = text else { return Ok(Value::Null) };
    serde_json::from_str(text.get_ref()).map_err(|error| (text.span(), format!("this is no JSON: {error}")))
}

impl Written {
    fn of(tool: &Definition) -> Self {
        // A schema is long, so it is written on many lines, which version control can compare.
        let wide = |json: &Value| (!json.is_null()).then(|| format!("{json:#}"));
        Self {
            digest: tool.digest(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            checkpaths: tool.checkpaths.clone(),
            annotations: (!tool.annotations.is_null()).then(|| tool.annotations.to_string()),
            input_schema: wide(&tool.input_schema),
            output_schema: wide(&tool.output_schema),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn locked(tools: &[Value]) -> Lockfile {
        let mut file = Lockfile::default();
        let tools = tools.iter().cloned().map(Definition::from_value).map(|tool| (tool.name.clone(), tool)).collect();
        file.accept("files", tools);
        file
    }

    fn search() -> Value {
        json!({
            "name": "search", "description": "Finds \"words\".\nReads only.", "title": "Search",
            "inputSchema": { "type": "object", "properties": { "q": { "type": "string", "maximum": 1.5 } } },
            "annotations": { "readOnlyHint": true }, "_meta": { "checkpaths": ["q"] },
        })
    }

    #[test]
    fn a_file_reads_back_as_it_was_and_looks_like_this() {
        let file = locked(&[search(), json!({ "name": "a b.\"c" })]);
        let text = file.text().unwrap();
        assert_eq!(Lockfile::read("callgate.lock", &text).unwrap(), file);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn damage_is_named_with_its_line_and_column() {
        let text = locked(&[search()]).text().unwrap();
        for (damaged, place, says) in [
            (text.replace("Reads only", "Reads"), "callgate.lock:7:10", "the digest does not fit"),
            (text.replace("version = 1", "version = 2"), "callgate.lock:1:1", "version 2 is not known"),
            (text.replace("\"type\"", "type"), "callgate.lock:14:16", "no JSON"),
            (text.replace("title", "titel"), "callgate.lock:8:1", "unknown field `titel`"),
            (text.replace("version = 1", "<<<<<<< ours"), "callgate.lock:4:9", "no value"),
            (text.chars().take(text.len() / 2).collect(), "callgate.lock:", ""),
            (String::new(), "callgate.lock:1:1", "missing field `version`"),
        ] {
            let error = Lockfile::read("callgate.lock", &damaged).unwrap_err().to_string();
            assert!(error.starts_with(place) && error.contains(says) && error.contains("callgate lock"), "{place} {says}: {error}");
        }
    }

    proptest! {
        #[test]
        fn a_file_that_was_changed_anywhere_is_read_or_refused(at in 0.0_f64..1.0, put in "(?s).{0,12}", cut in 0_usize..9) {
            let text = locked(&[search()]).text().unwrap();
            let characters: Vec<char> = text.chars().collect();
            let at = (at * characters.len() as f64) as usize;
            let after = characters.iter().skip(at + cut);
            let changed: String = characters.iter().take(at).copied().chain(put.chars()).chain(after.copied()).collect();
            if let Ok(read) = Lockfile::read("l", &changed) {
                prop_assert!(read.tools("files").is_none_or(|tools| tools.values().all(|tool| !tool.name.is_empty())));
            }
        }

        #[test]
        fn every_text_survives(name in ".{1,20}", text in "(?s).{0,200}", key in "(?s).{0,9}") {
            let file = locked(&[json!({ "name": name, "description": text, "title": key, "inputSchema": { key.clone(): text } })]);
            prop_assert_eq!(Lockfile::read("l", &file.text().unwrap()).unwrap(), file);
        }
    }
}
