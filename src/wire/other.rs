//! Messages that are no call: what may pass without a decision of the gate, by method.
use bytes::Bytes;
use serde_json::{Value, json};

use super::id::Id;
use super::message::{Message, Notification, Request, Response};
use super::read::Side;
use super::reply::error;
use super::splice::{elements, members};

/// A message that is not a call. The door to an upstream takes one only because the session passed it on purpose.
#[derive(Debug, Clone)]
pub struct Other {
    bytes: Bytes,
    from: Side,
}

impl Other {
    /// The admitted bytes, without a line end.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Which side of the gate the message came from.
    pub fn from(&self) -> Side {
        self.from
    }
}

/// Messages of the gate's own making for a server: none of them can be a call.
impl Other {
    /// Asks for a page of the tools.
    pub fn tools_list(id: u64, params: &Value) -> Self {
        Self::own(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params }).to_string().into())
    }

    /// Takes a request back.
    pub fn cancelled(id: &Id, why: &str) -> Self {
        let (id, why) = (id.raw(), Value::from(why));
        Self::own(format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"reason":{why},"requestId":{id}}}}}"#).into())
    }

    /// Answers a request of the server's with an error.
    pub fn error(id: &Id, code: i64, why: &str) -> Self {
        Self::own(error(Some(id), code, why, None))
    }

    const fn own(bytes: Bytes) -> Self {
        Self { bytes, from: Side::Client }
    }
}

/// Requests that always go through the gate, in every known revision.
const GATED: [&str; 9] = [
    "tools/call",
    "resources/read",
    "resources/subscribe",
    "prompts/get",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
    "tasks/update",
];

/// The other requests of the known revisions.
const FREE: [&str; 11] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/unsubscribe",
    "prompts/list",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
];

impl Request {
    /// Whether some known revision of the protocol has this client request.
    pub fn is_known(&self) -> bool {
        GATED.contains(&self.method()) || FREE.contains(&self.method())
    }

    /// Whether the gate must judge it: it names something that is read or run. A subscription to named resources counts as `resources/subscribe`.
    pub fn is_gated(&self) -> bool {
        let names = |name: &&str| self.param(name).is_some();
        match self.method() {
            _ if self.from() == Side::Server => false,
            method if GATED.contains(&method) => true,
            "subscriptions/listen" => self.param("notifications").is_some_and(subscribes),
            method if FREE.contains(&method) => names(&"task"),
            _ => ["name", "uri", "path", "task"].iter().any(names),
        }
    }

    /// Whether a request that needs no decision elsewhere may all the same name a place, which matters where nothing outside may even be
    /// looked at: a completion says what lies there, and a list may read members that no revision knows.
    pub fn may_name_a_place(&self) -> bool {
        const LISTS: [&str; 4] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
        let is_plain = |name: &str| matches!(name, "cursor" | "_meta");
        match self.method() {
            "completion/complete" => true,
            method if LISTS.contains(&method) => self.params().is_some_and(|params| members(params).any(|(name, ..)| !is_plain(&name))),
            _ => false,
        }
    }

    /// Passes a request that needs no decision.
    ///
    /// # Errors
    /// The request itself when the gate must judge it.
    pub fn into_other(self) -> Result<Other, Request> {
        if self.is_gated() {
            return Err(self);
        }
        Ok(Other { bytes: self.bytes().clone(), from: self.from() })
    }
}

/// Whether a listening filter names resources. Anything but an empty array counts.
fn subscribes(filter: &[u8]) -> bool {
    let named = |range| filter.get(range).is_some_and(|list: &[u8]| list.first() != Some(&b'[') || elements(list).next().is_some());
    members(filter).any(|(name, _, value)| name == "resourceSubscriptions" && named(value))
}

impl From<Notification> for Other {
    fn from(notification: Notification) -> Self {
        Self { bytes: notification.bytes().clone(), from: notification.from() }
    }
}

impl From<Response> for Other {
    fn from(response: Response) -> Self {
        Self { bytes: response.bytes().clone(), from: response.from() }
    }
}

impl Message {
    /// Passes a message that needs no decision.
    ///
    /// # Errors
    /// The request when the gate must judge it.
    pub fn into_other(self) -> Result<Other, Request> {
        match self {
            Message::Request(request) => request.into_other(),
            Message::Notification(notification) => Ok(notification.into()),
            Message::Response(response) => Ok(response.into()),
        }
    }
}
