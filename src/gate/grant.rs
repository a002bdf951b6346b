//! What a person allowed: which findings it answers, and for how long.
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Kind, MOST_COVERED};
use super::key::Key;
use super::wording::quoted;

/// Findings of some kinds under one key that a person allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// What it is good for.
    pub key: Key,
    /// The kinds of finding that it answers.
    pub kinds: Vec<Kind>,
    /// How long it holds.
    pub scope: Scope,
    /// Whether the person said that what was found is no path. Such a grant covers no place: only what is found under its very key.
    pub is_no_path: bool,
}

/// How long a grant holds, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// For the one call that was asked about.
    Once,
    /// Until the session ends, for every tool.
    Session,
    /// Until the user takes it back, for one tool as it was defined then.
    Always(ToolVersion),
}

/// A tool as it was defined at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolVersion {
    /// The server's identity: what it is started as, not what it calls itself.
    pub server: String,
    /// The tool, byte for byte.
    pub tool: String,
    /// The digest of the tool's definition.
    pub definition: String,
}

impl Grant {
    /// Allows findings of these kinds under `key`.
    pub const fn new(key: Key, kinds: Vec<Kind>, scope: Scope) -> Self {
        Self { key, kinds, scope, is_no_path: false }
    }

    /// Allows a tool to reach a place for good. A file can be found outside and for its name; the rule that is kept names the place alone.
    pub fn always(tool: ToolVersion, key: Key) -> Self {
        let kinds = match key {
            Key::Directory(_) => vec![Kind::Outside],
            Key::File(_) | Key::Call(_) => vec![Kind::Outside, Kind::Sensitive],
        };
        Self::new(key, kinds, Scope::Always(tool))
    }

    /// Whether it answers what was found under its very key.
    pub(super) fn is_of(&self, finding: &Finding) -> bool {
        self.kinds.contains(&finding.kind) && self.key == finding.key
    }

    /// Whether it allows this path outside the permitted directories. Compared by component.
    pub(super) fn covers(&self, path: &Path) -> bool {
        !self.is_no_path
            && self.kinds.contains(&Kind::Outside)
            && match &self.key {
                Key::Directory(directory) => path.starts_with(directory),
                Key::File(file) => path == file,
                Key::Call(_) => false,
            }
    }

    /// The rule in words, as `allow always` writes it down.
    pub fn rule(&self) -> String {
        let place = match &self.key {
            Key::Directory(path) => format!("{} and all below it", quoted(&path.to_string_lossy())),
            Key::File(path) => format!("the file {}", quoted(&path.to_string_lossy())),
            Key::Call(_) => "nothing".to_owned(),
        };
        match &self.scope {
            Scope::Always(ToolVersion { server, tool, definition }) => format!(
                "allow tool {} of server {} to reach {place}, as long as the tool's definition stays {}",
                quoted(tool),
                quoted(server),
                quoted(definition)
            ),
            Scope::Session => format!("allow every tool to reach {place} until the session ends"),
            Scope::Once => format!("allow one call to reach {place}"),
        }
    }
}

/// Whether `grants` answer `finding`: one by its own key, or for an outside path those of directories above all that it covers.
pub(super) fn answer(grants: &[&Grant], finding: &Finding) -> bool {
    if grants.iter().any(|grant| grant.is_of(finding)) {
        return true;
    }
    let are_named = (1..MOST_COVERED).contains(&finding.covered.len());
    let is_covered = |path: &Path| grants.iter().any(|grant| grant.covers(path));
    finding.kind == Kind::Outside && are_named && finding.covered.iter().all(|path| is_covered(path))
}
