//! Expanded words: text with unknowns where a part is not known.
use crate::analyse::shell::grammar::Span;

/// Stands in a field's text for a part that is not known; the field's unknowns say in order what is known of each.
pub const MARK: char = '\u{FFFC}';

/// What is known of a part that has no known text. The order is how little is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// A number, a date, a name: no slash in it, and not `..`.
    Token,
    /// A relative path that does not climb, or a path below one that is a mention already.
    Inside,
    /// The value of an environment variable, which the command line does not set.
    Environment(String),
    Computed,
}

/// One word as a program receives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Field {
    /// The text, with [`MARK`] for each part that is not known.
    pub text: String,
    /// The text as a glob (quoted metacharacters escaped), if any metacharacter in it is active.
    pub pattern: Option<String>,
    /// What is known of the unknowns, in order.
    pub unknowns: Vec<Unknown>,
    /// Where the word stands in the argument.
    pub span: Option<Span>,
    /// Whether it begins with `~user`, which only the password database can expand.
    pub of_user: bool,
    /// Whether it is another possible value of the field before it, not a word of its own.
    pub alternative: bool,
}

impl Field {
    /// A field of known text.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A field of one unknown.
    pub fn unknown(unknown: Unknown) -> Self {
        Self { text: MARK.to_string(), unknowns: vec![unknown], ..Self::default() }
    }

    /// The text, if every part is known and no glob is active.
    pub fn literal(&self) -> Option<&str> {
        (self.unknowns.is_empty() && self.pattern.is_none() && !self.text.contains(MARK)).then_some(self.text.as_str())
    }

    /// The unknown of which least is known. Input that holds the mark itself counts as computed.
    pub fn worst(&self) -> Option<Unknown> {
        let marks = self.text.matches(MARK).count();
        if marks > self.unknowns.len() { Some(Unknown::Computed) } else { self.unknowns.iter().max().cloned() }
    }

    pub fn push_quoted(&mut self, text: &str) {
        if let Some(pattern) = &mut self.pattern {
            escape_into(pattern, text);
        }
        self.text.push_str(text);
    }

    /// Appends text whose metacharacters are active.
    pub fn push_active(&mut self, text: &str) {
        if self.pattern.is_none() && is_glob(text) {
            let mut pattern = String::new();
            escape_into(&mut pattern, &self.text);
            self.pattern = Some(pattern);
        }
        if let Some(pattern) = &mut self.pattern {
            pattern.push_str(text);
        }
        self.text.push_str(text);
    }

    /// Appends another field as it stands; its globs stay active.
    pub fn push_field(&mut self, other: &Self) {
        match &other.pattern {
            Some(pattern) => {
                if self.pattern.is_none() {
                    let mut own = String::new();
                    escape_into(&mut own, &self.text);
                    self.pattern = Some(own);
                }
                if let Some(own) = &mut self.pattern {
                    own.push_str(pattern);
                }
                self.text.push_str(&other.text);
            }
            None => self.push_quoted(&other.text),
        }
        self.unknowns.extend(other.unknowns.iter().cloned());
    }

    /// Appends a part that is not known.
    pub fn push_unknown(&mut self, unknown: Unknown) {
        self.push_quoted(MARK.encode_utf8(&mut [0; 4]));
        self.unknowns.push(unknown);
    }

    /// The field without its first `bytes` bytes of text.
    pub fn skip(&self, bytes: usize) -> Self {
        let (before, after) = self.text.split_at_checked(bytes).unwrap_or(("", &self.text));
        let unknowns = self.unknowns.iter().skip(before.matches(MARK).count()).cloned().collect();
        let pattern = self.pattern.as_deref().map(|pattern| skip_pattern(pattern, before.chars().count()));
        Self { text: after.to_owned(), pattern: pattern.filter(|text| is_glob(text)), unknowns, ..self.clone() }
    }

    /// The first `bytes` bytes of text as a field.
    pub fn before(&self, bytes: usize) -> Self {
        let (before, after) = self.text.split_at_checked(bytes).unwrap_or((&self.text, ""));
        let unknowns = self.unknowns.iter().take(before.matches(MARK).count()).cloned().collect();
        let cut = self.pattern.as_deref().and_then(|pattern| {
            let rest = skip_pattern(pattern, before.chars().count());
            pattern.strip_suffix(rest.as_str()).map(str::to_owned).filter(|_| !after.is_empty() || rest.is_empty())
        });
        Self { text: before.to_owned(), pattern: cut.filter(|text| is_glob(text)), unknowns, ..self.clone() }
    }

    /// What stands before and after the first `mark`.
    pub fn split_once(&self, mark: char) -> Option<(Self, Self)> {
        let at = self.text.find(mark)?;
        Some((self.before(at), self.skip(at + mark.len_utf8())))
    }
}

fn skip_pattern(pattern: &str, characters: usize) -> String {
    let mut chars = pattern.chars();
    for _ in 0..characters {
        if chars.next() == Some('\\') {
            chars.next();
        }
    }
    chars.as_str().to_owned()
}

/// Whether a text has a metacharacter: `*`, `?` or a closed class.
pub fn is_glob(text: &str) -> bool {
    let class = || text.find('[').is_some_and(|open| text.get(open + 1..).is_some_and(|rest| rest.contains(']')));
    text.contains(['*', '?']) || class()
}

/// A text as a pattern that matches only itself.
pub fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    escape_into(&mut pattern, text);
    pattern
}

fn escape_into(pattern: &mut String, text: &str) {
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
}
