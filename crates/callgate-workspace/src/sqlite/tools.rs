//! How the tools for SQLite databases are offered: names, descriptions and hints.
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};

use super::tables;
use crate::server::Workspace;
use crate::toolset::Context;

#[tool_router(router = sqlite_router, vis = "pub(crate)")]
impl Workspace {
    /// Reads rows from a SQLite database with one SELECT. Nothing can be changed. Use sqlite_schema first to learn the tables.
    #[tool(
        title = "Query a SQLite database",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<tables::SqliteQuery>()
    )]
    async fn sqlite_query(&self, Parameters(arguments): Parameters<tables::QueryArguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, tables::sqlite_query).await
    }

    /// Tells the tables and views of a SQLite database with their columns and foreign keys.
    #[tool(
        title = "Schema of a SQLite database",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        output_schema = schema_for_output::<tables::SqliteSchema>()
    )]
    async fn sqlite_schema(&self, Parameters(arguments): Parameters<tables::SchemaArguments>, context: Context) -> CallToolResult {
        self.on_files(&context, arguments, tables::sqlite_schema).await
    }
}
