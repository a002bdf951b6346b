//! What the disk says of the mentions: filled by `locate`, read by `judge`.
use std::path::PathBuf;

use crate::analyse::Mention;

/// One resolved reading of a mention. A mention has several when a glob matches several entries or when `..` after a link
/// reads differently to the shell (logically) and to the kernel (physically).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path with every link resolved as far as it exists; absolute, no `.` or `..`.
    pub path: PathBuf,
    /// The same path as spelled: absolute, cleaned lexically, links kept.
    pub spelled: PathBuf,
    /// Whether the entry exists.
    pub exists: bool,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether a link was followed on the way below the permitted directory.
    pub through_link: bool,
    /// Whether the file has another name (a hard link) that was not found inside the permitted directories.
    pub reaches_elsewhere: bool,
}

/// What became of one mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It stands for these places (none for a form that has no place, such as a URL).
    Places(Vec<Place>),
    /// Its condition does not hold; it counts for nothing.
    Void,
    /// It could not be resolved, and why: a loop, no permission to look, a NUL, a name too long, too many matches, a time-out.
    Unresolved(String),
}

/// A mention with what the disk says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub mention: Mention,
    /// What became of it.
    pub outcome: Outcome,
}

impl Located {
    /// Each of `mentions` with its outcome, in the same order. One that has none could not be looked up, and is never dropped.
    pub fn paired(mentions: Vec<Mention>, outcomes: Vec<Outcome>) -> Vec<Self> {
        let failed = || Outcome::Unresolved("the look-up failed".to_owned());
        let outcomes = outcomes.into_iter().chain(std::iter::repeat_with(failed));
        mentions.into_iter().zip(outcomes).map(|(mention, outcome)| Self { mention, outcome }).collect()
    }
}
