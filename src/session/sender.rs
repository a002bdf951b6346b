//! Who sent a request, and how it can be asked.
use serde_json::Value;

use crate::wire::{self, Call};

use super::approval::Form;
use super::era::FIRST_MODERN;

/// `_meta` keys of the 2026-07-28 revision (basic/versioning).
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Who sent a request, as far as the gate can tell.
#[derive(Debug, Clone, Default)]
pub(super) struct Sender {
    /// Whether the request is of the 2026-07-28 revision, which says of each request who sent it.
    pub modern: bool,
    /// The client's own name: good for habits, never for decisions.
    pub name: Option<String>,
    /// How it can be asked.
    pub form: Form,
}

impl Sender {
    /// Reads `_meta` of a call; what it leaves open, the handshake said.
    pub fn of(call: &Call, by_handshake: &Self) -> Self {
        let Some(meta) = modern_meta(call) else { return by_handshake.clone() };
        let modern = is_modern(&meta);
        let own = meta.get(META_CLIENT).and_then(|client| client.get("name")).and_then(Value::as_str).map(str::to_owned);
        let offers_form = meta.get(META_CAPABILITIES).is_some_and(offers_form);
        let form = match modern {
            false => by_handshake.form,
            true if offers_form => Form::RoundTrip,
            true => Form::None,
        };
        Self { modern, name: own.or_else(|| by_handshake.name.clone()), form }
    }

    /// Whether a call is of the 2026-07-28 revision.
    pub fn is_modern(call: &Call) -> bool {
        modern_meta(call).is_some_and(|meta| is_modern(&meta))
    }

    /// The part of a call's `_meta` that the gate's own requests of the same revision repeat.
    pub fn own_meta(call: &Call) -> Option<Value> {
        let (meta, _) = wire::decode(call.meta_raw()?);
        let kept = [META_VERSION, META_CLIENT, META_CAPABILITIES].into_iter();
        let kept: serde_json::Map<_, _> = kept.filter_map(|key| Some((key.to_owned(), meta.get(key)?.clone()))).collect();
        (!kept.is_empty()).then_some(Value::Object(kept))
    }
}

/// `_meta` of a call, if it names a revision.
fn modern_meta(call: &Call) -> Option<Value> {
    let meta = call.meta_raw().filter(|meta| memchr::memmem::find(meta, META_VERSION.as_bytes()).is_some())?;
    Some(wire::decode(meta).0)
}

fn is_modern(meta: &Value) -> bool {
    meta.get(META_VERSION).and_then(Value::as_str).is_some_and(|version| version >= FIRST_MODERN)
}

/// `elicitation: {}` means forms (2025-11-25, client/elicitation).
pub(super) fn offers_form(capabilities: &Value) -> bool {
    let Some(elicitation) = capabilities.get("elicitation").and_then(Value::as_object) else { return false };
    elicitation.is_empty() || elicitation.contains_key("form")
}
