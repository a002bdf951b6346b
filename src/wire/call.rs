//! The call: a request the gate judges, with its arguments decoded and its bytes as they came.
use std::borrow::Cow;

use bytes::Bytes;
use serde_json::{Value, json};

use super::decode::decode;
use super::digest::{APART, digest};
use super::id::Id;
use super::message::{Message, Request};
use super::read::{Limits, Side, read};
use super::splice::{Edit, edit_members, members, replace, with_member};
use super::text::{exact, quoted};

/// A request that the gate judges. Made only here, from a [`Request`]; private fields keep it what it was read as.
#[derive(Debug, Clone)]
pub struct Call {
    request: Request,
    tool: String,
    arguments: Value,
    lossy: bool,
}

/// A request that looks like a call but cannot be judged; its sender gets an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the call cannot be judged: {why}")]
pub struct BadCall {
    /// The id of the request that is to be answered with the error.
    pub id: Id,
    /// What is wrong and what to do.
    pub why: &'static str,
}

impl Request {
    /// Makes it a call.
    ///
    /// # Errors
    /// [`BadCall`] when `params` is no object where the method needs one, `params.name` is no exact string for `tools/call` and
    /// `prompts/get`, or their `arguments` is neither an object nor null.
    pub fn into_call(self) -> Result<Call, BadCall> {
        let why = match shape(&self) {
            Ok((tool, arguments)) => {
                let (arguments, lossy) = decode(&arguments);
                return Ok(Call { request: self, tool, arguments, lossy });
            }
            Err(why) => why,
        };
        Err(BadCall { id: self.id, why })
    }
}

fn is_named(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get")
}

/// The tool's name and the raw arguments.
fn shape(request: &Request) -> Result<(String, Cow<'_, [u8]>), &'static str> {
    let params = request.params().unwrap_or(b"null");
    if !is_named(request.method()) {
        let known = request.is_known() && params.first() != Some(&b'{');
        if known {
            return Err("`params` must be an object; send one");
        }
        return Ok((request.method().to_owned(), Cow::Owned(without_apart(params))));
    }
    if params.first() != Some(&b'{') {
        return Err("`params` must be an object with a `name`; send one");
    }
    let Some(name) = request.param("name").and_then(exact) else {
        return Err("`params.name` must be a string without lone surrogates; name the tool so");
    };
    let arguments = request.param("arguments").unwrap_or(b"null");
    match arguments.first() {
        Some(b'{' | b'n') => Ok((name.into_owned(), Cow::Borrowed(arguments))),
        _ => Err("`params.arguments` must be an object; send one"),
    }
}

fn without_apart(params: &[u8]) -> Vec<u8> {
    edit_members(params, |name, _| if APART.contains(&name) { Edit::Drop } else { Edit::Keep })
}

impl Call {
    /// A call of our own making, for judging without a session.
    ///
    /// # Errors
    /// [`BadCall`] when the arguments are neither an object nor null, or nest too deep to be admitted.
    pub fn synthetic(tool: &str, arguments: &Value) -> Result<Call, BadCall> {
        let line = json!({
            "jsonrpc": "2.0", "id": "check", "method": "tools/call", "params": { "name": tool, "arguments": arguments }
        });
        admit(line.to_string().into(), &Id::text("check"))
    }

    /// `tools/call`, or the method of a request that is judged like one; escapes decoded.
    pub fn method(&self) -> &str {
        self.request.method()
    }

    /// `params.name` of `tools/call` and `prompts/get`; the method of every other request.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// `params.name` of a method that is neither: a server that knows the method may take it for a tool's.
    pub fn claimed_tool(&self) -> Option<Cow<'_, str>> {
        self.request.param("name").filter(|_| !is_named(self.method())).and_then(exact)
    }

    /// `params.arguments` of `tools/call` and `prompts/get` (null when absent); of every other request its `params` without `_meta`,
    /// `inputResponses` and `requestState`.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// Something in the arguments could not be decoded exactly (see [`decode`]): they must not be relied on to allow the call.
    pub fn lossy(&self) -> bool {
        self.lossy
    }

    /// The arguments as they were sent: `params.arguments`, or `params` for methods without it; `null` when absent.
    pub fn raw_arguments(&self) -> &str {
        let raw = if is_named(self.method()) { self.request.param("arguments") } else { self.request.params() };
        // INVARIANT: admitted bytes are UTF-8.
        raw.and_then(|raw| std::str::from_utf8(raw).ok()).unwrap_or("null")
    }

    /// The request's id, by which it is answered.
    pub fn id(&self) -> &Id {
        self.request.id()
    }

    /// The admitted bytes, without a line end.
    pub fn bytes(&self) -> &Bytes {
        self.request.bytes()
    }

    /// The raw member of `params` with this decoded name.
    pub fn param(&self, name: &str) -> Option<&[u8]> {
        self.request.param(name)
    }

    /// The bytes of `params._meta`; nothing if the call has none.
    pub fn meta_raw(&self) -> Option<&[u8]> {
        self.request.meta()
    }

    /// Raw `params._meta.progressToken`, when it is a string or number.
    pub fn progress_token(&self) -> Option<&[u8]> {
        self.request.meta_member("progressToken").filter(|raw| Id::from_raw(raw).is_some())
    }

    /// The protocol revision a modern request names in its `_meta`.
    pub fn protocol_version(&self) -> Option<Cow<'_, str>> {
        self.request.meta_member("io.modelcontextprotocol/protocolVersion").and_then(exact)
    }

    /// The raw client capabilities a modern request names in its `_meta`.
    pub fn client_capabilities(&self) -> Option<&[u8]> {
        self.request.meta_member("io.modelcontextprotocol/clientCapabilities")
    }

    /// Raw `params.inputResponses` of a retry.
    pub fn input_responses(&self) -> Option<&[u8]> {
        self.request.param("inputResponses")
    }

    /// `params.requestState` of a retry, when it is an exact string.
    pub fn request_state(&self) -> Option<Cow<'_, str>> {
        self.request.param("requestState").and_then(exact)
    }

    /// What an approval is bound to: see [`digest`].
    pub fn digest(&self) -> String {
        digest(self.method(), self.request.params().unwrap_or_default())
    }

    /// The request's bytes for the upstream on a retry: without the named members of `inputResponses` (and without it when nothing
    /// remains), and with `requestState` exchanged, or removed for `None`.
    pub fn without_own_keys(&self, responses: &[&str], new_state: Option<&str>) -> Bytes {
        let Some(params) = self.request.params_range() else { return self.bytes().clone() };
        let text = self.request.params().unwrap_or_default();
        let mut text = edit_members(text, |name, value| match name {
            "inputResponses" => without_responses(value, responses),
            "requestState" if new_state.is_none() => Edit::Drop,
            _ => Edit::Keep,
        });
        if let Some(state) = new_state {
            text = with_member(&text, "requestState", &quoted(state));
        }
        replace(self.bytes(), params, &text)
    }

    /// The call with some strings of its arguments exchanged, each named by a JSON pointer (RFC 6901) into [`Self::raw_arguments`].
    ///
    /// # Errors
    /// [`BadCall`] when a pointer names no string of the arguments.
    pub fn with_arguments_spliced(&self, changes: &[(&str, &str)]) -> Result<Call, BadCall> {
        let mut call = self.clone();
        for (pointer, text) in changes {
            let bad = || BadCall { id: self.id().clone(), why: "a rewritten argument is not where it was; report this" };
            let range = call.string_at(pointer).ok_or_else(bad)?;
            call = admit(replace(call.bytes(), range, &quoted(text)), self.id())?;
        }
        Ok(call)
    }

    /// Where in the bytes the string literal is that `pointer` names.
    fn string_at(&self, pointer: &str) -> Option<std::ops::Range<usize>> {
        let mut range = if is_named(self.method()) { self.request.param_range("arguments") } else { self.request.params_range() }?;
        for step in pointer.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            let inside = child(self.bytes().get(range.clone())?, &name)?;
            range = range.start + inside.start..range.start + inside.end;
        }
        (self.bytes().get(range.start) == Some(&b'"')).then_some(range)
    }
}

fn child(container: &[u8], name: &str) -> Option<std::ops::Range<usize>> {
    if container.first() == Some(&b'[') {
        return super::splice::elements(container).nth(name.parse().ok()?);
    }
    members(container).find(|(member, ..)| member == name).map(|(.., value)| value)
}

fn without_responses(value: &[u8], responses: &[&str]) -> Edit {
    let rest = edit_members(value, |name, _| if responses.contains(&name) { Edit::Drop } else { Edit::Keep });
    let emptied = members(&rest).next().is_none() && members(value).next().is_some();
    if emptied { Edit::Drop } else { Edit::Value(rest) }
}

/// Reads bytes of our own making the way a client's line is read.
fn admit(line: Bytes, id: &Id) -> Result<Call, BadCall> {
    let limits = Limits { bytes: usize::MAX, ..Limits::default() };
    match read(line, Side::Client, &limits) {
        Ok(Message::Request(request)) => request.into_call(),
        _ => Err(BadCall { id: id.clone(), why: "its arguments cannot be sent as one message; send fewer or flatter ones" }),
    }
}
