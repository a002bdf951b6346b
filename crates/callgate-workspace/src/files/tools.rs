//! How the tools for the files of the workspace are offered: names, descriptions and hints.
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};

use super::{edit, find, list, read, search, write};
use crate::server::Workspace;
use crate::toolset::Context;

#[tool_router(router = files_router, vis = "pub(crate)")]
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
}
