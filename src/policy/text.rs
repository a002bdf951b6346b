//! A policy text with its name, and problems that point into it: `file:line:column`, the line, a caret, a hint.
use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use crate::escape::{masked, visible};

/// How much of a long line is shown around the caret, in characters.
const SHOWN: usize = 120;

/// One text a policy is made of, as the edges read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The name it is spoken of by, usually the file's path as the user would write it.
    pub name: String,
    /// The TOML text.
    pub text: String,
    /// Whether it may loosen what the texts before it say.
    pub trust: Trust,
}

/// What a policy text is allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Written or trusted by the user: it may tighten and loosen.
    Trusted,
    /// Came with the project: it may only tighten, because nobody has read it yet.
    Untrusted,
}

/// One thing wrong with a policy text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The text's name.
    pub name: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The line (cut around the place when it is long), safe to print.
    pub excerpt: String,
    /// Where the caret goes in `excerpt`, and how wide it is, in characters.
    pub caret: (usize, usize),
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// A policy that cannot be used, with everything that is wrong with it; exit code 4.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PolicyError {
    /// At least one.
    pub problems: Vec<Problem>,
}

/// A text with its line starts, to turn byte offsets into places.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    name: &'a str,
    text: &'a str,
    starts: Vec<usize>,
}

impl Problem {
    /// A problem at `span` (in bytes) of a text of our own form that is no policy, spoken of as `name`.
    pub fn at(name: &str, text: &str, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Lines::new(name, text).problem(span, message, hint)
    }
}

impl<'a> Lines<'a> {
    pub(super) fn new(name: &'a str, text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        Self { name, text, starts }
    }

    /// `file:12`.
    pub(super) fn source(&self, at: usize) -> String {
        format!("{}:{}", visible(self.name), self.line_of(at))
    }

    pub(super) fn problem(&self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Problem {
        let line = self.line_of(span.start);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let whole = self.text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
        let before = self.text.get(start..span.start).unwrap_or_default().chars().count();
        let marked = self.text.get(span.clone()).unwrap_or_default().lines().next().unwrap_or_default().chars().count();
        let skipped = before.saturating_sub(SHOWN / 2);
        // One column for each character whatever it was, so that the caret stays under its place.
        let excerpt = masked(&whole.chars().skip(skipped).take(SHOWN).collect::<String>());
        let room = excerpt.chars().count().saturating_sub(before - skipped);
        Problem {
            name: visible(self.name),
            line,
            column: before + 1,
            caret: (before - skipped, marked.clamp(1, room.max(1))),
            excerpt,
            message: message.into(),
            hint: hint.into(),
        }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (indent, width) = self.caret;
        writeln!(f, "{}:{}:{}: {}", self.name, self.line, self.column, self.message)?;
        writeln!(f, "    {}", self.excerpt)?;
        writeln!(f, "    {}{}", " ".repeat(indent), "^".repeat(width))?;
        write!(f, "hint: {}", self.hint)
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Parses TOML; a repeated key is an error of the language itself.
pub(super) fn document<'a>(lines: &Lines<'_>, text: &'a str) -> Result<DeTable<'a>, PolicyError> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = visible(&error.message().lines().collect::<Vec<_>>().join(", "));
        PolicyError { problems: vec![lines.problem(span, format!("not valid TOML: {message}"), syntax_hint(&message))] }
    })
}

fn syntax_hint(message: &str) -> &'static str {
    if message.contains("duplicate") {
        "a key may stand once in its table: merge the two places into one"
    } else {
        "strings are quoted, lists stand in `[` `]`, and each key has a line of its own"
    }
}
