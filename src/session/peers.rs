//! What is known of the client: its revision, what it can be asked, how long it waits.
use serde_json::Value;

use crate::wire::{self, Call, Request};

use super::elicit::Version;

/// `_meta` keys of the 2026-07-28 revision (basic/versioning).
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The first revision without a handshake.
const FIRST_MODERN: &str = "2026-07-28";
/// The first revision with elicitation.
const FIRST_ELICITATION: &str = "2025-06-18";
/// The only revision with batches.
const BATCHES: &str = "2025-03-26";

/// What `initialize` said, on both sides.
#[derive(Debug, Default)]
pub struct Handshake {
    name: Option<String>,
    offers_form: bool,
    asked: Option<String>,
    agreed: Option<String>,
}

impl Handshake {
    /// Notes the client's `initialize`.
    pub fn requested(&mut self, request: &Request) {
        let params = request.params().map_or(Value::Null, |raw| wire::decode(raw).0);
        self.name = params.pointer("/clientInfo/name").and_then(Value::as_str).map(str::to_owned);
        self.offers_form = params.get("capabilities").is_some_and(offers_form);
        self.asked = params.get("protocolVersion").and_then(Value::as_str).map(str::to_owned);
    }

    /// Notes the server's reply to it; returns what the server calls itself.
    pub fn agreed(&mut self, result: &[u8]) -> Option<String> {
        let (result, _) = wire::decode(result);
        self.agreed = result.get("protocolVersion").and_then(Value::as_str).map(str::to_owned);
        result.pointer("/serverInfo/name").and_then(Value::as_str).map(str::to_owned)
    }

    /// The client's own name; good for habits, never for decisions.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether arrays of messages are part of the session's revision.
    pub fn has_batches(&self) -> bool {
        self.agreed.as_deref() == Some(BATCHES)
    }

    /// How to ask this client by elicitation, if it declared that it can be asked. One client declares it under a revision that
    /// does not know it, and answers (`clients.md` 1.2, goose).
    pub fn elicitation(&self) -> Option<Version> {
        let revision = self.agreed.as_deref().or(self.asked.as_deref())?;
        match revision {
            _ if !self.offers_form => None,
            _ if revision <= FIRST_ELICITATION => Some(Version::Legacy2025_06),
            _ => Some(Version::Legacy2025_11),
        }
    }
}

/// What one request of the 2026-07-28 revision says of its sender.
#[derive(Debug, Clone, Default)]
pub struct PerRequest {
    /// Whether the request is of that revision.
    pub modern: bool,
    /// The client's name.
    pub name: Option<String>,
    /// Whether this request may be answered with a form to fill in.
    pub offers_form: bool,
}

impl PerRequest {
    /// Reads `_meta` of a call.
    pub fn of(call: &Call) -> Self {
        let Some(meta) = call.meta_raw() else { return Self::default() };
        if memchr::memmem::find(meta, META_VERSION.as_bytes()).is_none() {
            return Self::default();
        }
        let (meta, _) = wire::decode(meta);
        let modern = meta.get(META_VERSION).and_then(Value::as_str).is_some_and(|version| version >= FIRST_MODERN);
        let name = meta.get(META_CLIENT).and_then(|client| client.get("name")).and_then(Value::as_str).map(str::to_owned);
        Self { modern, name, offers_form: modern && meta.get(META_CAPABILITIES).is_some_and(offers_form) }
    }

    /// The part of a call's `_meta` that the gate's own requests of the same revision repeat.
    pub fn own_meta(call: &Call) -> Option<Value> {
        let (meta, _) = wire::decode(call.meta_raw()?);
        let kept = [META_VERSION, META_CLIENT, META_CAPABILITIES].into_iter();
        let kept: serde_json::Map<_, _> = kept.filter_map(|key| Some((key.to_owned(), meta.get(key)?.clone()))).collect();
        (!kept.is_empty()).then_some(Value::Object(kept))
    }
}

/// `elicitation: {}` means forms (2025-11-25, client/elicitation).
fn offers_form(capabilities: &Value) -> bool {
    let Some(elicitation) = capabilities.get("elicitation").and_then(Value::as_object) else { return false };
    elicitation.is_empty() || elicitation.contains_key("form")
}
