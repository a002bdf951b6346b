//! What changed in a tool's definition, part by part and line by line, for a person.
use serde_json::Value;
use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::analyse::{Definition, Hints};

/// A line of a definition is broken at a blank after this many characters.
const WIDTH: usize = 100;
/// A part is written on this many lines at most, and a place in it in this many bytes; what is longer is told apart by a digest.
const MOST_LINES: usize = 10_000;
const LONGEST_PLACE: usize = 200;
/// Not more lines than this after the first that differs are compared, so that a hostile definition costs little.
const COMPARED: usize = 1000;

/// A definition that is not the one it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The parts that changed.
    pub parts: Vec<&'static str>,
    /// Every changed line with its part and place: what is gone begins with `- `, what is new with `+ `. Foreign text, not yet
    /// made visible.
    pub lines: Vec<String>,
}

impl Definition {
    /// What changed since `before`, or nothing. Of the annotations only hints that are looser than before count: one that a later
    /// list leaves out is unknown, not a change.
    pub fn changed_since(&self, before: &Self) -> Option<Difference> {
        let mut parts = Vec::new();
        let mut part = |name, changed: bool| parts.extend(changed.then_some(name));
        part("title", self.title != before.title);
        part("description", self.description != before.description);
        part("input schema", self.input_schema != before.input_schema);
        part("output schema", self.output_schema != before.output_schema);
        part("declared paths", self.checkpaths != before.checkpaths);
        part("hints", is_looser(&self.hints, &before.hints));
        (!parts.is_empty()).then(|| Difference { lines: changed_lines(&before.lines(&parts), &self.lines(&parts)), parts })
    }

    /// The named parts as lines.
    fn lines(&self, parts: &[&'static str]) -> Vec<String> {
        let mut lines = Vec::new();
        for part in parts {
            let mut written = Part { name: part, lines: Vec::new(), cut: false };
            match *part {
                "title" => written.text(&self.title),
                "description" => written.text(&self.description),
                "input schema" => written.json(&self.input_schema),
                "output schema" => written.json(&self.output_schema),
                "declared paths" => self.checkpaths.iter().for_each(|path| written.text(path)),
                _ => written.lines.extend(stated(&self.hints)),
            }
            lines.extend(written.lines);
            if written.cut {
                lines.push(format!("{part}: too long to be shown whole; the digest of the definition is {}", self.digest()));
            }
        }
        lines
    }
}

/// Whether a hint says less of what the tool may do than before; one that was never stated counts as the specification's default,
/// which is the strictest (MCP 2025-06-18, schema, `ToolAnnotations`).
fn is_looser(now: &Hints, before: &Hints) -> bool {
    let rose = |before: Option<bool>, now: Option<bool>| !before.unwrap_or(false) && now == Some(true);
    let fell = |before: Option<bool>, now: Option<bool>| before.unwrap_or(true) && now == Some(false);
    rose(before.read_only, now.read_only)
        || fell(before.destructive, now.destructive)
        || rose(before.idempotent, now.idempotent)
        || fell(before.open_world, now.open_world)
}

fn stated(hints: &Hints) -> impl Iterator<Item = String> {
    let named = [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ];
    named.into_iter().filter_map(|(name, value)| value.map(|value| format!("hints {name}: {value}")))
}

/// One part of a definition as lines, each with the part's name and the place within it.
struct Part {
    name: &'static str,
    lines: Vec<String>,
    cut: bool,
}

impl Part {
    fn text(&mut self, text: &str) {
        self.wrap(self.name, text);
    }

    fn json(&mut self, value: &Value) {
        self.flatten(&mut String::new(), value);
    }

    /// One line or more for each place that holds something, in the order of the names.
    fn flatten(&mut self, place: &mut String, value: &Value) {
        match value {
            _ if self.cut => {}
            Value::Null => {}
            Value::Object(members) if !members.is_empty() => members.iter().for_each(|(name, value)| self.below(place, name, value)),
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                items.iter().enumerate().for_each(|(index, item)| self.below(place, &index.to_string(), item));
            }
            plain => self.wrap(&format!("{} {place}", self.name), &plain.to_string()),
        }
    }

    fn below(&mut self, place: &mut String, name: &str, value: &Value) {
        let end = place.len();
        if end + name.len() > LONGEST_PLACE {
            self.cut = true;
            return;
        }
        place.push('/');
        place.push_str(name);
        self.flatten(place, value);
        place.truncate(end);
    }

    /// Broken at line ends, after sentences and at `WIDTH`; joined, the lines are the text.
    fn wrap(&mut self, label: &str, text: &str) {
        let mut line = String::new();
        let mut width = 0;
        for character in text.chars() {
            let blank = character == ' ';
            let sentence = blank && line.ends_with(['.', '!', '?', ';']);
            line.push(character);
            width += 1;
            if character == '\n' || sentence || blank && width > WIDTH || width > 2 * WIDTH {
                self.lines.push(format!("{label}: {line}"));
                line.clear();
                width = 0;
            }
            if self.lines.len() >= MOST_LINES {
                self.cut = true;
                return;
            }
        }
        if !line.is_empty() {
            self.lines.push(format!("{label}: {line}"));
        }
    }
}

fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let same = before.iter().zip(now).take_while(|(before, now)| before == now).count();
    let rest = |lines: &[String]| lines.iter().skip(same).take(COMPARED).cloned().collect::<Vec<_>>();
    let (before, now) = (rest(before), rest(now));
    let operations = capture_diff_slices(Algorithm::Myers, &before, &now);
    let changes = operations.iter().flat_map(|operation| operation.iter_changes(before.as_slice(), now.as_slice()));
    let marked = changes.filter_map(|change| match change.tag() {
        ChangeTag::Delete => Some(format!("- {}", change.value())),
        ChangeTag::Insert => Some(format!("+ {}", change.value())),
        ChangeTag::Equal => None,
    });
    marked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn between(before: &Value, now: &Value) -> Option<Difference> {
        Definition::from_value(now.clone()).changed_since(&Definition::from_value(before.clone()))
    }

    #[test]
    fn each_changed_line_is_named_with_its_place() {
        let before = json!({ "description": "Finds words. Reads only.", "inputSchema": { "properties": { "q": { "type": "string" } }, "required": ["q"] } });
        let now = json!({ "description": "Finds words. Mails them.", "inputSchema": { "properties": { "q": { "type": "string", "maxLength": 9 } }, "required": ["q"] } });
        let difference = between(&before, &now).unwrap();
        assert_eq!(difference.parts, ["description", "input schema"]);
        let wanted = ["- description: Reads only.", "+ description: Mails them.", "+ input schema /properties/q/maxLength: 9"];
        assert_eq!(difference.lines, wanted);
    }

    #[test]
    fn only_hints_that_loosen_are_a_change() {
        for (before, now, changed) in [
            (json!({ "readOnlyHint": false }), json!({ "readOnlyHint": true }), true),
            (json!({}), json!({ "readOnlyHint": true }), true),
            (json!({}), json!({ "destructiveHint": false }), true),
            (json!({ "openWorldHint": true }), json!({ "openWorldHint": false }), true),
            (json!({ "readOnlyHint": true, "destructiveHint": false }), json!({}), false),
            (json!({ "readOnlyHint": true }), json!({ "readOnlyHint": false }), false),
            (json!({}), json!({ "destructiveHint": true, "title": "other" }), false),
        ] {
            let difference = between(&json!({ "annotations": before }), &json!({ "annotations": now }));
            assert_eq!(difference.is_some(), changed, "{before} then {now}");
            assert!(difference.is_none_or(|difference| !difference.lines.is_empty()), "{before} then {now}");
        }
    }

    #[test]
    fn a_definition_of_megabytes_is_compared_in_bounded_time_and_still_says_something() {
        let long =
            |word: &str| json!({ "description": format!("{word} ").repeat(400_000), "inputSchema": { "enum": vec![word; 100_000] } });
        let difference = between(&long("old"), &long("new")).unwrap();
        assert!((2..=2 * COMPARED).contains(&difference.lines.len()), "{}", difference.lines.len());
        let deep = |leaf: &str| json!({ "inputSchema": { "k".repeat(1_000_000): vec![leaf; 1000] } });
        let difference = between(&deep("old"), &deep("new")).unwrap();
        assert!(difference.lines.concat().len() < 1000 && !difference.lines.is_empty(), "{:?}", difference.lines);
    }

    proptest::proptest! {
        #[test]
        fn no_change_of_a_text_is_lost(before in "[a. \n\u{e9}]{0,400}", now in "[a. \n\u{e9}]{0,400}") {
            let difference = between(&json!({ "description": before }), &json!({ "description": now }));
            proptest::prop_assert_eq!(difference.is_some_and(|difference| !difference.lines.is_empty()), before != now);
        }
    }
}
