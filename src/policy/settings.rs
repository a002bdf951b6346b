//! What a policy says beside paths, tools and rules: asking, audit, limits, servers and the words for them.
use std::collections::BTreeMap;
use std::time::Duration;

use super::model::Sourced;
use super::role::{Access, Effect};
use super::tool::ToolEntry;

/// A way to reach a person (design 10).
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

/// `[approval]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The channels to try, in this order.
    pub channels: Sourced<Vec<Channel>>,
    /// Whose answers count.
    pub require: Sourced<Require>,
    /// How long a question stays open; nothing leaves it to the table of clients.
    pub timeout: Option<Sourced<Duration>>,
    /// An approval that comes sooner than this after the question is not believed.
    pub minimum_answer: Sourced<Duration>,
    /// More questions than this are not asked within a minute; 0 is no limit.
    pub questions_per_minute: Sourced<u64>,
    /// After so many refusals of one kind of finding within a minute it is not asked about; 0 asks on.
    pub refusals_per_minute: Sourced<u64>,
    /// The helper program, absolute.
    pub program: Option<Sourced<String>>,
}

/// `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSettings {
    /// Where to write; nothing is the user's state directory.
    pub file: Option<Sourced<String>>,
    /// How arguments are recorded.
    pub arguments: Sourced<ArgumentRecord>,
}

/// `[limits]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest message, in bytes.
    pub message_bytes: Sourced<u64>,
    /// The deepest nesting of a message.
    pub depth: Sourced<u64>,
    /// Seconds until a call is given up; 0 waits for ever.
    pub call_timeout: Sourced<u64>,
}

impl Limits {
    /// Until when a call is waited for; nothing when for ever.
    pub fn call_timeout(&self) -> Option<Duration> {
        (self.call_timeout.value > 0).then(|| Duration::from_secs(self.call_timeout.value))
    }
}

/// `[servers.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Server {
    /// The program that is the server.
    pub command: Option<Sourced<String>>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Names of the environment variables it gets.
    pub env: Vec<String>,
    /// The directory it starts in; nothing is the root.
    pub cwd: Option<Sourced<String>>,
    /// Where it listens, if it is not started here.
    pub url: Option<Sourced<String>>,
    /// Its own access level.
    pub access: Option<Sourced<Access>>,
    /// Whether its annotations count.
    pub trust_annotations: Option<Sourced<bool>>,
    /// The profile that the user says fits it, or `none`.
    pub profile: Option<Sourced<String>>,
    /// Whether relative path arguments are made absolute against the root.
    pub rewrite_relative: Option<Sourced<bool>>,
    pub(super) tools: BTreeMap<String, ToolEntry>,
}

impl Server {
    /// Whether it says how the server is reached, and not only how it is judged.
    pub fn is_reachable(&self) -> bool {
        self.command.is_some() || self.url.is_some()
    }
}

/// A word of a policy and what it stands for.
pub(super) trait Word: Sized + Copy + 'static {
    /// All words.
    const WORDS: &'static [(&'static str, Self)];

    fn from_word(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
    }
}

impl Word for Access {
    const WORDS: &'static [(&'static str, Self)] = &[("read_only", Self::ReadOnly), ("full", Self::Full)];
}

impl Word for Effect {
    const WORDS: &'static [(&'static str, Self)] = &[("allow", Self::Allow), ("ask", Self::Ask), ("deny", Self::Deny)];
}

impl Word for super::role::Shell {
    const WORDS: &'static [(&'static str, Self)] = &[("posix", Self::Posix), ("cmd", Self::Cmd), ("powershell", Self::PowerShell)];
}

impl Word for Channel {
    const WORDS: &'static [(&'static str, Self)] =
        &[("elicitation", Self::Elicitation), ("socket", Self::Socket), ("tty", Self::Tty), ("program", Self::Program)];
}

impl Word for Require {
    const WORDS: &'static [(&'static str, Self)] = &[("any", Self::Any), ("human", Self::Human)];
}

impl Word for ArgumentRecord {
    const WORDS: &'static [(&'static str, Self)] = &[("digest", Self::Digest), ("full", Self::Full)];
}

impl Word for ServerRequest {
    const WORDS: &'static [(&'static str, Self)] =
        &[("sampling", Self::Sampling), ("elicitation", Self::Elicitation), ("roots", Self::Roots)];
}
