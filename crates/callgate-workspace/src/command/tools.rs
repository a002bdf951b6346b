//! How the tools for commands are offered: names, descriptions and hints.
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};

use super::run;
use crate::outcome::reply;
use crate::server::Workspace;
use crate::toolset::Context;

#[tool_router(router = command_router, vis = "pub(crate)")]
impl Workspace {
    /// Runs a shell command and returns its exit code and output. A non-zero exit code is a result, not a failure.
    #[tool(
        title = "Run a command",
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true),
        output_schema = schema_for_output::<run::RunCommand>()
    )]
    async fn run_command(&self, Parameters(arguments): Parameters<run::Arguments>, context: Context) -> CallToolResult {
        reply(run::run_command(self.settings(), &arguments, &context).await)
    }
}
