//! What discovery finds in a call: mentions of places, and what it could not follow.
use crate::policy::{Direction, Role};

/// How sure discovery is that a mention is a path; the strongest per key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Found by a name or by the value's shape.
    Guess,
    /// The caller said the call will touch it.
    Expected,
    /// The policy, a server profile, the tool or a command's grammar says it is one.
    Declared,
}

/// What a mention names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Form {
    /// One path as spelled after expansion: absolute (`/…`, not cleaned, `..` kept), or beginning with `~user` that only the
    /// password database can expand. Relative spellings are joined to their base before they come here.
    Path(String),
    /// An absolute shell or tool glob; `locate` expands it against the disk, within a bound.
    Glob(String),
    /// A file that is named only inside another store (`HEAD:.env`, `host:/path`, an archive member): tested against the
    /// sensitive list, never against the permitted directories.
    NameOnly(String),
    /// A URL whose host is checked for private addresses.
    Url(String),
    /// Like `Path`, but for a command that runs after a `cd` that may have failed: it counts only if `directory` (absolute,
    /// spelled like `path`) is not an existing directory.
    Unless {
        /// The path that is touched if the directory could not be entered.
        path: String,
        /// The directory that `cd` was told to enter.
        directory: String,
    },
}

impl Form {
    /// What it names, as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Path(text) | Self::Glob(text) | Self::NameOnly(text) | Self::Url(text) | Self::Unless { path: text, .. } => text,
        }
    }
}

/// When a mention counts. Conditions are facts about the disk, so `locate` decides them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// It always counts.
    Always,
    /// Only if the first component exists at `/` (so that `/api/v1/users` is not a path), or if the name is sensitive.
    FirstComponentExists,
    /// Only if an entry of that name exists (a dangling link is an entry).
    Exists,
}

/// One place that a call names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention {
    /// JSON pointer into the call's arguments, for example `/command` or `/files/0`; `paths` for what the caller declared.
    pub argument: String,
    /// The text as it stood there: a whole value, or one word of a command line.
    pub raw: String,
    /// What the text names, after expansion.
    pub form: Form,
    /// Read or written.
    pub direction: Direction,
    /// How sure it is that this is a place.
    pub confidence: Confidence,
    /// What the disk must say for it to count.
    pub condition: Condition,
    /// Whether the command only *runs* this file (free in the system's program directories).
    pub runs: bool,
    /// Why it is a mention, in words for a person: "operand of `cat`", "argument named `path`".
    pub because: String,
}

/// Something that could not be followed, so a person must be asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unparsed {
    /// JSON pointer of the argument.
    pub argument: String,
    /// The words that made it so, as they stood.
    pub raw: String,
    /// Why, in words for a person.
    pub why: String,
}

/// What was seen of one string or one word, for `explain`; has no effect on the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleNote {
    /// JSON pointer of the argument.
    pub argument: String,
    /// The value or the word.
    pub text: String,
    /// Its role in words: `path`, `pattern of grep`, `message of git commit`.
    pub role: String,
    /// Where the role comes from: `policy`, `server profile filesystem`, `schema`, `name`, `value`, `programs table`.
    pub source: String,
    /// Byte range within the whole argument string when it is one word of a command.
    pub span: Option<(usize, usize)>,
}

/// All that discovery says of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Places that the call reads, writes or runs.
    pub mentions: Vec<Mention>,
    /// What could not be followed.
    pub unparsed: Vec<Unparsed>,
    /// Signs that the call changes something although its tool claims to be read-only: data-changing SQL, an action argument.
    pub writes: Vec<Unparsed>,
    /// Script files that the call runs and whose text is not known yet: absolute paths, as spelled.
    pub scripts: Vec<String>,
    /// For `explain`; filled only when asked for.
    pub notes: Vec<RoleNote>,
}

impl Discovered {
    /// Adds all of `other`.
    pub fn absorb(&mut self, other: Self) {
        self.mentions.extend(other.mentions);
        self.unparsed.extend(other.unparsed);
        self.writes.extend(other.writes);
        self.scripts.extend(other.scripts);
        self.notes.extend(other.notes);
    }
}

/// A role given to an argument, with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The role.
    pub role: Role,
    /// The source, in words.
    pub source: String,
}
