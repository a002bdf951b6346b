//! The tools as they are offered: which there are, their tags and their declared paths.
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{CallToolResult, JsonObject, MetaObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::outcome::{Payload, reply};
use crate::place::Base;
use crate::server::Workspace;
use crate::settings::{Settings, Tag};
use crate::work::{Stop, blocking};

/// What a call brings besides its arguments.
pub type Context = RequestContext<RoleServer>;

/// The longest time a file tool may take.
const FILES: Duration = Duration::from_secs(60);

/// The tools that the settings offer.
pub fn router(settings: &Settings) -> ToolRouter<Workspace> {
    let mut router = Workspace::files_router() + Workspace::command_router();
    #[cfg(feature = "web")]
    router.merge(Workspace::web_router());
    #[cfg(feature = "sqlite")]
    router.merge(Workspace::sqlite_router());
    router.map.retain(|_, route| settings.offers(tags(&route.attr.name)));
    for route in router.map.values_mut() {
        route.attr.meta = Some(declared(&route.attr.name));
        route.attr.input_schema = Arc::new(without_widths(&route.attr.input_schema));
        route.attr.output_schema = route.attr.output_schema.as_deref().map(|schema| Arc::new(without_widths(schema)));
    }
    router
}

/// Which groups a tool belongs to.
pub fn tags(tool: &str) -> &'static [Tag] {
    match tool {
        "run_command" => &[Tag::Bundled, Tag::Shell],
        "web_fetch" => &[Tag::Bundled, Tag::Web],
        "download_file" => &[Tag::Bundled, Tag::Web, Tag::Files],
        "sqlite_query" | "sqlite_schema" => &[Tag::Bundled, Tag::Data],
        _ => &[Tag::Bundled, Tag::Files],
    }
}

/// Which arguments of a tool are paths.
pub fn checkpaths(tool: &str) -> &'static [&'static str] {
    match tool {
        "run_command" => &["working_directory"],
        "download_file" => &["file_path"],
        "sqlite_query" | "sqlite_schema" => &["db_path"],
        "web_fetch" => &[],
        _ => &["path"],
    }
}

fn declared(tool: &str) -> MetaObject {
    let words: Vec<_> = tags(tool).iter().map(|tag| tag.word()).collect();
    let mut meta = MetaObject::new();
    meta.0.insert("checkpaths".to_owned(), json!(checkpaths(tool)));
    meta.0.insert("tags".to_owned(), json!(words));
    meta
}

/// A schema without the widths of our numbers (`uint64`): they are no formats of JSON Schema, and clients warn of each.
fn without_widths(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    let is_number = schema.get("type").is_some_and(|kind| ["integer", "number"].iter().any(|word| kind == word || is_among(kind, word)));
    if is_number {
        schema.remove("format");
    }
    schema.values_mut().for_each(strip);
    schema
}

/// Writes numbers such as `2.0` as whole ones where the schema wants those: to JSON they are the same number, and some clients know
/// no others.
pub fn whole_numbers(arguments: &mut JsonObject, schema: &JsonObject) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, value) in arguments {
        let kind = properties.get(name).and_then(|property| property.get("type"));
        let wants_whole = kind.is_some_and(|kind| kind == "integer" || is_among(kind, "integer"));
        if let (true, Some(whole)) = (wants_whole, value.as_f64().and_then(whole)) {
            *value = whole.into();
        }
    }
}

/// The whole number that a number is, as far as every whole number can be told from its neighbours (2^53).
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range that is exact")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(inner) => *inner = without_widths(inner),
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn is_among(kinds: &Value, word: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == word))
}

impl Workspace {
    /// Runs a tool on a thread that may block.
    pub(crate) async fn on_files<A, T>(&self, context: &Context, arguments: A, work: fn(&Base, &A, &Stop) -> T) -> CallToolResult
    where
        A: Send + 'static,
        T: Payload + Send + 'static,
    {
        let base = Base::from(self.settings());
        reply(blocking(context, FILES, move |stop| work(&base, &arguments, stop)).await)
    }
}
