//! The user's store: kept grants in their file, all else in memory.
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::gate::{Grants, Key, Kind};
use crate::session::{Kept, StoreRequest, Stored};

use super::grants::{self, Grant, GrantsError};
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
    pub fn open() -> Result<Self, GrantsError> {
        grants::Grants::default_path().map_or_else(|_| Ok(Self::default()), Self::at)
    }

    /// Opens the store whose grants file is here.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn at(path: PathBuf) -> Result<Self, GrantsError> {
        let mut memory = Memory::default();
        let kept = grants::Grants::load(&path)?.list().iter().flat_map(as_kept).collect();
        memory.hold(kept);
        Ok(Self { memory, grants: Some(path) })
    }

    /// What was granted, for a session that begins: for the session, and for good.
    pub fn granted(&self) -> (Grants, Vec<Kept>) {
        self.memory.granted()
    }
}

impl Store for Files {
    fn carry_out(&mut self, request: StoreRequest, now: Duration) -> Option<Stored> {
        if let StoreRequest::Keep(kept) = &request
            && let Err(problem) = keep(self.grants.as_deref(), kept)
        {
            tracing::warn!("the grant holds for this session but could not be kept: {problem}");
        }
        self.memory.carry_out(request, now)
    }
}

fn keep(path: Option<&Path>, kept: &Kept) -> Result<(), GrantsError> {
    let path = path.ok_or(GrantsError::NoPlace)?;
    grants::Grants::load(path)?.add(Grant::new(&kept.server, &kept.tool, &kept.definition, &kept.key)?)
}

/// A kept file stands for both findings that can be about one.
fn as_kept(grant: &Grant) -> Vec<Kept> {
    let directory = grant.directory.iter().map(|path| (Kind::Outside, Key::Directory(path.clone())));
    let file = grant.file.iter().flat_map(|path| [Kind::Outside, Kind::Sensitive].map(|kind| (kind, Key::File(path.clone()))));
    let of = |(kind, key)| Kept { server: grant.server.clone(), tool: grant.tool.clone(), definition: grant.definition.clone(), kind, key };
    directory.chain(file).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(key: Key) -> StoreRequest {
        let (server, tool, definition) = ("s".to_owned(), "t".to_owned(), "d".to_owned());
        StoreRequest::Keep(Box::new(Kept { server, tool, definition, kind: Kind::Outside, key }))
    }

    #[test]
    fn what_is_kept_is_there_when_the_store_is_opened_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("grants.toml");
        let mut store = Files::at(path.clone()).unwrap();
        assert_eq!(store.granted().1, []);
        assert_eq!(store.carry_out(request(Key::Directory("/out".into())), Duration::ZERO), None);
        assert_eq!(store.carry_out(request(Key::Call("digest".to_owned())), Duration::ZERO), None, "no place a file could name");
        let again = Files::at(path).unwrap().granted().1;
        assert_eq!(again.iter().map(|kept| kept.key.text()).collect::<Vec<_>>(), ["/out"]);
        assert_eq!(store.granted().1.len(), 2, "for this session it holds all the same");
    }
}
