//! Lines from the client: what is admitted, what passes, what is a call, what is refused.
use bytes::Bytes;

use crate::policy::{Access, Effect};
use crate::session::event::Output;
use crate::session::sender::Sender;
use crate::session::sent::RequestKind;
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Message, Refused, Request, Side, codes};

use super::Client;

impl Client {
    /// Admits one line and sends what is in it on its way.
    pub fn line(&mut self, turn: &mut Turn, line: Bytes) {
        if self.handshake.has_batches() && line.trim_ascii_start().first() == Some(&b'[') {
            return match wire::read_batch(line, Side::Client, &turn.config.limits) {
                Ok(messages) => self.batch(turn, messages),
                Err(refused) => self.refuse_line(turn, &refused),
            };
        }
        match wire::read(line, Side::Client, &turn.config.limits) {
            Ok(message) => turn.then(Step::FromClient(message)),
            Err(refused) => self.refuse_line(turn, &refused),
        }
    }

    /// Answers a line over the limit, of which only its ends are known.
    pub fn too_long(&mut self, turn: &mut Turn, head: &[u8], tail: &[u8]) {
        let refused = wire::too_long(head, tail, Side::Client, &turn.config.limits);
        self.refuse_line(turn, &refused);
    }

    fn batch(&mut self, turn: &mut Turn, messages: Vec<Message>) {
        let requests = messages.iter().filter_map(|message| match message {
            Message::Request(request) => Some(request.id().clone()),
            Message::Notification(_) | Message::Response(_) => None,
        });
        self.batches.open(requests.collect());
        messages.into_iter().for_each(|message| turn.then(Step::FromClient(message)));
    }

    /// Answers a line that is not admitted: whoever waits for a reply to it gets an error.
    fn refuse_line(&mut self, turn: &mut Turn, refused: &Refused) {
        turn.log(format!("refused a line from the client: {refused}"));
        let (code, why) = (refused.reason.code(), refused.to_string());
        refused.requests().for_each(|id| self.error(turn, id, code, &why));
        // A reply of the client's that cannot be read still has to end the server's waiting.
        refused.responses().for_each(|id| turn.then(Step::Unreadable(id.clone(), why.clone())));
        if refused.requests().next().is_none() && refused.responses().next().is_none() {
            turn.output(Output::ToClient(wire::error(None, code, &why, None)));
        }
    }

    /// Tells a request that passes from one that is judged, and from one that is refused for its method alone.
    pub fn request(&mut self, turn: &mut Turn, request: Request) {
        if let Some((code, why)) = method_refused(turn, &request) {
            return self.error(turn, request.id(), code, &why);
        }
        let asked_about = turn.config.policy.method_action(request.method()).is_some_and(|set| set.value == Effect::Ask);
        let (id, kind) = (request.id().clone(), kind_of(&request));
        let opening = matches!(kind, RequestKind::Initialize).then(|| request.clone());
        let may_look_outside = turn.config.access == Access::ReadOnly && request.may_name_a_place();
        match if asked_about || may_look_outside { Err(request) } else { request.into_other() } {
            Ok(other) => {
                if let Some(opening) = opening {
                    self.handshake.requested(&opening);
                    turn.client = self.handshake.sender();
                }
                turn.then(Step::Forward(id, other, kind));
            }
            Err(request) => match request.into_call() {
                Ok(call) => {
                    let sender = Sender::of(&call, &turn.client);
                    turn.then(Step::Judge(call, sender));
                }
                Err(bad) => self.error(turn, &bad.id, codes::INVALID_PARAMS, &bad.to_string()),
            },
        }
    }
}

/// What policy and access level say of a method as such.
fn method_refused(turn: &Turn, request: &Request) -> Option<(i64, String)> {
    let method = request.method();
    if let Some(set) = turn.config.policy.method_action(method) {
        let refused = set.value == Effect::Deny;
        return refused.then(|| (codes::DENIED, format!("callgate refused the method: the policy denies it ({})", set.source)));
    }
    let unknown = !request.is_known() && turn.config.access == Access::ReadOnly;
    unknown.then(|| (codes::METHOD_NOT_FOUND, "callgate refused the method: it is in no known revision and access is read_only".to_owned()))
}

fn kind_of(request: &Request) -> RequestKind {
    match request.method() {
        "initialize" => RequestKind::Initialize,
        "tools/list" => RequestKind::ToolsList { first: request.param("cursor").is_none() },
        _ => RequestKind::Other,
    }
}
