//! How a tool stands to what was accepted of it: listed or not, changed or not, locked or not.
use super::difference::Difference;
use crate::analyse::Definition;

/// Whether the tool is one the server has, and the one that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinStatus {
    /// Listed, and its definition is the accepted one.
    Known,
    /// Not in the catalogue, byte for byte.
    Unknown,
    /// Listed, but its definition is not the accepted one.
    Changed {
        /// What it was compared with.
        since: Since,
        /// What a person has to look at before the new definition counts.
        difference: Difference,
        /// By which the new definition is accepted: SHA-256 of it.
        digest: String,
    },
    /// Listed, but the lock file, which is required, does not name it.
    Unlocked {
        /// The definition's digest.
        digest: String,
    },
    /// Not a tool: a resource, prompt or task, whose names the gate does not list.
    NotATool,
}

/// How a definition came to be the accepted one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The session saw it first, or a person accepted it in the session.
    Session,
    /// It stands in the lock file.
    Lock,
}

impl PinStatus {
    /// How the definition `now` stands to the one that was accepted, if there is one.
    pub fn of(now: &Definition, accepted: Option<(&Definition, Since)>) -> Self {
        let Some((accepted, since)) = accepted else { return Self::Unlocked { digest: now.digest() } };
        match now.changed_since(accepted) {
            None => Self::Known,
            Some(difference) => Self::Changed { since, difference, digest: now.digest() },
        }
    }

    /// The digest of a definition that a person has to accept first, and why in words.
    pub(super) fn to_accept(&self) -> Option<(&str, String)> {
        match self {
            Self::Known | Self::Unknown | Self::NotATool => None,
            Self::Changed { since, difference, digest } => {
                let since = match since {
                    Since::Session => "this session first saw it",
                    Since::Lock => "it was locked",
                };
                Some((digest, format!("its definition changed since {since}: {}", difference.parts.join(", "))))
            }
            Self::Unlocked { digest } => {
                Some((digest, "the lock file does not name this tool of this server; `callgate lock` accepts it for good".to_owned()))
            }
        }
    }

    /// What changed, line by line; foreign text, not yet made visible.
    pub fn changed_lines(&self) -> &[String] {
        match self {
            Self::Changed { difference, .. } => &difference.lines,
            Self::Known | Self::Unknown | Self::Unlocked { .. } | Self::NotATool => &[],
        }
    }
}
