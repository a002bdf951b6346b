//! The gate's own listing of the tools: before a call of a tool it has not seen, or when the list has changed.
use std::time::Duration;

use serde_json::Value;

use crate::gate::Judge;

use super::event::Ticket;
use super::held::{Held, Stage};
use super::machine::{Fetch, Session};
use super::peers::PerRequest;

/// How long the server may take to list its tools when the gate itself asks.
const LISTING: Duration = Duration::from_secs(60);

/// A server may list this many pages; past that, its list has no end.
pub const MOST_PAGES: usize = 200;

/// The parameters of `tools/list` for one page.
pub fn page_params(meta: Option<Value>, cursor: Option<String>) -> Value {
    let cursor = cursor.map(|cursor| ("cursor", Value::String(cursor)));
    let members = meta.map(|meta| ("_meta", meta)).into_iter().chain(cursor);
    members.map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Session {
    pub(super) fn list_then_judge(&mut self, ticket: Ticket, judge: Judge) {
        let call = judge.call();
        if call.method() != "tools/call" || !self.catalogue.wants_fetch(call.tool()) || self.server_gone {
            return self.judge(ticket, judge);
        }
        if self.fetch.is_none() {
            self.fetch_page(None, PerRequest::own_meta(call));
        }
        let until = self.now + LISTING;
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = Stage::Listing(Box::new(judge));
            held.stage_until = until;
        }
    }

    /// Asks the server for a page of its tools.
    pub(super) fn fetch_page(&mut self, cursor: Option<String>, meta: Option<Value>) {
        let id = self.server_request_id();
        let params = page_params(meta.clone(), cursor.clone());
        let message = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params });
        let mut cursors = self.fetch.take().map(|fetch| fetch.cursors).unwrap_or_default();
        cursors.extend(cursor);
        self.fetch = Some(Fetch { id, cursors, meta });
        if let Some(other) = self.own(&message) {
            self.send_server(other);
        }
    }

    /// The list is there, or will not come: the calls that waited for it go on.
    pub(super) fn listed(&mut self) {
        self.fetch = None;
        let waiting: Vec<Ticket> =
            self.held.iter().filter(|(_, held)| matches!(held.stage, Stage::Listing(_))).map(|(ticket, _)| *ticket).collect();
        for ticket in waiting {
            if let Some(Stage::Listing(judge)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                self.judge(ticket, *judge);
            }
        }
    }
}
