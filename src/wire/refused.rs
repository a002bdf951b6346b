//! Lines that are not admitted: the reason, and the ids that can still be answered.
use std::fmt;

use super::codes;
use super::id::Id;

/// A line that goes nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// Why the line was refused.
    pub reason: Reason,
    /// Ids found in the line, so that whoever waits for them can be told. Best effort, at most 256.
    pub salvaged: Vec<Salvaged>,
}

impl Refused {
    /// Ids of requests in the line: its sender waits for answers to them.
    pub fn requests(&self) -> impl Iterator<Item = &Id> {
        self.of_shape(Shape::Request)
    }

    /// Ids of responses in the line: the other side waits for them.
    pub fn responses(&self) -> impl Iterator<Item = &Id> {
        self.of_shape(Shape::Response)
    }

    fn of_shape(&self, shape: Shape) -> impl Iterator<Item = &Id> {
        self.salvaged.iter().filter(move |found| found.shape == shape).map(|found| &found.id)
    }
}

/// An id found in a refused line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// The id as it stood in the refused line.
    pub id: Id,
    /// What the text around it looked like.
    pub shape: Shape,
}

/// What a refused message looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It holds a method (or nothing that says otherwise, from the client).
    Request,
    /// It holds a result or an error (or nothing that says otherwise, from the server).
    Response,
}

/// Why a line is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// More bytes than the limit.
    TooLong { limit: usize },
    /// A line of nothing but blanks.
    Empty,
    /// Not UTF-8; `offset` is the first bad byte.
    NotUtf8 { offset: usize },
    /// Not one JSON value; `offset` is where the grammar breaks.
    NotJson { offset: usize },
    /// More containers open at once than the limit.
    TooDeep { limit: usize },
    /// More values and names than the limit where the gate looks.
    TooMany { limit: usize },
    /// An object holds this member name twice.
    Duplicate { name: String },
    /// A member name that some readers take for `of`, a name the gate reads.
    LookAlike { name: String, of: &'static str },
    /// An array of messages where none is allowed, or an unusable one.
    Array { why: &'static str },
    /// One JSON value, but no object.
    NotAnObject,
    /// The member `jsonrpc` is missing or not `"2.0"`.
    NotJsonRpc,
    /// The members do not make a request, a notification or a response.
    BadShape { why: &'static str },
}

impl Reason {
    /// The error code for it: one for text that is not JSON, another for JSON that is no message.
    pub fn code(&self) -> i64 {
        match self {
            Reason::Empty | Reason::NotUtf8 { .. } | Reason::NotJson { .. } => codes::PARSE_ERROR,
            _ => codes::INVALID_REQUEST,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::TooLong { limit } => write!(to, "the message is longer than {limit} bytes; send less at once or raise the limit"),
            Reason::Empty => to.write_str("the line is blank; send one JSON-RPC message per line"),
            Reason::NotUtf8 { offset } => write!(to, "the message is not UTF-8 at byte {offset}; encode it as UTF-8"),
            Reason::NotJson { offset } => {
                write!(to, "the line is not one JSON value (see byte {offset}); send one JSON-RPC message per line")
            }
            Reason::TooDeep { limit } => write!(to, "the message nests deeper than {limit}; flatten it"),
            Reason::TooMany { limit } => write!(to, "the message holds more than {limit} values; send less at once"),
            Reason::Duplicate { name } => write!(to, "the name `{}` appears twice in one object; send it once", Shown(name)),
            Reason::LookAlike { name, of } => {
                write!(to, "the name `{}` could be read as `{of}`; write it exactly so or choose another name", Shown(name))
            }
            Reason::Array { why } => write!(to, "an array of messages is not accepted: {why}; send each message on its own line"),
            Reason::NotAnObject => to.write_str("the line is JSON but no object; send a JSON-RPC message"),
            Reason::NotJsonRpc => to.write_str("the message has no `\"jsonrpc\": \"2.0\"`; add it"),
            Reason::BadShape { why } => write!(to, "this is no JSON-RPC message: {why}"),
        }
    }
}

/// A name from outside, escaped and cut for display.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 60;
        for char in self.0.chars().take(MOST) {
            match char {
                '`' => to.write_str("\\u{60}")?,
                other => write!(to, "{}", other.escape_default())?,
            }
        }
        match self.0.chars().count().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(to, "… and {more} more characters"),
        }
    }
}
