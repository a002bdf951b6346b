//! What a person has allowed: keys that answer findings.
use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Kind, MOST_COVERED};
use super::key::Key;

/// Allowed keys. Used for the session's grants and for the answers to one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    keys: BTreeSet<(Kind, Key)>,
    not_paths: BTreeSet<(Kind, Key)>,
}

impl Grants {
    /// Allows findings of `kind` under `key`.
    pub fn allow(&mut self, kind: Kind, key: Key) {
        self.keys.insert((kind, key));
    }

    /// Says that what was found under `key` is no path; counts only against guesses.
    pub fn dismiss(&mut self, kind: Kind, key: Key) {
        self.not_paths.insert((kind, key));
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.keys.extend(other.keys.iter().cloned());
        self.not_paths.extend(other.not_paths.iter().cloned());
    }

    /// Takes back every key whose text is `text`; says whether there was one.
    pub fn remove(&mut self, text: &str) -> bool {
        let before = self.keys.len();
        self.keys.retain(|(_, key)| key.text() != text);
        before != self.keys.len()
    }

    /// What was allowed, without what was only dismissed.
    pub fn keys(&self) -> impl Iterator<Item = &(Kind, Key)> {
        self.keys.iter()
    }

    /// Whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.not_paths.is_empty()
    }

    /// Whether `finding` is answered: by its own key, or for an outside path by a directory above it. Compared by component.
    pub fn answer(&self, finding: &Finding) -> bool {
        let own = (finding.kind, finding.key.clone());
        if self.keys.contains(&own) || self.not_paths.contains(&own) {
            return true;
        }
        let named = 1..MOST_COVERED;
        finding.kind == Kind::Outside && named.contains(&finding.covered.len()) && finding.covered.iter().all(|path| self.covers(path))
    }

    fn covers(&self, path: &Path) -> bool {
        self.keys.iter().any(|(kind, key)| match key {
            Key::Directory(directory) => *kind == Kind::Outside && path.starts_with(directory),
            Key::File(file) => *kind == Kind::Outside && path == file,
            Key::Call(_) => false,
        })
    }
}
