//! The tools a server lists, and the accepted definition of each: as it was locked, else as the session first saw it.
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::analyse::Definition;
use crate::gate::{PinStatus, Since};
use crate::session::lockfile::{Locked, Tools};
use crate::wire;

/// All that is known of a server's tools.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: HashMap<String, Arc<Definition>>,
    accepted: HashMap<String, (Arc<Definition>, Since)>,
    /// Only what is locked, or what a person accepts, is accepted.
    locked: bool,
    collecting: Option<HashMap<String, Arc<Definition>>>,
    complete: bool,
    stale: bool,
}

impl Catalogue {
    /// A catalogue before the first list, with what is accepted already.
    pub fn new(locked: &Locked) -> Self {
        let accepted = locked.tools.iter().map(|(name, tool)| (name.clone(), (Arc::new(tool.clone()), Since::Lock)));
        Self { accepted: accepted.collect(), locked: locked.required, ..Self::default() }
    }

    /// Takes one page of a list. `first` says that the request named no cursor; the answer is the next page's cursor, if any.
    pub fn page(&mut self, result: &[u8], first: bool) -> Option<String> {
        let (mut result, _) = wire::decode(result);
        let listed = if let Some(Value::Array(listed)) = result.get_mut("tools").map(Value::take) { listed } else { Vec::new() };
        let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if first {
            self.collecting = Some(HashMap::new());
        }
        for tool in listed.into_iter().map(Definition::from_value).filter(|tool| !tool.name.is_empty()) {
            self.add(tool);
        }
        if next.is_none()
            && let Some(whole) = self.collecting.take()
        {
            self.tools = whole;
            (self.complete, self.stale) = (true, false);
        }
        next
    }

    fn add(&mut self, tool: Definition) {
        let name = tool.name.clone();
        let tool = match self.accepted.get(&name) {
            // One definition, so that no call has to compare two.
            Some((accepted, _)) if **accepted == tool => Arc::clone(accepted),
            _ => Arc::new(tool),
        };
        if !self.locked {
            self.accepted.entry(name.clone()).or_insert_with(|| (Arc::clone(&tool), Since::Session));
        }
        if let Some(collecting) = &mut self.collecting {
            collecting.insert(name.clone(), Arc::clone(&tool));
        }
        self.tools.insert(name, tool);
    }

    /// The server says that its list changed.
    pub const fn list_changed(&mut self) {
        self.stale = true;
    }

    /// Whether the list has to be fetched before a call of `tool` can be judged.
    pub fn wants_fetch(&self, tool: &str) -> bool {
        self.stale || !self.tools.contains_key(tool)
    }

    /// The server cannot list: what is known counts as all there is, until it says otherwise.
    pub fn give_up(&mut self) {
        self.collecting = None;
        (self.complete, self.stale) = (true, false);
    }

    /// The tool as last listed.
    pub fn tool(&self, name: &str) -> Option<&Definition> {
        self.tools.get(name).map(Arc::as_ref)
    }

    /// The tool as it was accepted.
    pub fn accepted(&self, name: &str) -> Option<&Definition> {
        self.accepted.get(name).map(|(accepted, _)| accepted.as_ref())
    }

    /// All tools as last listed.
    pub fn into_tools(self) -> Tools {
        self.tools.into_iter().map(|(name, tool)| (name, Arc::unwrap_or_clone(tool))).collect()
    }

    /// Whether `name` is listed, and as it was accepted.
    pub fn pin_status(&self, name: &str) -> PinStatus {
        let Some(now) = self.tools.get(name) else { return PinStatus::Unknown };
        match self.accepted.get(name) {
            Some((accepted, _)) if Arc::ptr_eq(accepted, now) => PinStatus::Known,
            accepted => PinStatus::of(now, accepted.map(|(accepted, since)| (accepted.as_ref(), *since))),
        }
    }

    /// A person accepted the definition as it is now.
    pub fn accept(&mut self, name: &str) {
        if let Some(now) = self.tools.get(name) {
            self.accepted.insert(name.to_owned(), (Arc::clone(now), Since::Session));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn list(tools: &Value) -> Vec<u8> {
        serde_json::to_vec(&json!({ "tools": tools })).unwrap()
    }

    #[test]
    fn pages_make_one_list_and_the_last_replaces_the_old() {
        let mut catalogue = Catalogue::default();
        let page = serde_json::to_vec(&json!({ "tools": [{ "name": "a" }], "nextCursor": "2" })).unwrap();
        assert_eq!(catalogue.page(&page, true).as_deref(), Some("2"));
        assert_eq!(catalogue.page(&list(&json!([{ "name": "b" }])), false), None);
        assert_eq!((catalogue.pin_status("a"), catalogue.pin_status("b")), (PinStatus::Known, PinStatus::Known));
        catalogue.page(&list(&json!([{ "name": "b" }])), true);
        assert_eq!(catalogue.pin_status("a"), PinStatus::Unknown);
        assert_eq!(catalogue.pin_status("B"), PinStatus::Unknown, "names are case-sensitive");
    }

    #[test]
    fn a_changed_definition_stands_out_until_accepted_and_an_absent_hint_does_not() {
        let mut catalogue = Catalogue::default();
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads", "annotations": { "readOnlyHint": true } }])), true);
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads" }])), true);
        assert_eq!(catalogue.pin_status("a"), PinStatus::Known);
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads and sends" }])), true);
        assert!(matches!(catalogue.pin_status("a"), PinStatus::Changed { difference, .. } if difference.lines.concat().contains("sends")));
        catalogue.accept("a");
        assert_eq!(catalogue.pin_status("a"), PinStatus::Known);
        catalogue.page(&list(&json!([{ "name": "b", "annotations": { "readOnlyHint": false } }])), true);
        catalogue.page(&list(&json!([{ "name": "b", "annotations": { "readOnlyHint": true } }])), true);
        assert!(matches!(catalogue.pin_status("b"), PinStatus::Changed { .. }));
    }

    #[test]
    fn with_a_lock_only_what_it_names_is_accepted() {
        let named = |description: &str| serde_json::json!({ "name": "a", "description": description });
        let tools = Tools::from([("a".to_owned(), Definition::from_value(named("v1")))]);
        let changed = |pin_status| matches!(pin_status, PinStatus::Changed { since: Since::Lock, .. });
        for (required, listed, asks) in [(true, "v1", false), (false, "v1", false), (true, "v2", true), (false, "v2", true)] {
            let mut catalogue = Catalogue::new(&Locked { tools: tools.clone(), required });
            catalogue.page(&list(&json!([named(listed), { "name": "b" }])), true);
            assert_eq!(changed(catalogue.pin_status("a")), asks, "{required} {listed}");
            assert_eq!(matches!(catalogue.pin_status("b"), PinStatus::Unlocked { .. }), required);
            ["a", "b"].iter().for_each(|name| catalogue.accept(name));
            assert_eq!((catalogue.pin_status("a"), catalogue.pin_status("b")), (PinStatus::Known, PinStatus::Known));
        }
    }
}
