//! Admitted JSON to a `serde_json::Value`, without recursion and without refusing what real peers send.
use serde_json::{Map, Number, Value};

use super::events::{Event, Events, Text};
use super::text::unescape;

/// Decodes admitted JSON of any admitted depth. The flag says that something could not be kept exactly and must not be relied on to
/// allow a call: a lone surrogate (read as U+FFFD) or a number beyond the range of a double (kept as its text).
/// Other numbers become integers where they fit 64 bits, else the nearest double. Text that was never admitted gives null, flagged.
pub fn decode(json: &[u8]) -> (Value, bool) {
    let mut events = Events::new(json, usize::MAX);
    let mut tree = Tree { json, open: Vec::new(), root: None, lossy: false };
    loop {
        match events.next() {
            Ok(Some(event)) => tree.take(event, json.get(events.range()).unwrap_or_default()),
            Ok(None) => break,
            Err(_) => return (Value::Null, true),
        }
    }
    (tree.root.unwrap_or_default(), tree.lossy)
}

enum Open {
    Array(Vec<Value>),
    Object(Map<String, Value>, String),
}

struct Tree<'a> {
    json: &'a [u8],
    open: Vec<Open>,
    root: Option<Value>,
    lossy: bool,
}

impl Tree<'_> {
    fn take(&mut self, event: Event, token: &[u8]) {
        let value = match event {
            Event::ObjectStart => return self.open.push(Open::Object(Map::new(), String::new())),
            Event::ArrayStart => return self.open.push(Open::Array(Vec::new())),
            Event::Key(text) => {
                let key = self.text(text);
                if let Some(Open::Object(_, next)) = self.open.last_mut() {
                    *next = key;
                }
                return;
            }
            Event::ObjectEnd | Event::ArrayEnd => match self.open.pop() {
                Some(Open::Array(values)) => Value::Array(values),
                Some(Open::Object(values, _)) => Value::Object(values),
                None => Value::Null,
            },
            Event::String(text) => Value::String(self.text(text)),
            Event::Number => self.number(token),
            Event::True => Value::Bool(true),
            Event::False => Value::Bool(false),
            Event::Null => Value::Null,
        };
        self.put(value);
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Open::Array(values)) => values.push(value),
            Some(Open::Object(values, key)) => {
                values.insert(std::mem::take(key), value);
            }
            None => self.root = Some(value),
        }
    }

    fn text(&mut self, text: Text) -> String {
        let (decoded, lossy) = unescape(text.of(self.json));
        self.lossy |= lossy;
        decoded.into_owned()
    }

    fn number(&mut self, token: &[u8]) -> Value {
        let text = String::from_utf8_lossy(token);
        if let Ok(number) = text.parse::<i64>() {
            return if text == "-0" { Value::from(-0.0) } else { number.into() };
        }
        if let Ok(number) = text.parse::<u64>() {
            return number.into();
        }
        match text.parse().ok().and_then(Number::from_f64) {
            Some(number) => Value::Number(number),
            None => {
                self.lossy = true;
                Value::String(text.into_owned())
            }
        }
    }
}
