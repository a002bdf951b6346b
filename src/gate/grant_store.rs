//! All that people have allowed, for a call, for a session and for good.
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::analyse::Definition;

use super::finding::Finding;
use super::grant::{Grant, Scope, answer};
use super::key::Key;

/// Grants, each once, in the order in which they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantStore {
    grants: Vec<Grant>,
}

impl GrantStore {
    /// Holds a grant from now on.
    pub fn add(&mut self, grant: Grant) {
        if !self.grants.contains(&grant) {
            self.grants.push(grant);
        }
    }

    /// Takes back what was granted at this place for the session.
    pub fn take_back(&mut self, place: &Path) {
        self.grants.retain(|grant| grant.scope != Scope::Session || grant.key.place() != Some(place));
    }

    /// Every grant.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.grants.iter()
    }

    /// Whether nothing is granted.
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// Those that hold for every tool until the session ends.
    pub fn for_session(&self) -> impl Iterator<Item = &Grant> {
        self.iter().filter(|grant| grant.scope == Scope::Session)
    }

    /// Directories and files, and behind them those that are granted for the session.
    pub fn with_places(&self, mut directories: Vec<PathBuf>, mut files: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
        for key in self.for_session().map(|grant| &grant.key).collect::<BTreeSet<_>>() {
            match key {
                Key::Directory(path) => directories.push(path.clone()),
                Key::File(path) => files.push(path.clone()),
                Key::Call(_) => {}
            }
        }
        (directories, files)
    }

    /// Whether what holds for every tool answers `finding`.
    pub fn answers(&self, finding: &Finding) -> bool {
        answer(&self.for_session().collect::<Vec<_>>(), finding)
    }

    /// Those that hold for a call of this tool. What was granted for good is void where the tool is defined otherwise, or not at all.
    pub(super) fn for_tool<'s>(&'s self, (server, tool): (&str, &str), definition: Option<&Definition>) -> impl Iterator<Item = &'s Grant> {
        let now = OnceCell::new();
        self.iter().filter(move |grant| match &grant.scope {
            Scope::Once | Scope::Session => true,
            Scope::Always(version) => {
                let is_same = |definition: &Definition| *now.get_or_init(|| definition.digest()) == version.definition;
                version.server == server && version.tool == tool && definition.is_some_and(is_same)
            }
        })
    }
}

impl FromIterator<Grant> for GrantStore {
    fn from_iter<T: IntoIterator<Item = Grant>>(grants: T) -> Self {
        let mut store = Self::default();
        store.extend(grants);
        store
    }
}

impl Extend<Grant> for GrantStore {
    fn extend<T: IntoIterator<Item = Grant>>(&mut self, grants: T) {
        grants.into_iter().for_each(|grant| self.add(grant));
    }
}

impl IntoIterator for GrantStore {
    type Item = Grant;
    type IntoIter = std::vec::IntoIter<Grant>;

    fn into_iter(self) -> Self::IntoIter {
        self.grants.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::finding::Kind;
    use super::super::grant::ToolVersion;
    use super::*;
    use crate::analyse::Confidence;
    use crate::policy::{Direction, Effect};

    fn definition(version: &str) -> Definition {
        Definition::from_value(json!({ "name": "read_file", "description": version }))
    }

    fn kept(key: Key) -> Grant {
        let (server, tool) = ("npx files".to_owned(), "read_file".to_owned());
        Grant::always(ToolVersion { server, tool, definition: definition("d1").digest() }, key)
    }

    fn directory(path: &str) -> Key {
        Key::Directory(path.into())
    }

    fn file(path: &str) -> Key {
        Key::File(path.into())
    }

    /// A file is asked about for its name, a directory because it lies outside.
    fn finding(key: &Key) -> Finding {
        let (kind, path) = match key {
            Key::Directory(path) => (Kind::Outside, Some(path.join("a"))),
            Key::File(path) => (Kind::Sensitive, Some(path.clone())),
            Key::Call(_) => (Kind::Outside, None),
        };
        Finding {
            kind,
            action: Effect::Ask,
            key: key.clone(),
            covered: path.clone().into_iter().collect(),
            path,
            direction: Direction::Read,
            argument: String::new(),
            raw: String::new(),
            confidence: Confidence::Declared,
            because: String::new(),
        }
    }

    #[test]
    fn a_kept_grant_is_for_its_server_tool_definition_and_place() {
        let store = GrantStore::from_iter([kept(directory("/srv/data")), kept(file("/p/.env"))]);
        let table = [
            ("npx files", "read_file", "d1", directory("/srv/data"), true),
            ("npx files", "read_file", "d1", directory("/srv/data/deep"), true),
            ("npx files", "read_file", "d1", file("/p/.env"), true),
            ("npx files", "read_file", "d2", directory("/srv/data"), false),
            ("npx other", "read_file", "d1", directory("/srv/data"), false),
            ("npx files", "Read_file", "d1", directory("/srv/data"), false),
            ("npx files", "read_file", "d1", directory("/srv"), false),
            ("npx files", "read_file", "d1", directory("/srv/database"), false),
            ("npx files", "read_file", "d1", file("/srv/data/.env"), false),
            ("npx files", "read_file", "d1", directory("/p/.env"), false),
            ("npx files", "read_file", "d1", Key::Call("/srv/data".to_owned()), false),
        ];
        for (server, tool, version, key, allowed) in table {
            let definition = definition(version);
            let grants: Vec<&Grant> = store.for_tool((server, tool), Some(&definition)).collect();
            assert_eq!(answer(&grants, &finding(&key)), allowed, "{server} {tool} {version} {key:?}");
        }
        assert_eq!(store.for_tool(("npx files", "read_file"), None).count(), 0, "a tool that is not listed");
        assert!(!store.answers(&finding(&directory("/srv/data"))), "not for every tool");
    }

    #[test]
    fn what_is_no_path_answers_for_nothing_below_it() {
        let outside = |is_no_path| Grant { is_no_path, ..Grant::new(directory("/srv"), vec![Kind::Outside], Scope::Session) };
        for (is_no_path, below) in [(false, true), (true, false)] {
            let store = GrantStore::from_iter([outside(is_no_path)]);
            assert!(store.answers(&finding(&directory("/srv"))));
            assert_eq!(store.answers(&finding(&directory("/srv/data"))), below);
        }
    }

    #[test]
    fn what_was_granted_by_hand_is_taken_back_by_its_place_and_what_is_kept_stays() {
        let session = |key| Grant::new(key, vec![Kind::Outside], Scope::Session);
        let all = [session(directory("/a")), session(file("/a")), session(directory("/a/b")), kept(directory("/a"))];
        let mut store = GrantStore::from_iter(all.clone().into_iter().chain(all.clone()));
        store.take_back(Path::new("/a"));
        assert_eq!(store.into_iter().collect::<Vec<_>>(), all[2..]);
    }
}
