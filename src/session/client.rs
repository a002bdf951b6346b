//! Messages from the client: what passes, what is a call, what is refused.
use bytes::Bytes;

use crate::policy::{Access, Effect};
use crate::wire::{self, Id, Message, Notification, Refused, Request, Response, Side, codes};

use super::event::Output;
use super::flights::Kind;
use super::machine::Session;

impl Session {
    /// Admits one line and sends what is in it on its way.
    pub(super) fn client_line(&mut self, line: Bytes) {
        if self.handshake.has_batches() && line.trim_ascii_start().first() == Some(&b'[') {
            return match wire::read_batch(line, Side::Client, &self.config.limits) {
                Ok(messages) => self.client_batch(messages),
                Err(refused) => self.refuse_client_line(&refused),
            };
        }
        match wire::read(line, Side::Client, &self.config.limits) {
            Ok(message) => self.client_message(message),
            Err(refused) => self.refuse_client_line(&refused),
        }
    }

    fn client_batch(&mut self, messages: Vec<Message>) {
        let requests = messages.iter().filter_map(|message| match message {
            Message::Request(request) => Some(request.id().clone()),
            Message::Notification(_) | Message::Response(_) => None,
        });
        self.batches.open(requests.collect());
        for message in messages {
            self.client_message(message);
        }
    }

    fn client_message(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.client_request(request),
            Message::Notification(notification) => self.client_notification(notification),
            Message::Response(response) => self.client_response(response),
        }
    }

    /// Answers a line that is not admitted: whoever waits for a reply to it gets an error.
    pub(super) fn refuse_client_line(&mut self, refused: &Refused) {
        self.log(format!("refused a line from the client: {refused}"));
        let code = refused.reason.code();
        let mut answered = false;
        for id in refused.requests().cloned().collect::<Vec<_>>() {
            self.send_client(Some(&id), wire::error(Some(&id), code, &refused.to_string(), None));
            answered = true;
        }
        // A reply of the client's that cannot be read still has to end the server's waiting.
        for id in refused.responses().cloned().collect::<Vec<_>>() {
            answered = true;
            self.fail_server_request(&id, &refused.to_string());
        }
        if !answered {
            self.out.push(Output::ToClient(wire::error(None, code, &refused.to_string(), None)));
        }
    }

    fn fail_server_request(&mut self, id: &Id, why: &str) {
        if !self.asked_by_server.remove(id) {
            return;
        }
        let line = wire::error(Some(id), codes::INVALID_REQUEST, &format!("the client's answer was refused: {why}"), None);
        if let Ok(Message::Response(response)) = wire::read(line, Side::Client, &self.config.limits) {
            self.send_server(response.into());
        }
    }

    fn client_request(&mut self, request: Request) {
        let id = request.id().clone();
        if self.flights.contains(&id) || self.held.values().any(|held| held.id == id) {
            return self.client_error(&id, codes::INVALID_REQUEST, "a request of this id is still open; use a new id");
        }
        if self.server_gone {
            return self.client_error(&id, codes::INTERNAL_ERROR, "the server has ended; restart the session");
        }
        if let Some((code, why)) = self.method_refused(&request) {
            return self.client_error(&id, code, &why);
        }
        let asked_about = self.config.policy.method_action(request.method()).is_some_and(|set| set.value == Effect::Ask);
        match if asked_about { Err(request) } else { request.into_other() } {
            Ok(other) => self.forward_request(id, other),
            Err(request) => match request.into_call() {
                Ok(call) => self.on_call(call),
                Err(bad) => self.client_error(&bad.id, codes::INVALID_PARAMS, &bad.to_string()),
            },
        }
    }

    /// What policy and access level say of a method as such (design 4, Methods).
    fn method_refused(&self, request: &Request) -> Option<(i64, String)> {
        let method = request.method();
        if let Some(set) = self.config.policy.method_action(method) {
            let refused = set.value == Effect::Deny;
            return refused.then(|| (codes::DENIED, format!("callgate refused the method: the policy denies it ({})", set.source)));
        }
        let unknown = !request.is_known() && self.config.access == Access::ReadOnly;
        unknown.then(|| {
            (codes::METHOD_NOT_FOUND, "callgate refused the method: it is in no known revision and access is read_only".to_owned())
        })
    }

    pub(super) fn client_error(&mut self, id: &Id, code: i64, why: &str) {
        self.send_client(Some(id), wire::error(Some(id), code, why, None));
    }

    fn forward_request(&mut self, id: Id, other: wire::Other) {
        let kind = match wire::read(other.bytes().clone(), Side::Client, &self.config.limits) {
            Ok(Message::Request(request)) => self.observe(&request),
            _ => Kind::Other,
        };
        self.flights.sent(id, kind, self.now);
        self.send_server(other);
    }

    fn observe(&mut self, request: &Request) -> Kind {
        match request.method() {
            "initialize" => {
                self.handshake.requested(request);
                Kind::Initialize
            }
            "tools/list" => Kind::ToolsList { first: request.param("cursor").is_none() },
            _ => Kind::Other,
        }
    }

    fn client_notification(&mut self, notification: Notification) {
        let cancels = notification.method() == "notifications/cancelled";
        if cancels && self.cancel_held(&notification) {
            return;
        }
        let sent = notification.param("requestId").filter(|_| cancels).and_then(Id::from_raw);
        self.send_server(notification.into());
        // No reply is owed to a cancelled request; one that comes all the same is passed on.
        if let Some(id) = sent.filter(|id| self.flights.contains(id)) {
            self.flights.take(&id);
            let done = self.batches.forget(&id);
            self.out.extend(done.map(Output::ToClient));
            self.release_waiting();
        }
    }

    /// A held call that is taken back is never sent and gets no reply (MCP, basic/utilities/cancellation).
    fn cancel_held(&mut self, notification: &Notification) -> bool {
        let Some(raw) = notification.param("requestId") else { return false };
        let Some(id) = Id::from_raw(raw) else { return false };
        let Some(ticket) = self.held.iter().find(|(_, held)| held.id == id).map(|(ticket, _)| *ticket) else { return false };
        self.give_up(ticket);
        true
    }

    fn client_response(&mut self, response: Response) {
        let Some(id) = response.id().cloned() else {
            return self.log("dropped an error of the client's that answers no request");
        };
        if self.is_client_reply_ours(&id) {
            return self.on_elicited(&id, &response);
        }
        if self.asked_by_server.remove(&id) {
            return self.send_server(response.into());
        }
        self.log(format!("dropped a reply of the client's to no request of the server's: {}", id.raw()));
    }

    /// The client is gone: what would have to be asked of it cannot be; what needs nobody goes on to its end.
    pub(super) fn on_client_closed(&mut self) {
        self.client_gone = true;
        let asking: Vec<_> = self.held.iter().filter(|(_, held)| held.waits_for_a_person()).map(|(ticket, _)| *ticket).collect();
        for ticket in asking {
            self.give_up(ticket);
        }
        self.close_server_when_done();
    }

    pub(super) fn close_server_when_done(&mut self) {
        if self.client_gone && self.held.is_empty() {
            self.out.push(Output::CloseServer);
        }
    }
}
