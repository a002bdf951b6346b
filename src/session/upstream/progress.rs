//! Progress of calls whose client has already got signs of life from the gate.
use std::collections::HashMap;

use bytes::Bytes;

use crate::session::sent::{RequestKind, SentCall};
use crate::wire::{self, Id, Notification};

use super::in_flight::Request;

/// By how much the progress of each token is moved.
#[derive(Debug, Default)]
pub(super) struct Progress {
    offsets: HashMap<Id, f64>,
}

impl Progress {
    /// A call was sent.
    pub fn rises(&mut self, sent: &SentCall) {
        self.offsets.extend(sent.moved.clone());
    }

    /// A request is over.
    pub fn ends(&mut self, request: &Request) {
        if let RequestKind::Call(sent) = &request.kind
            && let Some((token, _)) = &sent.moved
        {
            self.offsets.remove(token);
        }
    }

    /// Progress must rise (MCP, basic/utilities/progress): where the gate has sent signs of life for a token, the upstream's own
    /// values are moved above them.
    pub fn shifted(&self, notification: &Notification) -> Option<Bytes> {
        if self.offsets.is_empty() || notification.method() != "notifications/progress" {
            return None;
        }
        let offset = self.offsets.get(&Id::from_raw(notification.param("progressToken")?)?)?;
        let moved = |name: &str| {
            let value: f64 = std::str::from_utf8(notification.param(name)?).ok()?.parse().ok()?;
            Some((notification.param_range(name)?, (value + offset).to_string().into_bytes()))
        };
        Some(wire::replace_all(notification.bytes(), ["progress", "total"].into_iter().filter_map(moved).collect()))
    }
}
