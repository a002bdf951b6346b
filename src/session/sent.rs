//! What is remembered of a request while its server works on it.
use std::ops::Range;
use std::path::PathBuf;

use crate::gate::CallAnswers;
use crate::wire::{Id, Response};

use super::sender::Sender;

/// What a forwarded request was, as far as its reply matters to the gate.
#[derive(Debug)]
pub(super) enum RequestKind {
    /// `initialize`.
    Initialize,
    /// `tools/list`; whether it asked for the first page.
    ToolsList {
        /// Whether it named no cursor.
        first: bool,
    },
    /// A call that was judged.
    Call(Box<SentCall>),
    /// Anything else.
    Other,
}

/// What must be remembered of a call that was sent.
#[derive(Debug)]
pub(super) struct SentCall {
    /// Binds a sealed state to server, tool and arguments.
    pub bound: String,
    /// What a person allowed for this call; it survives the upstream's own `input_required`.
    pub answers: CallAnswers,
    /// Who sent it.
    pub sender: Sender,
    /// The files it touches.
    pub touches: Vec<PathBuf>,
    /// Its progress token and by how much the upstream's progress is moved above the gate's own signs of life.
    pub moved: Option<(Id, f64)>,
}

/// A reply that asks something of the client before its server goes on.
#[derive(Debug)]
pub(super) struct InputRequired {
    /// The id of the client's request.
    pub to: Id,
    /// The reply.
    pub response: Response,
    /// The methods that it asks the client for.
    pub methods: Vec<String>,
    /// What has to be changed in it before the client gets it.
    pub changes: Vec<(Range<usize>, Vec<u8>)>,
    /// Who is asked.
    pub sender: Sender,
    /// Binds a sealed state to the client's request; nothing where it was no call.
    pub bound: String,
    /// What a person allowed for the call.
    pub answers: CallAnswers,
}
