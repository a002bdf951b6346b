//! Lines from a server: what is admitted and whose it is, and what becomes of noise.
use bytes::Bytes;
use serde_json::Value;

use crate::escape::visible_within;
use crate::session::event::Output;
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Id, Message, Notification, Other, Refused, Response, Side, codes};

use super::Upstream;

/// Members of a notification that name a request: by its id, by its progress token, or by its elicitation.
const NAMES_A_REQUEST: [&str; 3] = ["requestId", "progressToken", "elicitationId"];

/// How much of a line of noise goes into the log.
pub(super) const NOISE: usize = 300;

impl Upstream {
    /// Admits one line and sends what is in it on its way.
    pub fn line(&mut self, turn: &mut Turn, line: Bytes) {
        if self.has_batches && line.trim_ascii_start().first() == Some(&b'[') {
            return match wire::read_batch(line.clone(), Side::Server, &turn.config.limits) {
                Ok(messages) => messages.into_iter().for_each(|message| self.message(turn, message)),
                Err(refused) => self.refuse_line(turn, &line, &refused),
            };
        }
        match self.lines.read(line.clone(), &turn.config.limits) {
            Ok(message) => self.message(turn, message),
            Err(refused) => self.refuse_line(turn, &line, &refused),
        }
    }

    /// Takes a line over the limit, of which only its ends are known.
    pub fn too_long(&mut self, turn: &mut Turn, head: &[u8], tail: &[u8]) {
        let refused = wire::too_long(head, tail, Side::Server, &turn.config.limits);
        self.refuse_line(turn, head, &refused);
    }

    fn message(&mut self, turn: &mut Turn, message: Message) {
        // The client would take it for the gate's: its answer would count as the answer to the gate's question.
        if uses_own_id(turn, &message) {
            turn.log(format!(
                "dropped `{}` of the server's under an id of the gate's",
                visible_within(message.method().unwrap_or(""), NOISE)
            ));
            if let Message::Request(request) = &message {
                self.pass(
                    turn,
                    Other::error(request.id(), codes::INVALID_REQUEST, "callgate refused the request: its id is taken; use another"),
                );
            }
            return;
        }
        match message {
            Message::Response(response) => self.response(turn, response),
            Message::Request(request) => self.request(turn, request),
            Message::Notification(notification) => self.notification(turn, &notification),
        }
    }

    fn response(&mut self, turn: &mut Turn, response: Response) {
        let Some(id) = response.id() else {
            return turn.log("dropped an error of the server's that answers no request");
        };
        match turn.ids.as_request(id) {
            Some(own) => self.page_came(turn, own, &response),
            None => turn.then(Step::FromServer(self.id, response)),
        }
    }

    fn notification(&mut self, turn: &mut Turn, notification: &Notification) {
        if notification.method() == "notifications/tools/list_changed" {
            self.catalogue.list_changed();
        }
        // What the client was never asked for cannot be taken back from it.
        let taken_back =
            notification.param("requestId").filter(|_| notification.method() == "notifications/cancelled").and_then(Id::from_raw);
        if let Some(call) =
            taken_back.and_then(|id| self.undecided.iter().find(|(_, undecided)| undecided.is_request(&id)).map(|(call, _)| *call))
        {
            return turn.then(Step::TakenBack(self.id, call));
        }
        let line = self.progress.shifted(notification).unwrap_or_else(|| notification.bytes().clone());
        turn.output(Output::ToClient(line));
    }

    /// A line that is not admitted never reaches the client. If it was meant as a reply, whoever waits for it is told;
    /// nothing is ever sent back to the server for it.
    fn refuse_line(&mut self, turn: &mut Turn, line: &[u8], refused: &Refused) {
        let shown = visible_within(&String::from_utf8_lossy(line.get(..line.len().min(NOISE * 4)).unwrap_or_default()), NOISE);
        turn.log(format!("not passed on, from the server: {refused}: {shown}"));
        let mut ids: Vec<Id> = refused.responses().cloned().collect();
        if ids.is_empty() && memchr::memmem::find(line, b"\"jsonrpc\"").is_some() && !has_null_id(line) {
            // It claims to be a message and does not say of whom; with a single request open it can only be the reply to that one.
            ids.extend(self.in_flight.only().cloned());
        }
        for id in ids {
            if let Some(own) = turn.ids.as_request(&id) {
                self.listing_failed(turn, own);
            } else if let Some((id, request)) = self.in_flight.take(&id) {
                self.progress.ends(&request);
                let line =
                    wire::error(Some(&id), codes::INTERNAL_ERROR, &format!("the server's reply cannot be passed on: {refused}"), None);
                turn.then(Step::Reply(id, line));
                turn.then(Step::Released);
            }
        }
    }
}

/// Whether a request or notification of a server's stands under an id by which the gate asks the client.
fn uses_own_id(turn: &Turn, message: &Message) -> bool {
    let is_own = |id: Option<Id>| id.is_some_and(|id| turn.ids.is_question(&id));
    match message {
        Message::Request(request) => turn.ids.is_question(request.id()),
        Message::Notification(notification) => {
            NAMES_A_REQUEST.into_iter().any(|name| is_own(notification.param(name).and_then(Id::from_raw)))
        }
        // A reply is not the client's to answer; one to an id that is not the client's is one it does not wait for.
        Message::Response(_) => false,
    }
}

/// Whether a line is a message that says itself that it answers nothing (JSON-RPC 2.0, section 5): the real reply is still to come.
fn has_null_id(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line.trim_ascii()).is_ok_and(|message| message.get("id") == Some(&Value::Null))
}
