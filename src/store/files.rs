//! The user's store: kept grants in their file, all else in memory.
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::gate::{Grant, GrantStore, Scope};
use crate::session::{StoreRequest, Stored};

use super::grants::{GrantFile, GrantFileError};
use super::{Memory, Store};

/// A store with the user's grants file.
#[derive(Debug, Default)]
pub struct Files {
    memory: Memory,
    grants: Option<PathBuf>,
}

impl Files {
    /// Opens the user's. Where no state directory is known nothing is kept.
    ///
    /// # Errors
    /// A file that is damaged, or open to others, stops the start: a gate must not guess what the user once allowed.
    pub fn open() -> Result<Self, GrantFileError> {
        GrantFile::default_path().map_or_else(|_| Ok(Self::default()), Self::at)
    }

    /// Opens the store whose grants file is here.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn at(path: PathBuf) -> Result<Self, GrantFileError> {
        let kept = GrantFile::load(&path)?.list().iter().cloned().collect();
        Ok(Self { memory: Memory::of(kept), grants: Some(path) })
    }

    /// What was granted, for a session that begins: for the session, and for good.
    pub fn granted(&self) -> GrantStore {
        self.memory.granted()
    }
}

impl Store for Files {
    fn carry_out(&mut self, request: StoreRequest, now: Duration) -> Option<Stored> {
        if let StoreRequest::Grant(grant) = &request
            && matches!(grant.scope, Scope::Always(_))
            && let Err(problem) = keep(self.grants.as_deref(), grant)
        {
            tracing::warn!("the grant holds for this session but could not be kept: {problem}");
        }
        self.memory.carry_out(request, now)
    }
}

fn keep(path: Option<&Path>, grant: &Grant) -> Result<(), GrantFileError> {
    let path = path.ok_or(GrantFileError::NoPlace)?;
    GrantFile::load(path)?.add(grant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Key, ToolVersion};

    fn request(key: Key) -> StoreRequest {
        let (server, tool, definition) = ("s".to_owned(), "t".to_owned(), "d".to_owned());
        StoreRequest::Grant(Box::new(Grant::always(ToolVersion { server, tool, definition }, key)))
    }

    #[test]
    fn what_is_kept_is_there_when_the_store_is_opened_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("grants.toml");
        let mut store = Files::at(path.clone()).unwrap();
        assert!(store.granted().is_empty());
        assert_eq!(store.carry_out(request(Key::Directory("/out".into())), Duration::ZERO), None);
        assert_eq!(store.carry_out(request(Key::Call("digest".to_owned())), Duration::ZERO), None, "no place a file could name");
        let again = Files::at(path).unwrap().granted();
        assert_eq!(again.iter().map(|grant| grant.key.text()).collect::<Vec<_>>(), ["/out"]);
        assert_eq!(store.granted().iter().count(), 2, "for this session it holds all the same");
    }
}
