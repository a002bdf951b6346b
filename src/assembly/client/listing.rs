//! The tools a server lists, page by page and byte for byte as a gate sees them: a gate in this process, with us as its client.
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream, DuplexStream, duplex, split};
use tokio::time::timeout;

use crate::escape::visible_within;
use crate::ports::Upstream;
use crate::runtime::{Asker, Driver};
use crate::session::{Catalogue, Config, Locked, MOST_PAGES, Session, Tools, page_params};
use crate::store::Memory;
use crate::wire::{self, Limits, Message, Request, Response, Side, codes};

/// A server that has not listed its tools within this is broken; it may first be fetched from a registry.
const TIMEOUT: Duration = Duration::from_secs(60);
/// What is on its way between us and the gate.
const PIPE: usize = 64 * 1024;
/// The pipes are closed.
const ENDED: &str = "the server ended before it listed its tools";
const LEGACY: &str = "2025-11-25";
/// The first revision without a handshake.
const MODERN: &str = "2026-07-28";

/// Starts `command` behind a gate with this configuration and returns the tools it lists.
///
/// # Errors
/// A server that does not start, ends, or does not list its tools within a minute.
pub async fn tools(config: Config, command: &[String]) -> anyhow::Result<Tools> {
    let limits = config.limits;
    let (ours, gates) = duplex(PIPE);
    let (from_us, to_us) = split(gates);
    let (upstream, stdin, stdout) = Upstream::start(command, &config.surroundings.root)?;
    let client = ListingClient { stream: BufStream::new(ours), limits, root: config.surroundings.root.clone(), requests: 0 };
    let driver = Driver {
        surroundings: std::sync::Arc::clone(&config.surroundings),
        session: Session::new(config),
        // A list is no call: there is no verdict to record and no grant to keep.
        record: Box::new(|_| Ok(())),
        store: Box::new(Memory::default()),
        asker: Asker::default(),
        limit: limits.bytes,
    };
    let gate = driver.run((Box::pin(from_us), Box::pin(to_us)), (Box::pin(stdin), Box::pin(stdout)), upstream);
    let listing = timeout(TIMEOUT, client.list());
    let (listed, ended) = tokio::join!(listing, gate);
    let listed = listed.context("the server did not list its tools within a minute")?;
    ended?;
    listed
}

/// A client that only lists.
struct ListingClient {
    stream: BufStream<DuplexStream>,
    limits: Limits,
    root: PathBuf,
    requests: u64,
}

impl ListingClient {
    async fn list(mut self) -> anyhow::Result<Tools> {
        let meta = if self.handshake().await? { None } else { Some(modern_meta()) };
        let mut catalogue = Catalogue::new(&Locked::default());
        let (mut cursor, mut seen) = (None, HashSet::new());
        loop {
            let response = self.request("tools/list", &page_params(meta.clone(), cursor.clone())).await?;
            let Some(result) = response.result() else { bail!("the server does not list its tools: {}", error_of(&response)) };
            let Some(next) = catalogue.page(result, cursor.is_none()) else { return Ok(catalogue.into_tools()) };
            anyhow::ensure!(seen.len() < MOST_PAGES && seen.insert(next.clone()), "the server's list of tools does not end");
            cursor = Some(next);
        }
    }

    /// Opens a session of a revision with a handshake; says whether the server speaks one.
    async fn handshake(&mut self) -> anyhow::Result<bool> {
        let params = json!({ "protocolVersion": LEGACY, "capabilities": capabilities(), "clientInfo": client_info() });
        if self.request("initialize", &params).await?.result().is_none() {
            return Ok(false);
        }
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(true)
    }

    /// Sends a request and reads until its reply; what the server asks of us meanwhile is answered.
    async fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Response> {
        self.requests += 1;
        let id = self.requests.to_string();
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params })).await?;
        loop {
            match self.read().await? {
                Message::Response(response) if response.id().is_some_and(|answered| answered.raw() == id) => return Ok(response),
                Message::Request(request) => {
                    let answer = self.answer(&request)?;
                    self.send(&answer).await?;
                }
                Message::Response(_) | Message::Notification(_) => {}
            }
        }
    }

    /// Tells where the project is; everything else is a person's or a model's to answer, and there is none.
    fn answer(&self, request: &Request) -> anyhow::Result<Value> {
        let id: Value = serde_json::from_str(request.id().raw())?;
        let root = url::Url::from_directory_path(&self.root).ok().filter(|_| request.method() == "roots/list");
        Ok(match root {
            Some(root) => json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [{ "uri": root.as_str() }] } }),
            None => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": codes::METHOD_NOT_FOUND, "message": "nobody is here to answer" } })
            }
        })
    }

    async fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let line = format!("{message}\n");
        self.stream.write_all(line.as_bytes()).await.context(ENDED)?;
        self.stream.flush().await.context(ENDED)
    }

    async fn read(&mut self) -> anyhow::Result<Message> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).await.context(ENDED)?;
        anyhow::ensure!(line.pop() == Some(b'\n'), ENDED);
        Ok(wire::read(Bytes::from(line), Side::Server, &self.limits)?)
    }
}

/// All that a client can offer: some servers list a tool only to clients that can do what it needs.
fn capabilities() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {} })
}

fn client_info() -> Value {
    json!({ "name": "callgate", "version": env!("CARGO_PKG_VERSION") })
}

/// What each request of the revision without a handshake says of its sender.
fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": capabilities(),
    })
}

fn error_of(response: &Response) -> String {
    let said = response.error().map(|raw| wire::decode(raw).0);
    let message = said.as_ref().and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or("it gives no reason");
    visible_within(message, 300)
}
