//! Message ids: exact text kept, compared by value.
use std::fmt;
use std::hash::{Hash, Hasher};

use super::text::{quoted, unescape};

/// A JSON-RPC id: a string or a number.
///
/// Two ids are equal when they are the same kind and the same value: strings after decoding, numbers as exact decimals (`1`, `1.0` and
/// `1e0` are one id, because peers re-encode numbers). The string `"1"` is not the number `1`; see [`Id::same_text`].
#[derive(Debug, Clone)]
pub struct Id {
    raw: Box<str>,
    value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    Text(Box<str>),
    /// Sign and digits without outer zeros, then the power of ten.
    Number(Box<str>),
}

impl Id {
    /// An id of our own making.
    pub fn text(text: &str) -> Self {
        Self { raw: String::from_utf8_lossy(&quoted(text)).into(), value: Value::Text(text.into()) }
    }

    /// Reads a string or number token as it stands in a message; `None` for anything else. A lone surrogate in a string keeps its escape,
    /// so that ids which differ there stay different.
    pub fn from_raw(raw: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(raw).ok()?;
        let value = match raw.first()? {
            b'"' => {
                let inside = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
                match unescape(inside) {
                    (decoded, false) => Value::Text(decoded.into()),
                    (_, true) => Value::Text(String::from_utf8_lossy(inside).into()),
                }
            }
            b'-' | b'0'..=b'9' => Value::Number(decimal(text)),
            _ => return None,
        };
        Some(Self { raw: text.into(), value })
    }

    /// The token as it was sent, for splicing into a reply.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The decoded string, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Number(_) => None,
        }
    }

    /// The number that it is, or that its text spells, as an exact decimal in one spelling: ids that may be told apart by their quotes alone
    /// have the same.
    pub fn number(&self) -> Option<Box<str>> {
        match &self.value {
            Value::Number(number) => Some(number.clone()),
            Value::Text(text) => is_number(text).then(|| decimal(text)),
        }
    }

    /// Whether the two read the same once quotes are ignored: some servers answer the number `7` with the string `"7"`.
    pub fn same_text(&self, other: &Id) -> bool {
        let mixed = self.as_text().is_some() != other.as_text().is_some();
        self == other || (mixed && self.number().is_some_and(|value| other.number() == Some(value)))
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl fmt::Display for Id {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.raw)
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// The number's value in one spelling: digits without outer zeros and a power of ten. An exponent beyond `i64` stays as written.
fn decimal(text: &str) -> Box<str> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".into();
    }
    let shift = i64::try_from(digits.len() - significant.len()).unwrap_or(0) - i64::try_from(fraction.len()).unwrap_or(0);
    match exponent.trim_start_matches('+').parse::<i64>().ok().and_then(|power| power.checked_add(shift)) {
        Some(power) => format!("{}{significant}e{power}", if negative { "-" } else { "" }).into(),
        None => text.into(),
    }
}
