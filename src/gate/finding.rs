//! Findings: what speaks against a call, each independent of the others.
use std::borrow::Cow;
use std::path::PathBuf;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::analyse::Confidence;
use crate::escape::visible_within;
use crate::policy::{Direction, Effect};

use super::key::Key;

/// The kind of a finding; the name is what `check --json` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The tool is not in the server's catalogue.
    UnknownTool,
    /// The tool's definition changed after it was first seen.
    Definition,
    /// The access level does not permit the tool.
    Access,
    /// A path outside every permitted directory.
    Outside,
    /// A credential-bearing file, or a control file that would be written.
    Sensitive,
    /// Something that could not be analysed.
    Unparsed,
    /// A URL that names a private address.
    PrivateAddress,
    /// A policy rule.
    Rule,
    /// Something that a server asks of the client.
    ServerRequest,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::UnknownTool,
        Self::Definition,
        Self::Access,
        Self::Outside,
        Self::Sensitive,
        Self::Unparsed,
        Self::PrivateAddress,
        Self::Rule,
        Self::ServerRequest,
    ];

    /// The kind that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What it says, for a person and for the model.
    pub const fn says(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown tool",
            Self::Definition => "definition:",
            Self::Access => "access",
            Self::Outside => "outside the permitted directories:",
            Self::Sensitive => "sensitive:",
            Self::Unparsed => "not understood:",
            Self::PrivateAddress => "private address:",
            Self::Rule => "policy:",
            Self::ServerRequest => "request of the server's:",
        }
    }

    /// The word used in JSON, audit and messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::Definition => "definition",
            Self::Access => "access",
            Self::Outside => "outside",
            Self::Sensitive => "sensitive",
            Self::Unparsed => "unparsed",
            Self::PrivateAddress => "private_address",
            Self::Rule => "rule",
            Self::ServerRequest => "server_request",
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        Self::from_word(&word).ok_or_else(|| D::Error::custom("no kind of finding"))
    }
}

/// More covered paths than this are not kept with a finding; one that holds so many may stand for others that are not named.
pub const MOST_COVERED: usize = 1024;

/// One thing that speaks against the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// What it asks for.
    pub action: Effect,
    /// What an answer would be given for.
    pub key: Key,
    /// The resolved path, where there is one.
    pub path: Option<PathBuf>,
    /// Every resolved path the key stands for in this call.
    pub covered: Vec<PathBuf>,
    /// Read or write.
    pub direction: Direction,
    /// JSON pointer of the argument, empty for the call as a whole.
    pub argument: String,
    /// The text as it stood.
    pub raw: String,
    /// How sure discovery was.
    pub confidence: Confidence,
    /// Why, in words for a person and for the model.
    pub because: String,
}

/// Whom a finding is told to, from whom least is said to whom most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// The client and its model, in a refusal: what they sent themselves is not said again.
    Client,
    /// The record of verdicts, which repeats no arguments unless it is told to.
    Record,
    /// Whoever asks with `check`.
    Asker,
}

/// A finding as it is told to a reader. All that writes findings for machines writes them by this.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    finding: &'a Finding,
    reader: Reader,
}

/// A long text must not crowd out the reason.
const RAW: usize = 200;

impl Finding {
    /// About something that has no place of its own: a whole call, or what a server asks for.
    pub(super) const fn without_place(kind: Kind, action: Effect, key: Key, because: String) -> Self {
        Self {
            kind,
            action,
            key,
            path: None,
            covered: Vec::new(),
            direction: Direction::Unknown,
            argument: String::new(),
            raw: String::new(),
            confidence: Confidence::Declared,
            because,
        }
    }

    /// As it is told to `reader`.
    pub const fn told(&self, reader: Reader) -> Told<'_> {
        Told { finding: self, reader }
    }

    /// On one line, for a person and for the model.
    pub fn line(&self) -> String {
        let place = self.path.as_ref().map_or(String::new(), |path| format!(" `{}`", visible_within(&path.to_string_lossy(), RAW * 2)));
        let argument = if self.argument.is_empty() { String::new() } else { format!(" at {}", visible_within(&self.argument, RAW)) };
        let raw = if self.raw.is_empty() { String::new() } else { format!(" (`{}`)", visible_within(&self.raw, RAW)) };
        let (says, place) = (self.kind.says(), format!("{place}{argument}{raw}"));
        let says = if place.is_empty() { says.trim_end_matches(':') } else { says };
        format!("- {says}{place}: {}", visible_within(&self.because, RAW * 3))
    }
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Told { finding, reader } = *self;
        let path = finding.path.as_ref().map(|path| path.to_string_lossy());
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kind", &finding.kind)?;
        if reader >= Reader::Record {
            members.serialize_entry("action", &format_args!("{}", finding.action))?;
        }
        members.serialize_entry("key", &finding.key.text())?;
        if reader == Reader::Asker || (reader == Reader::Record && path.is_some()) {
            members.serialize_entry("path", &path)?;
        }
        if reader >= Reader::Record {
            members.serialize_entry("direction", &format_args!("{}", finding.direction))?;
        }
        members.serialize_entry("argument", &finding.argument)?;
        if reader == Reader::Asker {
            members.serialize_entry("raw", &finding.raw)?;
            members.serialize_entry("confidence", &finding.confidence)?;
        }
        members.serialize_entry("because", &finding.because)?;
        members.end()
    }
}
