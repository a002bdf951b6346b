//! A client that starts a gate in another process, as any MCP client would, and speaks to it through rmcp.
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, JsonObject, ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// A gate that does not start within this is broken.
const START: Duration = Duration::from_secs(60);
/// What a gate gets to end in.
const END: Duration = Duration::from_secs(3);

/// The word with which a form is answered, by the form's message.
pub type Answers = fn(&str) -> &'static str;

/// A client that answers forms itself, in order, or cannot be asked at all.
#[derive(Debug, Clone, Default)]
pub struct Handler {
    /// The word for a form's message, with the time a person would take; nothing leaves asking to the gate's own channels.
    pub answer: Option<(Answers, Duration)>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.answer.is_some() {
            capabilities.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::default()));
        }
        let mut config = ClientConfig::new(capabilities, Implementation::new("callgate", env!("CARGO_PKG_VERSION")));
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }

    async fn create_elicitation(&self, request: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let Some((answer, pause)) = self.answer else { return Ok(ElicitResult::new(ElicitationAction::Decline)) };
        let word = answer(&message);
        eprintln!("{}", indented(&message));
        eprintln!("    → scripted answer: {word}");
        sleep(pause).await;
        let content: JsonObject = requested_schema.properties.keys().map(|name| (name.clone(), word.into())).collect();
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content.into()))
    }
}

/// Text set off from what surrounds it.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// A running gate with a client in front of it.
pub struct GateClient {
    child: Child,
    service: RunningService<RoleClient, Handler>,
}

impl GateClient {
    /// Starts `callgate run` with these arguments and opens a session.
    ///
    /// # Errors
    /// A gate that does not start or does not speak the protocol.
    pub async fn start(run: &[String], environment: &[(&str, &str)], handler: Handler) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the program's own file cannot be found")?;
        let mut command = Command::new(program);
        command.arg("run").args(run).envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("the gate cannot be started")?;
        let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else { anyhow::bail!("the gate has no pipes") };
        let service = timeout(START, handler.serve((stdout, stdin))).await.context("the server did not start within a minute")?;
        Ok(Self { child, service: service.context("the session cannot be opened")? })
    }

    /// Calls a tool and waits for its result, however long a person takes to answer.
    ///
    /// # Errors
    /// An error of the protocol; a refusal is a result.
    pub async fn call(&self, tool: &str, arguments: JsonObject) -> anyhow::Result<CallToolResult> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.service.call_tool(params).await.with_context(|| format!("the call of `{tool}` failed"))
    }

    /// Ends the session and waits for the gate.
    ///
    /// # Errors
    /// A gate that does not end.
    pub async fn end(mut self) -> anyhow::Result<()> {
        // The session is over in any case; only the gate's end counts.
        let _ = self.service.cancel().await;
        timeout(END, self.child.wait()).await.context("the gate did not end")??;
        Ok(())
    }
}

/// The text of a result, and whether the gate refused it.
pub fn text_of(result: &CallToolResult) -> (String, bool) {
    let texts = result.content.iter().filter_map(|block| block.as_text().map(|text| text.text.as_str()));
    let refused = result.meta.as_ref().is_some_and(|meta| meta.contains_key("callgate/refusal"));
    (texts.collect::<Vec<_>>().join("\n"), refused)
}
