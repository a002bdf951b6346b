//! What may be answered for a key, in which words, and by which channel an answer came.

/// A decision about one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    Deny,
    /// Allow this call and no other.
    Once,
    /// Allow until the session ends.
    Session,
    /// Allow from now on: a rule in the user's grants file.
    Always,
    /// The text is no path; let this call pass.
    NotAPath,
}

/// Where an answer came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// The client's elicitation form.
    Elicitation,
    /// `callgate approve` in another terminal.
    Socket {
        /// Who answered: process, user and terminal, in words.
        peer: String,
    },
    /// The gate's controlling terminal.
    Terminal,
    /// The helper program that the command line names.
    Program,
}

impl Choice {
    /// Every choice, `deny` first.
    pub const ALL: [Self; 5] = [Self::Deny, Self::Once, Self::Session, Self::Always, Self::NotAPath];

    /// The words a person reads and picks, and the only ones that are taken back.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Once => "allow once",
            Self::Session => "allow for this session",
            Self::Always => "allow always",
            Self::NotAPath => "not a path",
        }
    }

    /// The choice of exactly these words.
    pub fn from_words(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.words() == words)
    }
}

impl Channel {
    /// The word for the audit and for messages.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Socket { .. } => "socket",
            Self::Terminal => "terminal",
            Self::Program => "program",
        }
    }
}
