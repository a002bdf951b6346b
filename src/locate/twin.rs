//! Other names of a file that has several: whether a hard link inside the root shares its file with a dotfile of the user's.
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::look::Identity;

/// Where credentials lie below the home directory, itself included; what is in them is known by its name alone.
const DIRECTORIES: &[&str] =
    &["", ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gh", ".config/gcloud", ".config/rclone", ".cargo"];
/// How many entries of one such directory are looked at.
const MOST_ENTRIES: usize = 256;

/// The files behind the user's dotfiles, looked up when the first file with several names is met.
#[derive(Debug, Default)]
pub struct Twins {
    known: Option<HashMap<Identity, PathBuf>>,
}

impl Twins {
    /// The dotfile that is the same file, if there is one.
    pub fn of(&mut self, identity: Identity, home: &Path) -> Option<PathBuf> {
        self.known.get_or_insert_with(|| look_up(home)).get(&identity).cloned()
    }
}

fn look_up(home: &Path) -> HashMap<Identity, PathBuf> {
    let listed = |directory: &&str| Some((directory.is_empty(), std::fs::read_dir(home.join(directory)).ok()?));
    let entries = DIRECTORIES.iter().filter_map(listed).flat_map(|(is_home, listing)| {
        let counts = move |name: &std::ffi::OsStr| !is_home || name.as_encoded_bytes().starts_with(b".");
        listing.take(MOST_ENTRIES).flatten().filter(move |entry| counts(&entry.file_name()))
    });
    entries.filter_map(|entry| Some((Identity::shared(&entry.metadata().ok()?)?, entry.path()))).collect()
}
