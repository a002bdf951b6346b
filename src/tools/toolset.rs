//! The tools as they are offered: names, descriptions, hints, declared paths and tags.
use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, JsonObject, MetaObject};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use serde_json::{Value, json};

use super::documents::Converter;
use super::outcome::{Payload, reply};
use super::place::Base;
use super::server::Workspace;
use super::settings::{Settings, Tag};
use super::work::{Stop, blocking, unless_cancelled};
use super::{command, download, edit, find, list, read, search, sqlite, web, write};

type Context = RequestContext<RoleServer>;

/// The longest time a file tool may take.
const FILES: Duration = Duration::from_secs(60);

/// The tools that the settings offer.
pub fn router(settings: &Settings) -> ToolRouter<Workspace> {
    let mut router = Workspace::all();
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
    async fn on_files<A, T>(&self, context: &Context, arguments: A, work: fn(&Base, &A, &Stop) -> T) -> CallToolResult
    where
        A: Send + 'static,
        T: Payload + Send + 'static,
    {
        let base = Base::from(self.settings());
        reply(blocking(context, FILES, move |stop| work(&base, &arguments, stop)).await)
    }
}

#[tool_router(router = all)]
impl Workspace {
    /// Reads a text file, one page at a time. Use a negative offset for the end of a long file, and grep to find a place in it.
    #[tool(
        title = "Read a file",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<read::ReadFile>()
    )]
    async fn read_file(&self, Parameters(arguments): Parameters<read::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, read::read_file).await
    }

    /// Lists what is in a directory, or in a tree when recursive. Ignore files are honoured and links are not followed.
    #[tool(
        title = "List a directory",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<list::ListFiles>()
    )]
    async fn list_files(&self, Parameters(arguments): Parameters<list::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, list::list_files).await
    }

    /// Finds files by name or path anywhere below a directory. Ignore files are honoured and links are not followed.
    #[tool(
        title = "Find files",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<find::FindFiles>()
    )]
    async fn find_files(&self, Parameters(arguments): Parameters<find::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, find::find_files).await
    }

    /// Searches the contents of files for a regular expression and shows the matching lines with their neighbours.
    #[tool(
        title = "Search in files",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<search::Grep>()
    )]
    async fn grep(&self, Parameters(arguments): Parameters<search::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, search::grep).await
    }

    /// Writes a whole file, new or in place of the old one, and shows what changed. To change a part of a file use edit_file.
    #[tool(
        title = "Write a file",
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<write::WriteFile>()
    )]
    async fn write_file(&self, Parameters(arguments): Parameters<write::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, write::write_file).await
    }

    /// Replaces a span of text in a file and shows what changed. Quote the old text exactly; read_file without line numbers gives it.
    #[tool(
        title = "Edit a file",
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = false),
        output_schema = schema_for_output::<edit::EditFile>()
    )]
    async fn edit_file(&self, Parameters(arguments): Parameters<edit::Arguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, edit::edit_file).await
    }

    /// Runs a shell command and returns its exit code and output. A non-zero exit code is a result, not a failure.
    #[tool(
        title = "Run a command",
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true),
        output_schema = schema_for_output::<command::RunCommand>()
    )]
    async fn run_command(&self, Parameters(arguments): Parameters<command::Arguments>, context: Context) -> CallToolResult {
        reply(command::run_command(self.settings(), &arguments, &context).await)
    }

    /// Reads rows from a SQLite database with one SELECT. Nothing can be changed. Use sqlite_schema first to learn the tables.
    #[tool(
        title = "Query a SQLite database",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<sqlite::SqliteQuery>()
    )]
    async fn sqlite_query(&self, Parameters(arguments): Parameters<sqlite::QueryArguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, sqlite::sqlite_query).await
    }

    /// Tells the tables and views of a SQLite database with their columns and foreign keys.
    #[tool(
        title = "Schema of a SQLite database",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<sqlite::SqliteSchema>()
    )]
    async fn sqlite_schema(&self, Parameters(arguments): Parameters<sqlite::SchemaArguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, sqlite::sqlite_schema).await
    }

    /// Fetches a web page and returns its readable text; text, JSON and PDF as well. Internal addresses are refused.
    #[tool(
        title = "Fetch a web page",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = true),
        output_schema = schema_for_output::<web::WebFetch>()
    )]
    async fn web_fetch(&self, Parameters(arguments): Parameters<web::Arguments>, context: Context) -> CallToolResult {
        let converter = Converter::new(self.settings().program.clone());
        reply(unless_cancelled(&context, web::web_fetch(self.fetcher(), &converter, &arguments)).await)
    }

    /// Downloads a web resource into a file as it is, up to 100 MiB. Internal addresses are refused.
    #[tool(
        title = "Download a file",
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = true),
        output_schema = schema_for_output::<download::DownloadFile>()
    )]
    async fn download_file(&self, Parameters(arguments): Parameters<download::Arguments>, context: Context) -> CallToolResult {
        let base = Base::from(self.settings());
        reply(unless_cancelled(&context, download::download_file(self.fetcher(), &base, &arguments)).await)
    }
}
