//! The only place that asks the disk what a path is: one resolver for the root, the permitted directories and every mention.
//!
//! Everything here blocks; the caller runs it on a worker with a deadline, because a dead mount can hold any of these calls, unless
//! it knows that they cannot.
mod expand;
mod home;
mod look;
mod mounts;
mod outcome;
mod scripts;
mod surroundings;
mod twin;
mod walk;

use std::path::{Path, PathBuf};

use crate::analyse::{Form, Mention, Surroundings};
use crate::gate::{Located, Outcome};

pub use look::LookError;
pub use scripts::scripts;
pub use surroundings::{PermittedEntry, RelativeTo, SurroundingsError, SurroundingsOptions, surroundings};
pub use walk::Resolved;

/// Looks at the disk for each mention: whether its condition holds, which places it stands for, with every link followed. The
/// order is kept. A mention that cannot be resolved is never dropped: it is [`crate::gate::Outcome::Unresolved`].
pub fn locate(mentions: Vec<Mention>, surroundings: &Surroundings) -> Vec<Located> {
    let outcomes = outcomes(&mentions, surroundings);
    Located::paired(mentions, outcomes)
}

/// What [`locate`] finds of each mention, in the same order.
pub fn outcomes(mentions: &[Mention], surroundings: &Surroundings) -> Vec<Outcome> {
    let mut finder = outcome::MentionLocator::new(surroundings);
    mentions.iter().map(|mention| finder.outcome(mention)).collect()
}

/// More mentions than this are never looked up at once.
const MOST_AT_ONCE: usize = 64;

/// As [`outcomes`], if the disk cannot keep that waiting; else nothing, so that a thread of its own can take it. A look-up that meets a
/// link (which could lead anywhere), a glob, or a file system that another machine or program answers for is not done at once.
pub fn outcomes_at_once(mentions: &[Mention], surroundings: &Surroundings) -> Option<Vec<Outcome>> {
    let is_plain = |mention: &Mention| match &mention.form {
        Form::Path(path) => !path.starts_with('~') || path.starts_with("~/"),
        Form::Url(_) | Form::NameOnly(_) => true,
        Form::Glob(_) | Form::Unless { .. } => false,
    };
    if mentions.len() > MOST_AT_ONCE || !mentions.iter().all(is_plain) {
        return None;
    }
    let mut finder = outcome::MentionLocator::new(surroundings).at_once(mounts::Mounts::current()?);
    let outcome = |mention: &Mention| Some(finder.outcome(mention)).filter(|_| !finder.would_wait());
    mentions.iter().map(outcome).collect()
}

/// Resolves one path, relative ones against `base`: the deepest existing ancestor with all links followed, `..` applied where it
/// stands, what does not exist appended.
///
/// # Errors
/// When it cannot be known what the path names.
pub fn resolve_one(path: &Path, base: &Path) -> Result<Resolved, LookError> {
    let whole = base.join(path);
    let text = whole.to_str().ok_or(LookError::NotUnicode)?;
    walk::Walker::new(base.to_path_buf(), Vec::new()).resolve(text)
}

/// The path with `.`, `..` and doubled slashes taken out by text alone, links unseen.
fn cleaned(text: &str) -> PathBuf {
    let mut kept = PathBuf::from("/");
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    kept
}

#[cfg(test)]
mod tests;
