//! All servers behind one gate, by their ids: today one.
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::analyse::Definition;
use crate::gate::PinStatus;
use crate::session::config::Config;
use crate::session::ids::{CallId, UpstreamId};
use crate::session::servers::Servers;
use crate::session::turn::Turn;
use crate::wire::Id;

use super::Upstream;
use super::undecided::Undecided;

/// The servers of a session.
#[derive(Debug)]
pub(in crate::session) struct Upstreams {
    servers: BTreeMap<UpstreamId, Upstream>,
}

impl Upstreams {
    /// The servers that the settings name.
    pub fn new(config: &Config) -> Self {
        let only = Upstream::new(UpstreamId::ONLY, config.server.clone(), &config.locked);
        Self { servers: BTreeMap::from([(UpstreamId::ONLY, only)]) }
    }

    /// Does something with the server of this id.
    pub fn with(&mut self, id: UpstreamId, what: impl FnOnce(&mut Upstream)) {
        if let Some(server) = self.servers.get_mut(&id) {
            what(server);
        }
    }

    /// Does something with the server that waits for the client's answer to its request.
    pub fn with_asking(&mut self, id: &Id, what: impl FnOnce(&mut Upstream)) {
        if let Some(server) = self.servers.values_mut().find(|server| server.asked.contains(id)) {
            what(server);
        }
    }

    /// Whether one of them waits for the client's answer to this request.
    pub fn are_asking(&self, id: &Id) -> bool {
        self.servers.values().any(|server| server.asked.contains(id))
    }

    /// Forgets a request of the client's: it was not sent after all, or the client took it back. Says whether there was one.
    pub fn forget(&mut self, id: &Id) -> bool {
        self.servers.values_mut().any(|server| server.forget(id))
    }

    /// The server that wants what this question is about.
    pub fn wanting(&self, call: CallId) -> Option<UpstreamId> {
        self.servers.values().find(|server| server.undecided.contains_key(&call)).map(|server| server.id)
    }

    /// All questions about what servers want, or those of one of them.
    pub fn questions(&self, of: Option<UpstreamId>) -> Vec<(UpstreamId, CallId)> {
        let servers = self.servers.values().filter(|server| of.is_none_or(|of| server.id == of));
        servers.flat_map(|server| server.undecided.keys().map(|call| (server.id, *call))).collect()
    }

    /// The question for whose answer the reply to this request of the client's is held.
    pub fn holding(&self, id: &Id) -> Option<(UpstreamId, CallId)> {
        let held = |server: &Upstream| server.undecided.iter().find(|(_, undecided)| undecided.is_reply(id)).map(|(call, _)| *call);
        self.servers.values().find_map(|server| Some((server.id, held(server)?)))
    }

    /// Whether a request of the client's is with one of them.
    pub fn have(&self, id: &Id) -> bool {
        let holds = |server: &Upstream| server.undecided.values().any(|undecided| undecided.is_reply(id));
        self.servers.values().any(|server| server.in_flight.contains(id) || holds(server))
    }

    /// Whether all have ended.
    pub fn are_gone(&self) -> bool {
        self.servers.values().all(|server| server.gone)
    }

    /// Whether no clock is running for any of them.
    pub fn are_resting(&self, config: &Config) -> bool {
        let parks = |server: &Upstream| server.undecided.values().any(Undecided::is_parked);
        let waits = |server: &Upstream| config.call_timeout.is_some() && !server.in_flight.is_empty();
        !self.servers.values().any(|server| parks(server) || waits(server))
    }

    /// Looks at the clock.
    pub fn tick(&mut self, turn: &mut Turn) {
        for server in self.servers.values_mut() {
            server.give_up_overdue(turn);
            server.forget_parked(turn.now);
        }
    }

    fn server(&self, of: UpstreamId) -> Option<&Upstream> {
        self.servers.get(&of)
    }
}

impl Servers for Upstreams {
    fn name(&self, of: UpstreamId) -> &str {
        self.server(of).map_or("", |server| &server.name)
    }

    fn definition(&self, of: UpstreamId, tool: &str) -> Option<&Definition> {
        self.server(of)?.catalogue.tool(tool)
    }

    fn accepted(&self, of: UpstreamId, tool: &str) -> Option<&Definition> {
        self.server(of)?.catalogue.accepted(tool)
    }

    fn pin_status(&self, of: UpstreamId, tool: &str) -> PinStatus {
        self.server(of).map_or(PinStatus::Unknown, |server| server.catalogue.pin_status(tool))
    }

    fn wants_listing(&self, of: UpstreamId, tool: &str) -> bool {
        self.server(of).is_some_and(|server| !server.gone && server.catalogue.wants_fetch(tool))
    }

    fn are_touched(&self, files: &[PathBuf]) -> bool {
        let overlap = |others: &[PathBuf]| others.iter().any(|other| files.contains(other));
        self.servers.values().flat_map(|server| server.in_flight.calls()).any(|sent| overlap(&sent.touches))
    }
}
