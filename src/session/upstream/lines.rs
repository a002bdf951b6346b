//! Lines from a server: what is admitted and whose it is, and what becomes of noise.
use bytes::Bytes;

use crate::escape::visible_within;
use crate::session::event::Output;
use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{self, Id, Message, Notification, Refused, Response, Side, codes};

use super::Upstream;

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
        if ids.is_empty() && memchr::memmem::find(line, b"\"jsonrpc\"").is_some() {
            // It claims to be a message; with a single request open it can only be the reply to that one.
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
