//! The tools a server lists, and the first definition of each, to which later ones are compared (design 9).
use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::gate::{Definition, Hints, Standing};
use crate::wire;

/// One listed tool.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its definition.
    pub definition: Definition,
    parts: BTreeMap<&'static str, String>,
}

/// All that is known of a server's tools.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: HashMap<String, Listed>,
    pins: HashMap<String, Listed>,
    collecting: Option<HashMap<String, Listed>>,
    complete: bool,
    stale: bool,
}

/// The parts of a definition whose change matters (design 9).
const PARTS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

impl Catalogue {
    /// Takes one page of a list. `first` says that the request named no cursor; the answer is the next page's cursor, if any.
    pub fn page(&mut self, result: &[u8], first: bool) -> Option<String> {
        let (result, _) = wire::decode(result);
        let listed = result.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if first {
            self.collecting = Some(HashMap::new());
        }
        for tool in listed.iter().filter_map(Listed::read) {
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

    fn add(&mut self, tool: Listed) {
        let name = tool.definition.name.clone();
        self.pins.entry(name.clone()).and_modify(|pin| pin.learn(&tool)).or_insert_with(|| tool.clone());
        if let Some(collecting) = &mut self.collecting {
            collecting.insert(name.clone(), tool.clone());
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
    pub fn tool(&self, name: &str) -> Option<&Listed> {
        self.tools.get(name)
    }

    /// Whether `name` is listed, and as first seen.
    pub fn standing(&self, name: &str) -> Standing {
        let (Some(now), Some(pin)) = (self.tools.get(name), self.pins.get(name)) else { return Standing::Unknown };
        match now.differences(pin) {
            None => Standing::Known,
            Some(differences) => Standing::Changed { differences, digest: now.digest() },
        }
    }

    /// A person accepted the definition as it is now.
    pub fn accept(&mut self, name: &str) {
        if let Some(now) = self.tools.get(name) {
            self.pins.insert(name.to_owned(), now.clone());
        }
    }
}

impl Listed {
    fn read(value: &Value) -> Option<Self> {
        let definition = Definition::from_value(value);
        if definition.name.is_empty() {
            return None;
        }
        let mut parts: BTreeMap<&'static str, String> =
            PARTS.iter().filter_map(|part| Some((*part, value.get(part)?.to_string()))).collect();
        if !definition.checkpaths.is_empty() {
            parts.insert("checkpaths", definition.checkpaths.join("\n"));
        }
        Some(Self { definition, parts })
    }

    /// SHA-256 over name and parts, hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for text in [self.definition.name.as_str()].into_iter().chain(self.parts.iter().flat_map(|(name, text)| [*name, text.as_str()])) {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
        wire::hex(&hash.finalize())
    }

    /// Hints that an earlier list left out were unknown, not different.
    fn learn(&mut self, other: &Self) {
        if self.definition.hints == Hints::default() && !self.parts.contains_key("annotations") {
            self.definition.hints = other.definition.hints;
            if let Some(annotations) = other.parts.get("annotations") {
                self.parts.insert("annotations", annotations.clone());
            }
        }
    }

    /// What differs from `pin`, in words, or nothing. Hints count only where they are looser than before: a hint that is absent
    /// on a later list is unknown, not a change.
    fn differences(&self, pin: &Self) -> Option<String> {
        let mut words: Vec<String> = Vec::new();
        for part in ["title", "description", "inputSchema", "outputSchema", "checkpaths"] {
            if self.parts.get(part) != pin.parts.get(part) {
                words.push(difference(part, pin.parts.get(part), self.parts.get(part)));
            }
        }
        words.extend(loosened(&pin.definition.hints, &self.definition.hints));
        (!words.is_empty()).then(|| words.join("; "))
    }
}

fn loosened(before: &Hints, now: &Hints) -> Option<String> {
    let read_only = before.read_only != Some(true) && now.read_only == Some(true) && before.read_only.is_some();
    let destructive = before.destructive == Some(true) && now.destructive == Some(false);
    let text = match (read_only, destructive) {
        (true, _) => "readOnlyHint was false and is true",
        (_, true) => "destructiveHint was true and is false",
        _ => return None,
    };
    Some(text.to_owned())
}

fn difference(part: &str, before: Option<&String>, now: Option<&String>) -> String {
    const SHOWN: usize = 160;
    let text = |part: Option<&String>| part.map_or("nothing".to_owned(), |text| text.chars().take(SHOWN).collect());
    let (before, now) = (text(before), text(now));
    let same = before.chars().zip(now.chars()).take_while(|(a, b)| a == b).count().saturating_sub(20);
    let cut = |text: &str| -> String { text.chars().skip(same).collect() };
    format!("{part} was `{}` and is `{}`", cut(&before), cut(&now))
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
        assert_eq!((catalogue.standing("a"), catalogue.standing("b")), (Standing::Known, Standing::Known));
        catalogue.page(&list(&json!([{ "name": "b" }])), true);
        assert_eq!(catalogue.standing("a"), Standing::Unknown);
        assert_eq!(catalogue.standing("B"), Standing::Unknown, "names are case-sensitive");
    }

    #[test]
    fn a_changed_definition_stands_out_until_accepted_and_an_absent_hint_does_not() {
        let mut catalogue = Catalogue::default();
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads", "annotations": { "readOnlyHint": true } }])), true);
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads" }])), true);
        assert_eq!(catalogue.standing("a"), Standing::Known);
        catalogue.page(&list(&json!([{ "name": "a", "description": "reads and sends" }])), true);
        assert!(matches!(catalogue.standing("a"), Standing::Changed { differences, .. } if differences.contains("sends")));
        catalogue.accept("a");
        assert_eq!(catalogue.standing("a"), Standing::Known);
        catalogue.page(&list(&json!([{ "name": "b", "annotations": { "readOnlyHint": false } }])), true);
        catalogue.page(&list(&json!([{ "name": "b", "annotations": { "readOnlyHint": true } }])), true);
        assert!(matches!(catalogue.standing("b"), Standing::Changed { .. }));
    }
}
