//! What `initialize` said of the client.
use serde_json::Value;

use crate::session::approval::Form;
use crate::session::era::{BATCHES, FIRST_ELICITATION, Version};
use crate::session::sender::{Sender, offers_form};
use crate::wire::{self, Request};

/// What `initialize` said, on both sides.
#[derive(Debug, Default)]
pub(super) struct Handshake {
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

    /// Notes the revision of the server's reply to it.
    pub fn agreed(&mut self, revision: Option<String>) {
        self.agreed = revision;
    }

    /// Who the client is, as far as the handshake says.
    pub fn sender(&self) -> Sender {
        Sender { modern: false, name: self.name.clone(), form: self.elicitation().map_or(Form::None, Form::Request) }
    }

    /// Whether arrays of messages are part of the session's revision.
    pub fn has_batches(&self) -> bool {
        self.agreed.as_deref() == Some(BATCHES)
    }

    /// How to ask this client by elicitation, if it declared that it can be asked. One client (goose) declares it under a revision that
    /// does not know it, and answers.
    fn elicitation(&self) -> Option<Version> {
        let revision = self.agreed.as_deref().or(self.asked.as_deref())?;
        match revision {
            _ if !self.offers_form => None,
            _ if revision <= FIRST_ELICITATION => Some(Version::Legacy2025_06),
            _ => Some(Version::Legacy2025_11),
        }
    }
}
