//! Messages from the server: replies to what was forwarded, its own requests, its notifications, its noise.
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::escape::visible_within;
use crate::policy::{Access, Effect, Identity, ServerRequest};
use crate::wire::{self, Id, Message, Notification, Refused, Request, Response, Side, codes};

use super::event::Output;
use super::flights::{Flight, Kind, Sent};
use super::listing::MOST_PAGES;
use super::machine::Session;
use super::refusal::RefusalReason;
use super::seal::{Phase, State};

/// How much of a line of noise goes into the log.
const NOISE: usize = 300;
/// The answer to a request that the policy does not let a server make.
const NOT_ASKED: &str = "callgate refused the request: the policy does not let this server ask the client for it";

impl Session {
    /// Admits one line and sends what is in it on its way.
    pub(super) fn server_line(&mut self, line: Bytes) {
        if self.handshake.has_batches() && line.trim_ascii_start().first() == Some(&b'[') {
            return match wire::read_batch(line.clone(), Side::Server, &self.config.limits) {
                Ok(messages) => messages.into_iter().for_each(|message| self.server_message(message)),
                Err(refused) => self.refuse_server_line(&line, &refused),
            };
        }
        match self.server_lines.read(line.clone(), &self.config.limits) {
            Ok(message) => self.server_message(message),
            Err(refused) => self.refuse_server_line(&line, &refused),
        }
    }

    fn server_message(&mut self, message: Message) {
        match message {
            Message::Response(response) => self.server_response(response),
            Message::Request(request) => self.server_request(&request),
            Message::Notification(notification) => self.server_notification(&notification),
        }
    }

    /// A line that is not admitted never reaches the client. If it was meant as a reply, whoever waits for it is told;
    /// nothing is ever sent back to the server for it.
    pub(super) fn refuse_server_line(&mut self, line: &[u8], refused: &Refused) {
        let shown = visible_within(&String::from_utf8_lossy(line.get(..line.len().min(NOISE * 4)).unwrap_or_default()), NOISE);
        self.log(format!("not passed on, from the server: {refused}: {shown}"));
        let mut ids: Vec<Id> = refused.responses().cloned().collect();
        if ids.is_empty() && memchr::memmem::find(line, b"\"jsonrpc\"").is_some() {
            // It claims to be a message; with a single request open it can only be the reply to that one.
            ids.extend(self.flights.only().cloned());
        }
        for id in ids {
            if let Some(own) = self.server_reply_ours(&id) {
                self.fetch_failed(own);
            } else if let Some((id, _)) = self.flights.take(&id) {
                self.client_error(&id, codes::INTERNAL_ERROR, &format!("the server's reply cannot be passed on: {refused}"));
                self.release_waiting();
            }
        }
    }

    fn server_response(&mut self, response: Response) {
        let Some(id) = response.id().cloned() else {
            return self.log("dropped an error of the server's that answers no request");
        };
        if let Some(own) = self.server_reply_ours(&id) {
            return self.fetched(own, &response);
        }
        if self.held.values().any(|held| held.id == id) {
            return self.log(format!("dropped a reply of the server's to a call it was not sent: {}", id.raw()));
        }
        let Some((own, flight)) = self.flights.take(&id) else {
            // The late reply to a cancelled call: clients ignore it, as the specification says.
            return self.out.push(Output::ToClient(response.bytes().clone()));
        };
        if let Kind::Call(sent) = &flight.kind
            && let Some(token) = &sent.moved
        {
            self.progress_offsets.remove(token);
        }
        let line = self.reply_for_client(&response, &flight);
        let line = if own.raw() == id.raw() { line } else { with_id(&line, &own, &self.config.limits) };
        self.send_client(Some(&own), line);
        self.release_waiting();
    }

    fn reply_for_client(&mut self, response: &Response, flight: &Flight) -> Bytes {
        let line = response.bytes().clone();
        if let Some(method) = self.refused_input(response) {
            self.log(format!("refused `{}` of the server's", visible_within(&method, NOISE)));
            return wire::error(response.id(), codes::DENIED, NOT_ASKED, None);
        }
        match (&flight.kind, response.result()) {
            (Kind::Initialize, Some(result)) => {
                if let Some(name) = self.handshake.agreed(result) {
                    // A claim: it only helps where neither the command line nor the policy says which server this is.
                    let server = self.config.server.clone();
                    Arc::make_mut(&mut self.config.policy).identify(&server, &[name], Identity::Claimed);
                }
                line
            }
            (Kind::ToolsList { first }, Some(result)) => {
                self.catalogue.page(result, *first);
                self.permitted_tools(response)
            }
            (Kind::Call(sent), Some(_)) if !sent.answers.is_empty() => self.carry_approval(response, sent),
            _ => line,
        }
    }

    /// What an `input_required` asks of the client although the policy does not let this server ask for it.
    fn refused_input(&self, response: &Response) -> Option<String> {
        response.result_member("resultType").filter(|kind| *kind == b"\"input_required\"")?;
        let (requests, _) = wire::decode(response.result_member("inputRequests")?);
        let mut methods = requests.as_object()?.values().filter_map(|request| request.get("method")?.as_str());
        let refused = |kind| self.config.policy.server_request_action(kind) != Effect::Allow;
        methods.find(|method| ServerRequest::from_method(method).is_some_and(refused)).map(str::to_owned)
    }

    /// Cuts the tools that the access level forbids out of a list.
    fn permitted_tools(&self, response: &Response) -> Bytes {
        let line = response.bytes();
        let Some(range) = response.result_range("tools").filter(|_| self.config.access == Access::ReadOnly) else { return line.clone() };
        if line.get(range.start) != Some(&b'[') {
            return line.clone();
        }
        wire::retain(line, range, |tool| self.is_permitted(tool))
    }

    fn is_permitted(&self, tool: &[u8]) -> bool {
        let definition = crate::analyse::Definition::from_value(wire::decode(tool).0);
        let settings = self.config.policy.tool(&self.config.server, &definition.name);
        let trusted = self.config.policy.trusts_annotations(&self.config.server);
        let capability = crate::gate::capability(&settings, Some(&definition.hints), trusted);
        let some_calls = self.config.policy.depends_on_arguments(&self.config.server, &definition.name);
        some_calls || crate::gate::objection(self.config.access, &capability).is_none()
    }

    /// The upstream wants something of its own before it goes on with a call that a person allowed: its state is wrapped, so that
    /// the approval survives the round trip and the upstream gets its state back byte for byte.
    fn carry_approval(&mut self, response: &Response, sent: &Sent) -> Bytes {
        let line = response.bytes().clone();
        if response.result_member("resultType") != Some(b"\"input_required\"") {
            return line;
        }
        let state = response.result_member("requestState").map(|raw| wire::decode(raw).0);
        let upstream = state.as_ref().and_then(Value::as_str).map(str::to_owned);
        let lifetime = std::time::Duration::from_secs(3600);
        let phase = Phase::Allowed(sent.answers.grants.clone());
        let state = State { nonce: 0, phase, upstream, scripts: sent.answers.scripts.clone(), since: self.now };
        let Some(sealed) = self.seal.seal(state, &sent.bound, lifetime) else { return line };
        let sealed = Value::String(sealed).to_string();
        match response.result_range("requestState") {
            Some(range) => wire::replace(&line, range, sealed.as_bytes()),
            None => match response.whole_result_range() {
                Some(object) => wire::insert(&line, object, "requestState", sealed.as_bytes()),
                None => line,
            },
        }
    }

    fn server_request(&mut self, request: &Request) {
        let kind = ServerRequest::from_method(request.method());
        let action = kind.map_or(Effect::Allow, |kind| self.config.policy.server_request_action(kind));
        let id = request.id().clone();
        if action == Effect::Allow && !self.client_gone {
            self.asked_by_server.insert(id);
            return self.out.push(Output::ToClient(request.bytes().clone()));
        }
        self.log(format!("refused `{}` of the server's", visible_within(request.method(), NOISE)));
        let line = wire::error(Some(&id), codes::DENIED, NOT_ASKED, None);
        if let Ok(Message::Response(reply)) = wire::read(line, Side::Client, &self.config.limits) {
            self.send_server(reply.into());
        }
    }

    fn server_notification(&mut self, notification: &Notification) {
        if notification.method() == "notifications/tools/list_changed" {
            self.catalogue.list_changed();
        }
        let line = self.shifted_progress(notification).unwrap_or_else(|| notification.bytes().clone());
        self.out.push(Output::ToClient(line));
    }

    /// Progress must rise (MCP, basic/utilities/progress): where the gate has sent signs of life for a token, the upstream's own
    /// values are moved above them.
    fn shifted_progress(&self, notification: &Notification) -> Option<Bytes> {
        if self.progress_offsets.is_empty() || notification.method() != "notifications/progress" {
            return None;
        }
        let offset = self.progress_offsets.get(notification.param("progressToken")?)?;
        let mut line = notification.bytes().clone();
        for name in ["total", "progress"] {
            let Some(range) = shiftable(&line, name, &self.config.limits) else { continue };
            let value: f64 = std::str::from_utf8(line.get(range.clone())?).ok()?.parse().ok()?;
            line = wire::replace(&line, range, (value + offset).to_string().as_bytes());
        }
        Some(line)
    }

    // --- the gate's own listing

    fn fetched(&mut self, own: u64, response: &Response) {
        let Some(fetch) = self.fetch.as_ref().filter(|fetch| fetch.id == own) else { return };
        let first = fetch.cursors.is_empty();
        let Some(result) = response.result() else { return self.fetch_failed(own) };
        let (seen, meta) = (fetch.cursors.clone(), fetch.meta.clone());
        match self.catalogue.page(result, first) {
            // Past that, or when a cursor comes again, the list is taken as it is.
            Some(cursor) if seen.len() < MOST_PAGES && !seen.contains(&cursor) => self.fetch_page(Some(cursor), meta),
            Some(_) => {
                self.log("the server's tool list does not end; the pages seen so far count");
                self.catalogue.give_up();
                self.listed();
            }
            None => self.listed(),
        }
    }

    pub(super) fn fetch_failed(&mut self, own: u64) {
        if self.fetch.as_ref().is_some_and(|fetch| fetch.id == own) {
            self.log("the server did not list its tools; calls of tools it has not listed are refused");
            self.catalogue.give_up();
            self.listed();
        }
    }

    /// The server is gone: everything that waits for it, or would go to it, ends with an error.
    pub(super) fn on_server_closed(&mut self, how: &str) {
        self.server_gone = true;
        let why = format!("the server ended ({how}) before it replied");
        for id in self.flights.drain() {
            self.client_error(&id, codes::INTERNAL_ERROR, &why);
        }
        for ticket in self.held.keys().copied().collect::<Vec<_>>() {
            if let Some(held) = self.end_held(ticket, RefusalReason::ServerGone) {
                self.client_error(&held.id, codes::INTERNAL_ERROR, &why);
            }
        }
        self.fetch = None;
    }
}

fn with_id(line: &Bytes, own: &Id, limits: &wire::Limits) -> Bytes {
    let Ok(Message::Response(response)) = wire::read(line.clone(), Side::Server, limits) else { return line.clone() };
    response.id_range().map_or_else(|| line.clone(), |range| wire::replace(line, range, own.raw().as_bytes()))
}

fn shiftable(line: &Bytes, name: &str, limits: &wire::Limits) -> Option<std::ops::Range<usize>> {
    match wire::read(line.clone(), Side::Server, limits).ok()? {
        Message::Notification(notification) => notification.param_range(name),
        _ => None,
    }
}
