//! The gate's own listing of a server's tools: before a call of a tool it has not seen, or when the list has changed.
use std::collections::HashSet;

use serde_json::Value;

use crate::session::step::Step;
use crate::session::turn::Turn;
use crate::wire::{Other, Response};

use super::Upstream;

/// A server may list this many pages; past that, its list has no end.
pub const MOST_PAGES: usize = 200;

/// A listing that is under way.
#[derive(Debug)]
pub(super) struct Listing {
    /// The id of the request for the page that is to come.
    request: u64,
    cursors: HashSet<String>,
    meta: Option<Value>,
}

/// The parameters of `tools/list` for one page.
pub fn page_params(meta: Option<Value>, cursor: Option<String>) -> Value {
    let cursor = cursor.map(|cursor| ("cursor", Value::String(cursor)));
    let members = meta.map(|meta| ("_meta", meta)).into_iter().chain(cursor);
    members.map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Upstream {
    /// Lists the tools, unless that is under way.
    pub fn list(&mut self, turn: &mut Turn, meta: Option<Value>) {
        if self.listing.is_none() {
            self.ask_for_page(turn, None, HashSet::new(), meta);
        }
    }

    fn ask_for_page(&mut self, turn: &mut Turn, cursor: Option<String>, mut cursors: HashSet<String>, meta: Option<Value>) {
        let request = turn.ids.request();
        cursors.extend(cursor.clone());
        self.pass(turn, Other::tools_list(request, &page_params(meta.clone(), cursor)));
        self.listing = Some(Listing { request, cursors, meta });
    }

    /// A reply to one of the gate's own requests came.
    pub(super) fn page_came(&mut self, turn: &mut Turn, request: u64, response: &Response) {
        let Some(result) = response.result() else { return self.listing_failed(turn, request) };
        let Some(listing) = self.listing.take_if(|listing| listing.request == request) else { return };
        let Listing { cursors, meta, .. } = listing;
        match self.catalogue.page(result, cursors.is_empty()) {
            // Past that, or when a cursor comes again, the list is taken as it is.
            Some(cursor) if cursors.len() < MOST_PAGES && !cursors.contains(&cursor) => {
                self.ask_for_page(turn, Some(cursor), cursors, meta)
            }
            Some(_) => {
                turn.log("the server's tool list does not end; the pages seen so far count");
                self.catalogue.give_up();
                turn.then(Step::Listed(self.id));
            }
            None => turn.then(Step::Listed(self.id)),
        }
    }

    /// The list will not come by this request.
    pub(super) fn listing_failed(&mut self, turn: &mut Turn, request: u64) {
        if self.listing.as_ref().is_some_and(|listing| listing.request == request) {
            self.listing_overdue(turn);
        }
    }

    /// The list does not come: what is known has to do.
    pub fn listing_overdue(&mut self, turn: &mut Turn) {
        if self.listing.take().is_some() {
            turn.log("the server did not list its tools; calls of tools it has not listed are refused");
        }
        self.catalogue.give_up();
        turn.then(Step::Listed(self.id));
    }

    /// A person accepted a tool as it is defined now.
    pub fn accept(&mut self, tool: &str) {
        self.catalogue.accept(tool);
    }
}
