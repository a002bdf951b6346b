//! The way in: one line of bytes becomes one message, or a refusal that names its reason.
use std::ops::Range;

use bytes::Bytes;

use super::id::Id;
use super::message::{Message, Notification, Parts, Request, Response};
use super::refused::{Reason, Refused};
use super::salvage::{salvage, salvage_tail};
use super::scan::{Layout, find, scan};
use super::splice::elements;
use super::text::exact;

/// Who sent a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The client: the line may go to a server.
    Client,
    /// The server: the line may go to the client.
    Server,
}

/// Bounds of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a line.
    pub bytes: usize,
    /// Most containers open at once; values above 2,048 count as 2,048, so that trees built from a message can be dropped safely.
    pub depth: usize,
    /// Most values and member names in the parts that the gate looks into; bounds what a tree built from the message can take.
    pub values: usize,
}

const DEEPEST: usize = 2_048;

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 512, values: 1 << 20 }
    }
}

/// Reads one line, and admits only what every reader behind the gate reads in the same way.
///
/// Kept byte for byte, except that a leading byte-order mark and surrounding blanks go and raw line breaks between tokens become blanks:
/// a server that splits its input at `\r` would otherwise see other messages than the gate did.
///
/// Member names: in a line from the client no object at any depth may repeat one, and at the places the gate reads none may differ from a
/// name it reads only by case or escapes. In a line from the server the same holds where the gate reads (the message, `params` at any
/// depth, the members of `result`, and the insides of its `tools`, `inputRequests`, `_meta`, `task`, `capabilities`, `serverInfo`); what
/// tools return as data is the client's business and passes as it is.
///
/// # Errors
/// [`Refused`] with the first reason found and the ids that can still be answered.
pub fn read(line: Bytes, from: Side, limits: &Limits) -> Result<Message, Refused> {
    if line.len() > limits.bytes {
        return Err(too_long(&line, &line, from, limits));
    }
    read_one(&line, from, limits).map_err(|reason| Refused { salvaged: salvage(&line, from), reason })
}

/// Reads a batch of a session at 2025-03-26, the one revision that has them; each element is a message with its own bytes. A line that is
/// no array is read as one message.
///
/// # Errors
/// As [`read`], for the whole line; also for an empty array and for one that holds `initialize`, which that revision forbids.
pub fn read_batch(line: Bytes, from: Side, limits: &Limits) -> Result<Vec<Message>, Refused> {
    if trim(&line).first() != Some(&b'[') || line.len() > limits.bytes {
        return read(line, from, limits).map(|message| vec![message]);
    }
    read_many(&line, from, limits).map_err(|reason| Refused { salvaged: salvage(&line, from), reason })
}

/// The refusal of a line longer than the limit, of which the caller kept the beginning and the end.
pub fn too_long(head: &[u8], tail: &[u8], from: Side, limits: &Limits) -> Refused {
    let mut salvaged = salvage(head, from);
    if salvaged.is_empty() {
        salvaged.extend(salvage_tail(tail, head, from));
    }
    Refused { reason: Reason::TooLong { limit: limits.bytes }, salvaged }
}

fn read_many(line: &Bytes, from: Side, limits: &Limits) -> Result<Vec<Message>, Reason> {
    let trimmed = line.slice_ref(trim(line));
    check_utf8(&trimmed)?;
    scan(&trimmed, from, limits.depth.min(DEEPEST), limits.values)?;
    let mut messages = Vec::new();
    for range in elements(&trimmed) {
        let element = trimmed.slice(range);
        if trim(&element).first() == Some(&b'[') {
            return Err(Reason::Array { why: "it holds another array" });
        }
        let message = read_one(&element, from, limits)?;
        if message.method() == Some("initialize") {
            return Err(Reason::Array { why: "`initialize` may not be part of a batch" });
        }
        messages.push(message);
    }
    if messages.is_empty() { Err(Reason::Array { why: "it is empty" }) } else { Ok(messages) }
}

fn read_one(line: &Bytes, from: Side, limits: &Limits) -> Result<Message, Reason> {
    let trimmed = line.slice_ref(trim(line));
    match trimmed.first() {
        None => return Err(Reason::Empty),
        Some(b'[') => return Err(Reason::Array { why: "batches exist only in revision 2025-03-26" }),
        _ => {}
    }
    check_utf8(&trimmed)?;
    let layout = scan(&trimmed, from, limits.depth.min(DEEPEST), limits.values)?;
    if trimmed.first() != Some(&b'{') {
        return Err(Reason::NotAnObject);
    }
    let bytes = if layout.breaks { without_breaks(&trimmed) } else { trimmed };
    classify(bytes, layout, from)
}

fn check_utf8(line: &[u8]) -> Result<(), Reason> {
    std::str::from_utf8(line).map(|_| ()).map_err(|error| Reason::NotUtf8 { offset: error.valid_up_to() })
}

/// The line without a leading byte-order mark and surrounding blanks (those of JSON, no others).
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    line.get(start..end).unwrap_or_default()
}

/// Blanks for line breaks. Only those between tokens exist: inside a string the grammar refuses them.
fn without_breaks(line: &[u8]) -> Bytes {
    line.iter().map(|&byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte }).collect()
}

fn classify(bytes: Bytes, layout: Layout, from: Side) -> Result<Message, Reason> {
    let top = |name: &str| find(&bytes, &layout.top, name);
    if top("jsonrpc").and_then(|range| bytes.get(range)) != Some(b"\"2.0\"") {
        return Err(Reason::NotJsonRpc);
    }
    let id = id(&bytes, top("id"))?;
    if !matches!(first(&bytes, top("params")), None | Some(b'{' | b'[' | b'n')) {
        return Err(Reason::BadShape { why: "`params` must be an object or an array" });
    }
    let (result, error) = (top("result"), top("error"));
    match top("method") {
        Some(range) => {
            if result.is_some() || error.is_some() {
                return Err(Reason::BadShape { why: "it holds a `method` and also a `result` or an `error`" });
            }
            let method = bytes.get(range).and_then(exact).map(|method| method.into_owned());
            let Some(method) = method else { return Err(Reason::BadShape { why: "`method` must be a plain string" }) };
            call_like(Parts { bytes, layout: Box::new(layout), from }, method, id)
        }
        None => answer(Parts { bytes, layout: Box::new(layout), from }, id, result, error),
    }
}

/// The id: absent, `null`, or a string or number.
enum Given {
    Absent,
    Null,
    Id(Id),
}

fn id(bytes: &Bytes, range: Option<Range<usize>>) -> Result<Given, Reason> {
    let Some(raw) = range.and_then(|range| bytes.get(range)) else { return Ok(Given::Absent) };
    match Id::from_raw(raw) {
        Some(id) => Ok(Given::Id(id)),
        None if raw == b"null" => Ok(Given::Null),
        None => Err(Reason::BadShape { why: "`id` must be a string or a number" }),
    }
}

fn first(bytes: &Bytes, range: Option<Range<usize>>) -> Option<u8> {
    bytes.get(range?.start).copied()
}

fn call_like(parts: Parts, method: String, id: Given) -> Result<Message, Reason> {
    match id {
        Given::Id(id) => Ok(Message::Request(Request { parts, method, id })),
        Given::Null => Err(Reason::BadShape { why: "the `id` of a request must not be null" }),
        // A server that runs a method without asking for an id would run it ungated.
        Given::Absent if parts.from == Side::Client && !method.starts_with("notifications/") => {
            Err(Reason::BadShape { why: "a request needs an `id`, and a notification's method begins with `notifications/`" })
        }
        Given::Absent => Ok(Message::Notification(Notification { parts, method })),
    }
}

fn answer(parts: Parts, id: Given, result: Option<Range<usize>>, error: Option<Range<usize>>) -> Result<Message, Reason> {
    let null = |range: &Range<usize>| parts.bytes.get(range.clone()) == Some(b"null");
    // Sloppy peers send `"error": null` beside a result, or the reverse; the null one does not count.
    let (result, error) = match (result, error) {
        (Some(result), Some(error)) if null(&error) => (Some(result), None),
        (Some(result), Some(error)) if null(&result) => (None, Some(error)),
        (Some(_), Some(_)) => return Err(Reason::BadShape { why: "it holds both a `result` and an `error`" }),
        (None, None) => return Err(Reason::BadShape { why: "it holds no `method`, no `result` and no `error`" }),
        other => other,
    };
    if error.is_some() && first(&parts.bytes, error.clone()) != Some(b'{') {
        return Err(Reason::BadShape { why: "`error` must be an object" });
    }
    let id = match id {
        Given::Id(id) => Some(id),
        // JSON-RPC 2.0 section 5: an error about a message whose id could not be read.
        _ if error.is_some() => None,
        _ => return Err(Reason::BadShape { why: "a `result` needs the `id` of its request" }),
    };
    Ok(Message::Response(Response { parts, id, result, error }))
}
