//! What is known of the text that a command writes to its standard output.
use super::field::{Field, Unknown};

/// Longest output that is kept as text.
const LONGEST: usize = 64 * 1024;

/// An output or an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stream {
    /// Nothing, or what the caller of the whole command line gives.
    None,
    Text(String),
    /// Text of which so much is known.
    Unknown(Unknown),
}

impl Stream {
    /// Both, one after the other.
    pub fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::None, other) | (other, Self::None) => other,
            (Self::Text(first), Self::Text(second)) if first.len() + second.len() <= LONGEST => Self::Text(first + &second),
            (first, second) => Self::Unknown(first.unknown().max(second.unknown())),
        }
    }

    /// Either of both.
    pub fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (first, second) => Self::Unknown(first.unknown().max(second.unknown())),
        }
    }

    fn unknown(&self) -> Unknown {
        match self {
            Self::None => Unknown::Token,
            Self::Text(text) => unknown_of(text),
            Self::Unknown(unknown) => unknown.clone(),
        }
    }

    /// The output of `echo` and its like.
    pub fn of(fields: &[Field], separator: &str, end: &str) -> Self {
        let mut out = String::new();
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                out.push_str(separator);
            }
            match field.literal() {
                Some(text) => out.push_str(text),
                None => return Self::Unknown(fields.iter().map(unknown_of_field).max().unwrap_or(Unknown::Computed)),
            }
        }
        out.push_str(end);
        if out.len() > LONGEST { Self::Unknown(Unknown::Computed) } else { Self::Text(out) }
    }

    /// As the value of a substitution.
    pub fn field(&self) -> Field {
        match self {
            Self::None => Field::default(),
            Self::Text(text) => Field::known(text.trim_end_matches('\n')),
            Self::Unknown(unknown) => Field::unknown(unknown.clone()),
        }
    }
}

/// What a field comes to when its text is lost.
pub fn unknown_of_field(field: &Field) -> Unknown {
    field.worst().unwrap_or(Unknown::Token).max(unknown_of(&field.text))
}

fn unknown_of(text: &str) -> Unknown {
    let climbs = text.split(['/', ' ', '\n', '\t']).any(|part| part == "..");
    let absolute = text.split([' ', '\n', '\t']).any(|word| word.starts_with(['/', '~']));
    if climbs || absolute {
        Unknown::Computed
    } else if text.contains('/') {
        Unknown::Inside
    } else {
        Unknown::Token
    }
}
