//! What a server asks of the client: passed, or refused where the policy says so.
use crate::escape::visible_within;
use crate::policy::{Effect, ServerRequest};
use crate::session::event::Output;
use crate::session::turn::Turn;
use crate::wire::{Id, Other, Request, Response, codes};

use super::Upstream;
use super::lines::NOISE;

/// The answer to a request that the policy does not let a server make.
pub(super) const NOT_ASKED: &str = "callgate refused the request: the policy does not let this server ask the client for it";

impl Upstream {
    /// Takes a request of the server's.
    pub(super) fn request(&mut self, turn: &mut Turn, request: &Request) {
        if is_refused(turn, request.method()) || turn.client_gone {
            turn.log(format!("refused `{}` of the server's", visible_within(request.method(), NOISE)));
            return self.pass(turn, Other::error(request.id(), codes::DENIED, NOT_ASKED));
        }
        self.asked.insert(request.id().clone());
        turn.output(Output::ToClient(request.bytes().clone()));
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
}

pub(super) fn is_refused(turn: &Turn, method: &str) -> bool {
    ServerRequest::from_method(method).is_some_and(|kind| turn.config.policy.server_request_action(kind) != Effect::Allow)
}
