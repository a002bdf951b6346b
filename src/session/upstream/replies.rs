//! Replies of a server to requests of the client's: what the gate learns from them and what it changes in them.
use std::ops::Range;

use serde_json::Value;

use crate::analyse::Definition;
use crate::escape::visible_within;
use crate::gate::{CallAnswers, capability, objection};
use crate::policy::{Access, Effect};
use crate::session::era::BATCHES;
use crate::session::event::Output;
use crate::session::sent::{InputRequired, RequestKind};
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Id, Response, codes};

use super::Upstream;
use super::lines::NOISE;
use super::requests::NOT_ASKED;
use super::undecided::Wanted;

/// Bytes of a message and what takes their place.
type Changes = Vec<(Range<usize>, Vec<u8>)>;

impl Upstream {
    /// Hands a reply on to the client.
    pub fn reply(&mut self, turn: &mut Turn, response: Response) {
        let Some((to, request)) = response.id().and_then(|id| self.in_flight.take(id)) else {
            // The late reply to a cancelled call: clients ignore it, as the specification says.
            return turn.output(Output::ToClient(response.bytes().clone()));
        };
        self.progress.ends(&request);
        let changes = response.result().map_or_else(Vec::new, |result| self.learn(turn, &request.kind, result, &response));
        match asked_for(&response) {
            Some(methods) => self.wants_input(turn, request.kind, (to, response), methods, changes),
            None => {
                let line = response.addressed(&to, changes);
                turn.then(Step::Reply(to, line));
            }
        }
        turn.then(Step::Released);
    }

    /// A reply asks for something; what a person allowed for its call has to survive that.
    fn wants_input(&mut self, turn: &mut Turn, kind: RequestKind, (to, response): (Id, Response), methods: Vec<String>, changes: Changes) {
        let (sender, bound, answers) = match kind {
            RequestKind::Call(sent) => (sent.sender, sent.bound, sent.answers),
            _ => (turn.client.clone(), String::new(), CallAnswers::default()),
        };
        let reply = Box::new(InputRequired { to, response, methods, changes, sender, bound, answers });
        if reply.answers.is_empty() { self.input_required(turn, reply) } else { turn.then(Step::Carry(self.id, reply)) }
    }

    /// Hands on a reply that asks for something, as far as the policy or a person lets the server ask for it.
    pub fn input_required(&mut self, turn: &mut Turn, reply: Box<InputRequired>) {
        let methods: Vec<&str> = reply.methods.iter().map(String::as_str).collect();
        let (effect, findings) = self.may_ask(turn, &methods);
        match effect {
            Effect::Allow => {
                let line = reply.response.addressed(&reply.to, reply.changes);
                turn.then(Step::Reply(reply.to, line));
            }
            // A reply that is held would hold up all the others of its batch; the revision with batches has no such replies.
            Effect::Ask if !self.has_batches && !turn.client_gone => self.have_asked(turn, Wanted::Reply(reply), findings),
            Effect::Ask | Effect::Deny => {
                turn.log(format!("refused `{}` of the server's", visible_within(&reply.methods.join(", "), NOISE)));
                let line = wire::error(Some(&reply.to), codes::DENIED, NOT_ASKED, None);
                turn.then(Step::Reply(reply.to, line));
            }
        }
    }

    /// Notes what a result says of the server; returns what has to be changed in it.
    fn learn(&mut self, turn: &mut Turn, kind: &RequestKind, result: &[u8], response: &Response) -> Changes {
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

/// The methods that an `input_required` asks the client for; nothing of any other reply.
fn asked_for(response: &Response) -> Option<Vec<String>> {
    let kind = response.result_member("resultType")?;
    if wire::decode(kind).0 != "input_required" {
        return None;
    }
    let requests = response.result_member("inputRequests").map(|raw| wire::decode(raw).0);
    let methods = requests.as_ref().and_then(Value::as_object).into_iter().flat_map(|requests| requests.values());
    let mut methods: Vec<String> = methods.filter_map(|request| Some(request.get("method")?.as_str()?.to_owned())).collect();
    methods.sort_unstable();
    methods.dedup();
    Some(methods)
}
