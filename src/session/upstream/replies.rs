//! Replies of a server to requests of the client's: what the gate learns from them and what it changes in them.
use std::ops::Range;

use serde_json::Value;

use crate::analyse::Definition;
use crate::escape::visible_within;
use crate::gate::{capability, objection};
use crate::policy::Access;
use crate::session::era::BATCHES;
use crate::session::event::Output;
use crate::session::sent::RequestKind;
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Response, codes};

use super::Upstream;
use super::lines::NOISE;
use super::requests::{NOT_ASKED, is_refused};

impl Upstream {
    /// Hands a reply on to the client.
    pub fn reply(&mut self, turn: &mut Turn, response: Response) {
        let Some((own, request)) = response.id().and_then(|id| self.in_flight.take(id)) else {
            // The late reply to a cancelled call: clients ignore it, as the specification says.
            return turn.output(Output::ToClient(response.bytes().clone()));
        };
        self.progress.ends(&request);
        if let Some(method) = refused_input(turn, &response) {
            turn.log(format!("refused `{}` of the server's", visible_within(&method, NOISE)));
            let line = wire::error(Some(&own), codes::DENIED, NOT_ASKED, None);
            turn.then(Step::Reply(own, line));
            return turn.then(Step::Released);
        }
        match (request.kind, response.result()) {
            (RequestKind::Call(sent), Some(_)) if !sent.answers.is_empty() && is_input_required(&response) => {
                turn.then(Step::Carry(own, response, sent));
            }
            (kind, result) => {
                let changes = result.map_or_else(Vec::new, |result| self.learn(turn, &kind, result, &response));
                let line = response.addressed(&own, changes);
                turn.then(Step::Reply(own, line));
            }
        }
        turn.then(Step::Released);
    }

    /// Notes what a result says of the server; returns what has to be changed in it.
    fn learn(&mut self, turn: &mut Turn, kind: &RequestKind, result: &[u8], response: &Response) -> Vec<(Range<usize>, Vec<u8>)> {
        match kind {
            RequestKind::Initialize => {
                let (result, _) = wire::decode(result);
                let revision = result.get("protocolVersion").and_then(Value::as_str).map(str::to_owned);
                self.has_batches = revision.as_deref() == Some(BATCHES);
                let name = result.pointer("/serverInfo/name").and_then(Value::as_str).map(str::to_owned);
                turn.then(Step::Initialized { of: self.id, revision, name });
            }
            RequestKind::ToolsList { first } => {
                self.catalogue.page(result, *first);
                return self.without_forbidden(turn, response).into_iter().collect();
            }
            RequestKind::Call(_) | RequestKind::Other => {}
        }
        Vec::new()
    }

    /// Cuts the tools that the access level forbids out of a list.
    fn without_forbidden(&self, turn: &Turn, response: &Response) -> Option<(Range<usize>, Vec<u8>)> {
        let range = response.result_range("tools").filter(|_| turn.config.access == Access::ReadOnly)?;
        let tools = response.bytes().get(range.clone()).filter(|tools| tools.first() == Some(&b'['))?;
        Some((range, wire::retained(tools, |tool| self.is_permitted(turn, tool))))
    }

    fn is_permitted(&self, turn: &Turn, tool: &[u8]) -> bool {
        let definition = Definition::from_value(wire::decode(tool).0);
        let policy = &turn.config.policy;
        let settings = policy.tool(&self.name, &definition.name);
        let capability = capability(&settings, Some(&definition.hints), policy.trusts_annotations(&self.name));
        policy.depends_on_arguments(&self.name, &definition.name) || objection(turn.config.access, &capability).is_none()
    }
}

/// Whether the server wants something of its own before it goes on.
fn is_input_required(response: &Response) -> bool {
    response.result_member("resultType") == Some(b"\"input_required\"")
}

/// What an `input_required` asks of the client although the policy does not let this server ask for it.
fn refused_input(turn: &Turn, response: &Response) -> Option<String> {
    if !is_input_required(response) {
        return None;
    }
    let (requests, _) = wire::decode(response.result_member("inputRequests")?);
    let mut methods = requests.as_object()?.values().filter_map(|request| request.get("method")?.as_str());
    methods.find(|method| is_refused(turn, method)).map(str::to_owned)
}
