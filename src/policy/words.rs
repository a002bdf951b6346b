//! The words that stand in a policy, and the few that stand beside them: roles, levels, effects, directions, channels, shells.
use std::fmt;

/// A value that a policy gives as one of a few words.
pub(super) trait Word: Sized + Copy + PartialEq + fmt::Debug + 'static {
    /// All words with what they stand for.
    const WORDS: &'static [(&'static str, Self)];
    /// The words alone.
    const NAMES: &'static [&'static str];

    fn from_word(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
    }

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// Makes an enumeration a [`Word`].
macro_rules! words {
    ($type:ident: $($word:literal = $variant:ident),+) => {
        impl Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
            const NAMES: &'static [&'static str] = &[$($word),+];
        }
    };
}

words!(Access: "read_only" = ReadOnly, "full" = Full);
words!(Effect: "allow" = Allow, "ask" = Ask, "deny" = Deny);
words!(Shell: "posix" = Posix, "cmd" = Cmd, "powershell" = PowerShell);
words!(Channel: "elicitation" = Elicitation, "socket" = Socket, "tty" = Tty, "program" = Program);
words!(Require: "any" = Any, "human" = Human);
words!(ArgumentRecord: "digest" = Digest, "full" = Full);

/// What one string of a call's arguments is, and so how it is searched for paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The whole string is one path.
    Path,
    /// The whole string is one path that the tool writes, creates or deletes.
    WritePath,
    /// A shell command line, parsed with the shell grammar (or an `argv` array).
    Command,
    /// A glob: the literal prefix is a path, the alternatives are tested against the sensitive list.
    Pattern,
    /// A URL: `file:` is a path, the host of others is checked for private addresses.
    Url,
    /// A file body, message, prompt or query: not searched for paths.
    Content,
    /// Program text in a known interpreter argument: its string literals are searched for outside paths.
    Code,
    /// SQL text: checked for data-changing statements and file access.
    Sql,
    /// Declared to be nothing that names a path at all.
    Plain,
}

/// What kind of command line an argument of role [`Role::Command`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shell {
    /// POSIX shell or bash.
    #[default]
    Posix,
    /// Windows `cmd.exe`.
    Cmd,
    /// PowerShell.
    PowerShell,
}

/// The session's access level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Access {
    /// Only tools that are explicitly read-only and not destructive.
    ReadOnly,
    /// Every tool.
    #[default]
    Full,
}

/// What a rule or check wants done with a call; the order is the strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Forward it.
    Allow,
    /// Ask a person.
    Ask,
    /// Refuse it.
    Deny,
}

/// Whether a mention is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Only read (or listed, or entered).
    Read,
    /// Not known: treated as a write wherever that is stricter.
    Unknown,
    /// Written, created, changed or deleted.
    Write,
}

/// The platform whose path rules apply; an input of the pure half so that every form is testable anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Linux and other Unix systems.
    Linux,
    /// macOS: volumes fold case and Unicode form.
    MacOs,
    /// Windows: drive letters, UNC, streams, device names.
    Windows,
}

impl Platform {
    /// The platform this program was built for.
    pub const fn host() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// A way to reach a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// A form in the client.
    Elicitation,
    /// A second terminal that runs `callgate approve`.
    Socket,
    /// The gate's own controlling terminal.
    Tty,
    /// A helper program.
    Program,
}

/// Whose answers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Require {
    /// Any channel's.
    Any,
    /// Only those of channels that the client does not control.
    Human,
}

/// How calls' arguments are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArgumentRecord {
    /// As a digest.
    Digest,
    /// As they stood.
    Full,
}

/// A kind of request that goes from server to client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ServerRequest {
    /// `sampling/createMessage`.
    Sampling,
    /// `elicitation/create`.
    Elicitation,
    /// `roots/list`.
    Roots,
}

impl ServerRequest {
    /// The kind of a method, or of the key it stands under in `inputRequests`; nothing for other methods.
    pub fn from_method(method: &str) -> Option<Self> {
        match method {
            "sampling/createMessage" => Some(Self::Sampling),
            "elicitation/create" => Some(Self::Elicitation),
            "roots/list" => Some(Self::Roots),
            _ => None,
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Unknown => "read or write",
            Self::Write => "write",
        })
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::WritePath => "path written",
            Self::Command => "command",
            Self::Pattern => "pattern",
            Self::Url => "url",
            Self::Content => "content",
            Self::Code => "code",
            Self::Sql => "sql",
            Self::Plain => "plain",
        })
    }
}
