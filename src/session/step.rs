//! What the parts of the session have for one another: steps, and what can happen to a call.
use bytes::Bytes;
use serde_json::Value;

use crate::analyse::Scripts;
use crate::gate::{AnswerNote, GrantStore, Located, RefusalReason, Verdict};
use crate::wire::{Call, Id, Message, Other, Response};

use super::approval::ApprovalRequest;
use super::ids::{CallId, UpstreamId};
use super::retry::{Retry, RetryAnswer, SealedRetry};
use super::sender::Sender;
use super::sent::{InputRequired, RequestKind, SentCall};

/// What one part has for another. Steps are carried out in the order in which they were given, each with all that comes of it before the
/// next.
#[derive(Debug)]
pub(super) enum Step {
    /// The client sent a message.
    FromClient(Message),
    /// The client answered a request of the server's with something that cannot be read: the request's id, and what is wrong.
    Unreadable(Id, String),
    /// A request of the client's is to be judged.
    Judge(Call, Sender),
    /// A request of the client's needs no decision.
    Forward(Id, Other, RequestKind),
    /// The client gets a reply to this request of its own.
    Reply(Id, Bytes),
    /// The same, with the verdict that is written down first.
    ReplyRecorded(Id, Box<Verdict>, Bytes),
    /// A server replied to a request that is not the gate's.
    FromServer(UpstreamId, Response),
    /// A server's `initialize` succeeded.
    Initialized {
        /// The server.
        of: UpstreamId,
        /// The revision that it agreed to.
        revision: Option<String>,
        /// What it calls itself.
        name: Option<String>,
    },
    /// The tools are to be listed before a call is judged; what the gate's own request says of its sender.
    List(UpstreamId, Option<Value>),
    /// A server has not listed its tools in time.
    ListingOverdue(UpstreamId),
    /// A server's tools are listed, or will not be.
    Listed(UpstreamId),
    /// A call went to its server, under the client's id.
    Sent(UpstreamId, Id, Box<SentCall>),
    /// A call is over at its server: others may have waited for it.
    Released,
    /// A server ended, and how that is told to whoever waits for it.
    ServerGone(UpstreamId, String),
    /// A server wants something of its own before it goes on with a call that a person allowed.
    Carry(UpstreamId, Box<InputRequired>),
    /// The same, with what was allowed sealed into it.
    Carried(UpstreamId, Box<InputRequired>),
    /// A server took a request back that a person is asked about.
    TakenBack(UpstreamId, CallId),
    /// A client has come back with an answer about what a server wants: the question, the call that brought it, and the answer.
    Resume(CallId, CallId, Option<RetryAnswer>),
    /// A person has to be asked.
    Ask(Box<ApprovalRequest>),
    /// A call brought the sealed state of an earlier question.
    Open(CallId, SealedRetry),
    /// A question about a call is put to a person.
    Asked(CallId),
    /// A person accepted a tool as it is defined now.
    Accept(UpstreamId, String),
    /// Something happened to a call.
    Happened(CallId, Happened),
}

/// What can happen to a call on its way.
#[derive(Debug)]
pub(super) enum Happened {
    /// It came in.
    Received(Call),
    /// The sealed state that it brought is open, or is not valid for it.
    Opened(Option<Box<Retry>>),
    /// The tools of its server are listed, or will not be.
    Listed,
    /// The script files that it runs were read; nothing if not in time.
    Read(Option<Scripts>),
    /// The disk was asked; nothing if it did not answer in time.
    Located(Option<Vec<Located>>),
    /// A call that touches the same files is over.
    Freed,
    /// What became of the question about it.
    Settled(Box<Outcome>),
}

/// What became of a question about a call.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A person allowed all that was asked about.
    Allowed(GrantStore, AnswerNote),
    /// A person allowed it after the same call was refused before.
    AllowedLate(GrantStore),
    /// It is refused: why, in whose words, and how a person answered if one did.
    Refused(RefusalReason, Option<String>, Option<AnswerNote>),
    /// Another answer may have settled it.
    Again,
    /// The client is to come back with the answer: the result that asks it.
    ComeBack(Value),
}

impl Outcome {
    /// Refused without a word of a person's.
    pub const fn refused(why: RefusalReason, reason: Option<String>) -> Self {
        Self::Refused(why, reason, None)
    }
}
