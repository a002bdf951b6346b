//! The three kinds of admitted message, each a view of its own bytes.
use std::ops::Range;

use bytes::Bytes;

use super::id::Id;
use super::read::Side;
use super::scan::{Layout, find};
use super::splice::replace_all;

/// What every message keeps.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub bytes: Bytes,
    pub layout: Box<Layout>,
    pub from: Side,
}

impl Parts {
    pub(super) fn raw(&self, range: Option<Range<usize>>) -> Option<&[u8]> {
        self.bytes.get(range?)
    }

    pub(super) fn param_range(&self, name: &str) -> Option<Range<usize>> {
        find(&self.bytes, &self.layout.params, name)
    }

    pub(super) fn param(&self, name: &str) -> Option<&[u8]> {
        self.raw(self.param_range(name))
    }

    pub(super) fn meta(&self, name: &str) -> Option<&[u8]> {
        self.raw(find(&self.bytes, &self.layout.meta, name))
    }
}

/// A message that passed admission: one JSON-RPC object that every reader reads alike.
#[derive(Debug, Clone)]
pub enum Message {
    /// Has a method and an id, and wants an answer.
    Request(Request),
    /// Has a method and no id, and wants none.
    Notification(Notification),
    /// Has no method: a result or an error.
    Response(Response),
}

impl Message {
    /// The admitted bytes, without a line end.
    pub fn bytes(&self) -> &Bytes {
        match self {
            Message::Request(request) => request.bytes(),
            Message::Notification(notification) => notification.bytes(),
            Message::Response(response) => response.bytes(),
        }
    }

    /// The id, where there is one.
    pub fn id(&self) -> Option<&Id> {
        match self {
            Message::Request(request) => Some(request.id()),
            Message::Notification(_) => None,
            Message::Response(response) => response.id(),
        }
    }

    /// The decoded method of a request or notification.
    pub fn method(&self) -> Option<&str> {
        match self {
            Message::Request(request) => Some(request.method()),
            Message::Notification(notification) => Some(notification.method()),
            Message::Response(_) => None,
        }
    }
}

/// A request of either side.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) parts: Parts,
    pub(super) method: String,
    pub(super) id: Id,
}

/// A notification of either side.
#[derive(Debug, Clone)]
pub struct Notification {
    pub(super) parts: Parts,
    pub(super) method: String,
}

/// The views that requests and notifications share.
macro_rules! params_views {
    ($type:ty) => {
        impl $type {
            /// The admitted bytes, without a line end.
            pub fn bytes(&self) -> &Bytes {
                &self.parts.bytes
            }

            /// The method's name, escapes decoded.
            pub fn method(&self) -> &str {
                &self.method
            }

            /// The bytes of `params`; nothing if the message has none.
            pub fn params(&self) -> Option<&[u8]> {
                self.parts.raw(self.params_range())
            }

            /// Where they are in [`Self::bytes`].
            pub fn params_range(&self) -> Option<Range<usize>> {
                find(&self.parts.bytes, &self.parts.layout.top, "params")
            }

            /// The raw member of `params` with this decoded name.
            pub fn param(&self, name: &str) -> Option<&[u8]> {
                self.parts.param(name)
            }

            /// Where that member's value is in [`Self::bytes`].
            pub fn param_range(&self, name: &str) -> Option<Range<usize>> {
                self.parts.param_range(name)
            }

            /// The bytes of `params._meta`; nothing if the message has none.
            pub fn meta(&self) -> Option<&[u8]> {
                self.parts.param("_meta")
            }

            /// The raw member of `params._meta` with this decoded name.
            pub fn meta_member(&self, name: &str) -> Option<&[u8]> {
                self.parts.meta(name)
            }

            /// Which side of the gate the message came from.
            pub fn from(&self) -> Side {
                self.parts.from
            }
        }
    };
}

params_views!(Request);
params_views!(Notification);

impl Request {
    /// The request's id, by which it is answered.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Where the id is in [`Self::bytes`], for giving the request another one.
    pub fn id_range(&self) -> Range<usize> {
        find(&self.parts.bytes, &self.parts.layout.top, "id").unwrap_or_default()
    }
}

/// An answer of either side.
#[derive(Debug, Clone)]
pub struct Response {
    pub(super) parts: Parts,
    pub(super) id: Option<Id>,
    pub(super) result: Option<Range<usize>>,
    pub(super) error: Option<Range<usize>>,
}

impl Response {
    /// The admitted bytes, without a line end.
    pub fn bytes(&self) -> &Bytes {
        &self.parts.bytes
    }

    /// The id of the request it answers; `None` only for an error about an unreadable message.
    pub fn id(&self) -> Option<&Id> {
        self.id.as_ref()
    }

    /// Where the id is in [`Self::bytes`].
    pub fn id_range(&self) -> Option<Range<usize>> {
        find(&self.parts.bytes, &self.parts.layout.top, "id")
    }

    /// The message as the reply to the request of this id, with the bytes at these ranges exchanged, none of which is the id's.
    pub fn addressed(&self, to: &Id, mut changes: Vec<(Range<usize>, Vec<u8>)>) -> Bytes {
        let spelled_otherwise = self.id().is_some_and(|id| id.raw() != to.raw());
        changes.extend(self.id_range().filter(|_| spelled_otherwise).map(|range| (range, to.raw().as_bytes().to_vec())));
        if changes.is_empty() { self.bytes().clone() } else { replace_all(self.bytes(), changes) }
    }

    /// The raw result; never together with an error.
    pub fn result(&self) -> Option<&[u8]> {
        self.parts.raw(self.result.clone())
    }

    /// Where the result is in [`Self::bytes`].
    pub fn whole_result_range(&self) -> Option<Range<usize>> {
        self.result.clone()
    }

    /// The raw error object.
    pub fn error(&self) -> Option<&[u8]> {
        self.parts.raw(self.error.clone())
    }

    /// The raw member of an object result with this decoded name.
    pub fn result_member(&self, name: &str) -> Option<&[u8]> {
        self.parts.raw(self.result_range(name))
    }

    /// Where that member's value is in [`Self::bytes`].
    pub fn result_range(&self, name: &str) -> Option<Range<usize>> {
        find(&self.parts.bytes, &self.parts.layout.result, name)
    }

    /// Which side of the gate the message came from.
    pub fn from(&self) -> Side {
        self.parts.from
    }
}
