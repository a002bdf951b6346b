//! What people have allowed for longer than one call: for the session, and for good.
use std::path::PathBuf;

use crate::analyse::Definition;
use crate::gate::{Grants, Key, Kind};

use super::store_request::Kept;

/// The session's own copy of the grants; what changes in it goes to the store as well.
#[derive(Debug)]
pub(super) struct Granted {
    session: Grants,
    kept: Vec<Kept>,
}

impl Granted {
    /// What was granted before the session began.
    pub const fn new(session: Grants, kept: Vec<Kept>) -> Self {
        Self { session, kept }
    }

    /// Allows findings of `kind` under `key` for the session.
    pub fn allow(&mut self, kind: Kind, key: Key) {
        self.session.allow(kind, key);
    }

    /// Takes the session's grants for a key of this text back.
    pub fn take_back(&mut self, text: &str) {
        self.session.remove(text);
    }

    /// Holds a grant that is kept for later sessions.
    pub fn keep(&mut self, kept: Kept) {
        self.kept.push(kept);
    }

    /// Directories and files with those that are granted for the session behind them.
    pub fn with_places(&self, mut directories: Vec<PathBuf>, mut files: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
        for (_, key) in self.session.keys() {
            match key {
                Key::Directory(path) => directories.push(path.clone()),
                Key::File(path) => files.push(path.clone()),
                Key::Call(_) => {}
            }
        }
        (directories, files)
    }

    /// What holds for every tool.
    pub const fn for_session(&self) -> &Grants {
        &self.session
    }

    /// Grants of earlier sessions for this tool, as long as its definition is still the one they were given for.
    pub fn for_tool(&self, server: &str, tool: &str, listed: Option<&Definition>) -> Grants {
        let mut grants = Grants::default();
        let mut kept = self.kept.iter().filter(|kept| kept.server == server && kept.tool == tool).peekable();
        let (Some(_), Some(listed)) = (kept.peek(), listed) else { return grants };
        let definition = listed.digest();
        for kept in kept.filter(|kept| kept.definition == definition) {
            grants.allow(kept.kind, kept.key.clone());
        }
        grants
    }
}
