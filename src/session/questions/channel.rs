//! By which channel a question reaches a person.
use crate::policy::{Channel, Require, clients};
use crate::session::approval::{ApprovalRequest, Form};
use crate::session::era::Version;
use crate::session::turn::Turn;

use super::Questions;

/// How a question reaches a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// The 2026-07-28 round trip.
    RoundTrip,
    /// A request to the client, with a form of this version.
    Form(Version),
    /// Channels outside of the protocol.
    Outside(Vec<Channel>),
    /// None now; an approver that attaches later can still answer for the next try.
    Nobody,
}

impl Questions {
    /// Chooses for a call: the first of the channels that can reach a person, and with one outside of the protocol all others of that
    /// kind.
    pub(super) fn route(&self, turn: &Turn, request: &ApprovalRequest) -> Route {
        let human_only = turn.config.policy.approval().require.value == Require::Human;
        let mut outside = Vec::new();
        for channel in &turn.config.channels {
            match (channel, request.about.form) {
                (Channel::Elicitation, _) if human_only || !outside.is_empty() || turn.client_gone => {}
                (Channel::Elicitation, Form::RoundTrip) => return Route::RoundTrip,
                (Channel::Elicitation, Form::Request(version)) => return Route::Form(version),
                (Channel::Socket, _) if self.approvers => outside.push(Channel::Socket),
                (Channel::Tty, _) if clients::owns_the_screen(request.question.client.as_deref()) => {}
                (Channel::Elicitation | Channel::Socket, _) => {}
                (Channel::Tty | Channel::Program, _) => outside.push(*channel),
            }
        }
        if outside.is_empty() { Route::Nobody } else { Route::Outside(outside) }
    }

    /// An approver has come, or the last one has gone: what waits for its turn may be asked by another channel now.
    pub fn approvers(&mut self, turn: &Turn, attached: bool) {
        self.approvers = attached;
        let routes: Vec<Route> = self.queue.iter().map(|queued| self.route(turn, &queued.request)).collect();
        self.queue.iter_mut().zip(routes).for_each(|(queued, route)| queued.route = route);
    }
}
