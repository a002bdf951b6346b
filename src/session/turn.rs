//! What every part of the session is handed while one event is dealt with: settings, time, numbers, grants, and where its words go.
use std::path::PathBuf;
use std::time::Duration;

use crate::gate::{Grant, GrantStore};

use super::config::Config;
use super::event::Output;
use super::ids::OwnIds;
use super::sender::Sender;
use super::step::Step;
use super::store_request::StoreRequest;

/// One event's turn, from the moment it came in until all that comes of it is said.
#[derive(Debug)]
pub(super) struct Turn {
    /// The settings.
    pub config: Config,
    /// Time since the session began.
    pub now: Duration,
    /// Who the client is by its handshake.
    pub client: Sender,
    /// Whether the client has closed its side.
    pub client_gone: bool,
    /// Ids of the gate's own making.
    pub ids: OwnIds,
    /// What people have allowed for longer than one call.
    pub granted: GrantStore,
    outputs: Vec<Output>,
    steps: Vec<Step>,
}

impl Turn {
    /// Before the first event.
    pub fn new(config: Config) -> Self {
        let ids = OwnIds::new(&config.seed);
        let granted = config.grants.clone();
        Self {
            config,
            now: Duration::ZERO,
            client: Sender::default(),
            client_gone: false,
            ids,
            granted,
            outputs: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Says something to the edges.
    pub fn output(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Writes a line into the log.
    pub fn log(&mut self, text: impl Into<String>) {
        self.outputs.push(Output::Log(text.into()));
    }

    /// Holds a grant from now on.
    pub fn grant(&mut self, grant: Grant) {
        self.granted.add(grant.clone());
        self.output(Output::Store(StoreRequest::Grant(Box::new(grant))));
    }

    /// Takes back what was granted at this place for the session.
    pub fn take_back(&mut self, place: PathBuf) {
        self.granted.take_back(&place);
        self.output(Output::Store(StoreRequest::TakeBack(place)));
    }

    /// Gives another part of the session something to do, once this one is done.
    pub fn then(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// How many steps wait. Those given from now on come before them, see [`Self::next_after`].
    pub const fn steps_waiting(&self) -> usize {
        self.steps.len()
    }

    /// The next step, when those past the first `waiting` were given just now: these go first, in the order in which they were given.
    pub fn next_after(&mut self, waiting: usize) -> Option<Step> {
        if let Some(new) = self.steps.get_mut(waiting..) {
            new.reverse();
        }
        self.steps.pop()
    }

    /// What the edges are to do, in order.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }
}
