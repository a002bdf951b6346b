//! What a gate and an approver say to each other: one JSON object a line.
use serde::{Deserialize, Serialize};

use crate::approve::question_view::QuestionView;

/// The version of this protocol; both sides refuse another.
pub const VERSION: u32 = 2;
/// The longest line an approver may send, in bytes.
pub const LONGEST_FROM_APPROVER: u64 = 64 * 1024;
/// The longest line a gate sends, in bytes: a view with a megabyte of arguments, each byte an escape.
pub const LONGEST_FROM_GATE: u64 = 16 * 1024 * 1024;

/// What a gate sends to every approver that is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromGate {
    /// The first line of a connection.
    Hello {
        /// The gate's [`VERSION`].
        version: u32,
        /// The gate's process id.
        pid: u32,
        /// The gate's root directory.
        root: String,
        /// To be typed back before a change of the permitted places.
        code: String,
    },
    /// A question; an `open` line for it follows.
    Question(Box<QuestionView>),
    /// That a question is open, and for how long.
    Open {
        /// The id of the question, told before.
        id: String,
        /// To be typed back with an answer that allows.
        code: String,
        /// Milliseconds since it was asked.
        age: u64,
        /// Milliseconds until the call is refused.
        left: u64,
        /// Whether the call was refused already, so that a yes is for its next try.
        late: bool,
    },
    /// That a question is not open any more, and why.
    Withdrawn {
        /// The id of the question.
        id: String,
        /// Who answered and what became of the call, or why it needs no answer, in words for a person.
        why: String,
    },
    /// That something this approver sent does not count, and why.
    Refused {
        /// Why not, in words for a person.
        why: String,
    },
    /// The places the running gate permits.
    Places {
        /// Directories, the root first.
        directories: Vec<String>,
        /// Files that are permitted by themselves.
        files: Vec<String>,
        /// What became of a change, in words.
        said: String,
    },
}

/// What an approver, or `callgate paths`, sends to a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromApprover {
    /// It has drawn on a terminal, so a person can see a question.
    Attached {},
    /// What a person chose for each item of one question.
    Answer {
        /// The id of the question that is answered.
        id: String,
        /// The code as typed.
        code: String,
        /// The words of the choices, one for each item in order.
        choices: Vec<String>,
        /// What the person wants the model to know; goes with a no.
        reason: Option<String>,
    },
    /// Asks for the permitted places.
    Places {},
    /// Permits a place for the session.
    Add {
        /// The directory or file.
        path: String,
        /// The code as typed.
        code: String,
    },
    /// Takes a place back.
    Remove {
        /// The directory or file.
        path: String,
    },
}

/// `message` as a line with its end.
pub fn line<T: Serialize>(message: &T) -> String {
    // INVARIANT: the messages hold texts, numbers, lists and objects with text names, which always have a JSON form.
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}
