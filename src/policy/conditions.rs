//! `when`: the values that arguments of a call must have, and how well those of a call fit.
use serde_json::Value;
use toml::de::DeValue;

use super::name_glob::NameGlob;
use super::selector::{self, Names, Selector};

/// Arguments and the value each must have.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions(pub Vec<(Selector, Wanted)>);

/// The value an argument must have.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    Text(NameGlob),
    Number(serde_json::Number),
    Flag(bool),
}

/// How well a value fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// Not the same here, but perhaps to a server that reads it more loosely.
    Perhaps,
    Yes,
}

impl Conditions {
    /// How well the arguments of a call fit all of them.
    pub(super) fn fit(&self, arguments: &Value) -> Fit {
        self.0.iter().map(|(selector, wanted)| wanted.fit_in(selector, arguments)).min().unwrap_or(Fit::Yes)
    }
}

impl Wanted {
    /// What a value of a text asks for; nothing if an argument cannot be compared with it.
    pub(super) fn of(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::String(text) => NameGlob::new(text).map(Self::Text),
            DeValue::Boolean(flag) => Some(Self::Flag(*flag)),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| Self::Number(number.into())),
            DeValue::Float(number) => number.as_str().parse().ok().and_then(serde_json::Number::from_f64).map(Self::Number),
            _ => None,
        }
    }

    /// The fit of the argument that is meant. Where another has the same name but for case, nobody knows here which of them the server
    /// reads.
    fn fit_in(&self, selector: &Selector, arguments: &Value) -> Fit {
        let meant = selector::values(selector, arguments, Names::Exact);
        let alike = selector::values(selector, arguments, Names::AnyCase);
        let surest = if alike.len() > meant.len() { Fit::Perhaps } else { Fit::Yes };
        self.fit_of(&alike).min(surest)
    }

    /// The best fit of the values that the pointer names; an absent argument never fits.
    fn fit_of(&self, values: &[&Value]) -> Fit {
        values.iter().map(|value| self.fit(value)).max().unwrap_or(Fit::No)
    }

    fn fit(&self, value: &Value) -> Fit {
        match (self, value) {
            (_, Value::Null) => Fit::No,
            (Self::Text(glob), Value::String(text)) => Self::text_fit(glob, text),
            (Self::Number(wanted), Value::Number(number)) => number_fit(wanted, number),
            (Self::Flag(wanted), Value::Bool(flag)) => yes(wanted == flag),
            // A server may unwrap lists and objects in a way that is not known here.
            (_, Value::Array(_) | Value::Object(_)) => Fit::Perhaps,
            (_, scalar) => self.loose_fit(scalar),
        }
    }

    /// A lossily decoded text (`U+FFFD` stands where the sender wrote half a surrogate pair) may be anything to the server.
    fn text_fit(glob: &NameGlob, text: &str) -> Fit {
        match glob.matches(text) {
            true => Fit::Yes,
            false if text.contains('\u{fffd}') => Fit::Perhaps,
            false => Fit::No,
        }
    }

    /// Servers in loosely typed languages take `"1"` for `1` and `"true"` for `true`.
    fn loose_fit(&self, value: &Value) -> Fit {
        let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase());
        let same = match self {
            Self::Text(glob) => glob.matches(&text),
            Self::Number(number) => text.parse::<f64>().ok() == number.as_f64(),
            Self::Flag(flag) => text == flag.to_string() || text == u8::from(*flag).to_string(),
        };
        if same { Fit::Perhaps } else { Fit::No }
    }
}

/// Exact when both are whole; a number that only a float holds may be rounded differently by the server.
fn number_fit(wanted: &serde_json::Number, number: &serde_json::Number) -> Fit {
    if wanted == number {
        return Fit::Yes;
    }
    match (wanted.as_f64(), number.as_f64()) {
        (Some(wanted), Some(number)) if wanted == number => Fit::Perhaps,
        _ => Fit::No,
    }
}

fn yes(same: bool) -> Fit {
    if same { Fit::Yes } else { Fit::No }
}
