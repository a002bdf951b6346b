//! The server: what every call meets before and after its tool.
use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ServerCapabilities, ServerConfig, Tool};
use rmcp::service::{QuitReason, RequestContext};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, tool_handler};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::outcome::{bad_arguments, refusal};
use crate::settings::Settings;
use crate::{left_out, toolset};

/// The built-in workspace server.
#[derive(Clone)]
pub struct Workspace {
    settings: Arc<Settings>,
    #[cfg(feature = "web")]
    fetcher: Arc<crate::web::fetch::Fetcher>,
    tools: ToolRouter<Self>,
}

/// Longest message taken, in bytes: as long as the gate lets through, since a longer one is dropped without a reply.
const LINE: usize = 65 << 20;

/// Serves the workspace over a pair of streams until the client closes its side.
pub async fn serve<R, W>(reader: R, writer: W, settings: Settings) -> anyhow::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(LINE);
    let running = Workspace::new(settings).serve(transport).await?;
    match running.waiting().await? {
        QuitReason::JoinError(error) => Err(error.into()),
        _ => Ok(()),
    }
}

impl Workspace {
    /// A server with these settings.
    pub fn new(settings: Settings) -> Self {
        let tools = toolset::router(&settings);
        #[cfg(feature = "web")]
        let fetcher = Arc::new(crate::web::fetch::Fetcher::new(crate::web::address_guard::Guard::from(&settings)));
        Self {
            settings: Arc::new(settings),
            #[cfg(feature = "web")]
            fetcher,
            tools,
        }
    }

    /// The tools it offers, by name.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools.list_all()
    }

    #[cfg(feature = "web")]
    pub(crate) fn fetcher(&self) -> &crate::web::fetch::Fetcher {
        &self.fetcher
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Workspace {
    fn get_info(&self) -> ServerConfig {
        let instructions = "Tools for one workspace directory. Relative paths start there. Calls pass a permission gate: \
            a refused call says why and what to do instead.";
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(crate::NAME, env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(why) = &self.settings.refusal {
            return Ok(refusal(why).into());
        }
        if self.settings.offers(toolset::tags(&request.name))
            && let Some(why) = left_out::refusal(&request.name)
        {
            return Ok(refusal(&why).into());
        }
        // Clients fill in `null` for what a model left out; to these tools that is the same as absent.
        if let Some(arguments) = &mut request.arguments {
            arguments.retain(|_, value| !value.is_null());
            if let Some(tool) = self.tools.get(&request.name) {
                toolset::whole_numbers(arguments, &tool.input_schema);
            }
        }
        let name = request.name.clone();
        let response = self.tools.call(ToolCallContext::new(self, request, context)).await?;
        Ok(match response {
            CallToolResponse::Complete(result) => in_own_words(&name, result).into(),
            other => other,
        })
    }
}

/// A reply without structure is rmcp's own complaint about the arguments.
fn in_own_words(tool: &str, result: CallToolResult) -> CallToolResult {
    if result.structured_content.is_some() {
        return result;
    }
    let complaint = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.as_str());
    bad_arguments(tool, complaint.unwrap_or_default())
}
