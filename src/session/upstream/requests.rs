//! What a server asks of the client: passed on, refused, or asked about, as the policy says.
use crate::escape::visible_within;
use crate::gate::Finding;
use crate::policy::{Effect, ServerRequest};
use crate::session::event::Output;
use crate::session::turn::Turn;
use crate::wire::{Id, Other, Request, Response, codes};

use super::Upstream;
use super::lines::NOISE;
use super::undecided::Wanted;

/// The answer to a request that the policy, or a person, does not let a server make.
pub(super) const NOT_ASKED: &str = "callgate refused the request: the policy does not let this server ask the client for it";

impl Upstream {
    /// Takes a request of the server's.
    pub(super) fn request(&mut self, turn: &mut Turn, request: Request) {
        let (effect, findings) = self.may_ask(turn, &[request.method()]);
        match effect {
            Effect::Allow if !turn.client_gone => self.hand_on(turn, &request),
            Effect::Ask if !turn.client_gone => self.have_asked(turn, Wanted::Request(request), findings),
            _ => self.refuse_request(turn, &request),
        }
    }

    fn hand_on(&mut self, turn: &mut Turn, request: &Request) {
        self.asked.insert(request.id().clone());
        turn.output(Output::ToClient(request.bytes().clone()));
    }

    /// Refuses a request of the server's.
    pub(super) fn refuse_request(&self, turn: &mut Turn, request: &Request) {
        turn.log(format!("refused `{}` of the server's", visible_within(request.method(), NOISE)));
        self.pass(turn, Other::error(request.id(), codes::DENIED, NOT_ASKED));
    }

    /// The client answered a request of the server's.
    pub fn answered(&mut self, turn: &mut Turn, id: &Id, response: Response) {
        self.asked.remove(id);
        self.pass(turn, response.into());
    }

    /// The client's answer cannot be read, which still has to end the server's waiting.
    pub fn unanswered(&mut self, turn: &mut Turn, id: &Id, why: &str) {
        self.asked.remove(id);
        self.pass(turn, Other::error(id, codes::INVALID_REQUEST, &format!("the client's answer was refused: {why}")));
    }

    /// A request was allowed, but that could not be written down.
    pub fn unrecorded(&mut self, turn: &mut Turn, id: &Id) {
        self.asked.remove(id);
        self.pass(turn, Other::error(id, codes::DENIED, NOT_ASKED));
    }

    /// Whether the server may ask the client for these; where a person decides, also what is asked about.
    pub(super) fn may_ask(&self, turn: &Turn, methods: &[&str]) -> (Effect, Vec<Finding>) {
        let mut findings: Vec<Finding> = Vec::new();
        for method in methods {
            let Some(kind) = ServerRequest::from_method(method) else { continue };
            let finding = || Finding::of_server_request(&self.name, method);
            match turn.config.policy.server_request_action(kind) {
                Effect::Deny => return (Effect::Deny, Vec::new()),
                Effect::Ask if !turn.granted.answers(&finding()) => findings.push(finding()),
                Effect::Ask | Effect::Allow => {}
            }
        }
        (if findings.is_empty() { Effect::Allow } else { Effect::Ask }, findings)
    }
}
