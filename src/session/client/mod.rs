//! The client's side of a session: its handshake, its era, its batches, and the lines that it sends.
mod batches;
mod handshake;
mod lines;

use bytes::Bytes;

use crate::gate::Verdict;
use crate::wire::{self, Id};

use super::event::{Output, Then};
use super::ids::UpstreamId;
use super::turn::Turn;
use batches::Batches;
use handshake::Handshake;

/// The one client of a session.
#[derive(Debug, Default)]
pub(super) struct Client {
    handshake: Handshake,
    batches: Batches,
    let_go: bool,
}

impl Client {
    /// Sends the reply to a request of the client's, unless a batch collects it.
    pub fn reply(&mut self, turn: &mut Turn, id: &Id, line: Bytes) {
        match self.batches.collect(id, line.clone()) {
            None => turn.output(Output::ToClient(line)),
            Some(done) => done.into_iter().for_each(|done| turn.output(Output::ToClient(done))),
        }
    }

    /// The same, once the verdict is written down.
    pub fn reply_recorded(&mut self, turn: &mut Turn, id: &Id, verdict: Box<Verdict>, line: Bytes) {
        let then = match self.batches.collect(id, line.clone()) {
            None => Then::Reply(line),
            Some(None) => Then::Wait,
            Some(Some(done)) => Then::Reply(done),
        };
        turn.output(Output::Verdict(verdict, then));
    }

    /// Answers a request with an error.
    pub fn error(&mut self, turn: &mut Turn, id: &Id, code: i64, why: &str) {
        self.reply(turn, id, wire::error(Some(id), code, why, None));
    }

    /// No reply will come for a request: its client took it back.
    pub fn forget(&mut self, turn: &mut Turn, id: &Id) {
        if let Some(done) = self.batches.forget(id) {
            turn.output(Output::ToClient(done));
        }
    }

    /// Notes the revision that a server agreed to.
    pub fn agreed(&mut self, turn: &mut Turn, revision: Option<String>) {
        self.handshake.agreed(revision);
        turn.client = self.handshake.sender();
    }

    /// Lets the server go, once the client has left and nothing is left to do for it.
    pub fn let_go(&mut self, turn: &mut Turn, is_done: bool) {
        if turn.client_gone && is_done && !self.let_go {
            self.let_go = true;
            turn.output(Output::CloseServer(UpstreamId::ONLY));
        }
    }
}
