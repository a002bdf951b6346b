//! Findings: what speaks against a call, each independent of the others.
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::analyse::Confidence;
use crate::policy::{Direction, Effect};

use super::key::Key;

/// The kind of a finding; the name is what `check --json` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::UnknownTool,
        Self::Definition,
        Self::Access,
        Self::Outside,
        Self::Sensitive,
        Self::Unparsed,
        Self::PrivateAddress,
        Self::Rule,
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
        }
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
