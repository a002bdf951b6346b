//! A client session with the built-in server on a scratch root, for the tests of the tools.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::HANG;
use callgate::gate::address::host_is_private;
use callgate_workspace::{Settings, serve};
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, Request};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceError, ServiceExt};
use serde_json::Value;
use tempfile::TempDir;

/// A client that keeps the progress it is told.
#[derive(Clone, Default)]
pub struct Listener {
    pub progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Listener {
    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(params);
    }
}

/// A running server, its client and its root.
pub struct Session {
    pub client: RunningService<RoleClient, Listener>,
    pub listener: Listener,
    root: TempDir,
}

impl Session {
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut settings = Settings::from_environment(root.path().canonicalize().unwrap(), host_is_private);
        settings.refusal = None;
        change(&mut settings);
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(serve(reader, writer, settings));
        let listener = Listener::default();
        let client = listener.clone().serve(ours).await.unwrap();
        Self { client, listener, root }
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub async fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        self.client.call_tool(parameters(tool, arguments)).await
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).await.unwrap()
    }

    /// Sends a call and does not wait for its result.
    pub async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(Request::new(parameters(tool, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    pub async fn close(self) -> TempDir {
        self.client.cancel().await.unwrap();
        self.root
    }
}

fn parameters(tool: &str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.as_object().unwrap().clone())
}

/// The structured content.
pub fn payload(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().unwrap()
}

/// The error of a result that must be one.
pub fn error(result: &CallToolResult) -> String {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    payload(result)["error"].as_str().unwrap().to_owned()
}

/// Looks again until there is something to see.
pub async fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + HANG;
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "nothing happened for {HANG:?}");
        tokio::time::timeout(Duration::from_millis(20), std::future::pending::<()>()).await.unwrap_err();
    }
}
