//! What goes into the session and what comes out of it.
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;

use crate::analyse::{Mention, Scripts};
use crate::gate::{Answer, Cleared, Grant, Located, Question, Verdict};
use crate::policy::Channel;
use crate::wire::{Id, Other};

use super::ids::{CallId, UpstreamId};
use super::store_request::{StoreRequest, Stored};

/// Who sent a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The client.
    Client,
    /// A server.
    Server(UpstreamId),
}

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A line from the client, without its end.
    FromClient(Bytes),
    /// Lines of the client's that arrived together: `true` before the first of them, `false` after the last.
    Together(bool),
    /// A line from a server, without its end.
    FromServer(UpstreamId, Bytes),
    /// A line longer than the limit: its first and last bytes.
    TooLong {
        /// Who sent it.
        from: Source,
        /// The first bytes.
        head: Bytes,
        /// The last bytes.
        tail: Bytes,
    },
    /// The disk was asked.
    Located {
        /// For which call.
        call: CallId,
        /// In the order asked.
        located: Vec<Located>,
    },
    /// Script files were read.
    Read {
        /// For which call.
        call: CallId,
        /// What stands in them.
        scripts: Scripts,
    },
    /// A person (or a channel on its own) answered.
    Answered {
        /// The question's id.
        question: String,
        /// What came back.
        answer: Answer,
    },
    /// None of the channels that a question was given to could ask it.
    Unreachable {
        /// The question's id.
        question: String,
    },
    /// A verdict could not be written down, so it must not be acted on.
    Unrecorded {
        /// What the verdict would have led to.
        then: Then,
        /// What went wrong.
        problem: String,
    },
    /// Whether an approver is attached in another terminal.
    Approvers(bool),
    /// A grant given by hand while the session runs (`callgate paths`).
    Granted(Grant),
    /// What was granted at this place for the session is taken back by hand.
    TakenBack(PathBuf),
    /// The store answers.
    Stored(Stored),
    /// Time went by.
    Tick,
    /// The client closed its side.
    ClientClosed,
    /// A server closed its side or died; what is known of its end.
    ServerClosed(UpstreamId, String),
}

/// Something to do. Actions are carried out in order.
#[derive(Debug)]
pub enum Output {
    /// Send a line to the client.
    ToClient(Bytes),
    /// Pass a message to a server.
    ToServer(UpstreamId, Other),
    /// Write the verdict down; only if that worked, do what follows, else report `Unrecorded`.
    Verdict(Box<Verdict>, Then),
    /// Ask the disk.
    Locate(CallId, Vec<Mention>),
    /// Read the script files at these absolute paths, as far as they are permitted.
    Read(CallId, Vec<String>),
    /// Ask a person, through the first of the channels that can reach one, for at most this long.
    Ask(Box<Question>, Vec<Channel>, Duration),
    /// The question's call was refused for want of an answer, but a late yes still counts for the next try.
    Expire(String),
    /// The question is settled or void, and why: take it off every screen.
    Withdraw(String, &'static str),
    /// Have something remembered that outlives a call, or decided once for all gates that share the store.
    Store(StoreRequest),
    /// A line for the log.
    Log(String),
    /// No more will come for a server: close its standard input.
    CloseServer(UpstreamId),
}

/// What a verdict leads to.
#[derive(Debug)]
pub enum Then {
    /// Send the call to its server.
    Send(UpstreamId, Box<Cleared>),
    /// Answer the client.
    Reply(Bytes),
    /// Hand on to the client what a server wants of it and a person allowed.
    Pass(Passed),
    /// Nothing further: the call waits for an answer, or its sender took it back.
    Wait,
}

/// What a server wants of the client and a person allowed, as a line for the client.
#[derive(Debug)]
pub enum Passed {
    /// The server's request of this id.
    Request(UpstreamId, Id, Bytes),
    /// The reply to the client's request of this id.
    Reply(Id, Bytes),
}

impl Passed {
    /// The line.
    pub fn into_line(self) -> Bytes {
        match self {
            Self::Request(_, _, line) | Self::Reply(_, line) => line,
        }
    }
}
