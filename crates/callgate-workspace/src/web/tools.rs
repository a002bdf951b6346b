//! How the tools for the web are offered: names, descriptions and hints.
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{tool, tool_router};

use super::{download, page};
use crate::documents::Converter;
use crate::outcome::reply;
use crate::place::Base;
use crate::server::Workspace;
use crate::toolset::Context;
use crate::work::unless_cancelled;

#[tool_router(router = web_router, vis = "pub(crate)")]
impl Workspace {
    /// Fetches a web page and returns its readable text; text, JSON and PDF as well. Internal addresses are refused.
    #[tool(
        title = "Fetch a web page",
        annotations(read_only_hint = true, destructive_hint = false, idempotent_hint = true, open_world_hint = true),
        output_schema = schema_for_output::<page::WebFetch>()
    )]
    async fn web_fetch(&self, Parameters(arguments): Parameters<page::Arguments>, context: Context) -> CallToolResult {
        let converter = Converter::new(self.settings().program.clone());
        reply(unless_cancelled(&context, page::web_fetch(self.fetcher(), &converter, &arguments)).await)
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
