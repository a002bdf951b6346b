//! Other names of a file that has several: a dotfile of the user's that a hard link shares its file with, and its names inside the
//! permitted directories.
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::look::FileIdentity;

/// Where credentials lie below the home directory, itself included; what is in them is known by its name alone.
const DIRECTORIES: &[&str] =
    &["", ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gh", ".config/gcloud", ".config/rclone", ".cargo"];
/// How many entries of one such directory are looked at.
const MOST_ENTRIES: usize = 256;
/// How many entries of permitted directories are looked at in one call for the names of its files.
const MOST_LOOKED_THROUGH: usize = 65_536;
/// How long that may take in one call.
const LONGEST_SEARCH: Duration = Duration::from_millis(200);
/// Stores whose files are links to one copy for the whole machine: package managers and build tools make them so as a habit.
const STORES: &[&str] = &[
    "node_modules",
    ".pnpm",
    ".pnpm-store",
    ".yarn",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".uv",
    "target",
    "__pycache__",
    "objects",
    "conda-meta",
    "pkgs",
    "envs",
    "vendor",
    "bazel-out",
    ".nx",
    ".turbo",
    ".gradle",
    ".ccache",
];

/// The other names of the files of one call.
#[derive(Debug, Default)]
pub struct Twins {
    known: Option<HashMap<FileIdentity, PathBuf>>,
    looked_through: usize,
    spent: Duration,
}

impl Twins {
    /// The dotfile that is the same file, if there is one.
    pub fn of(&mut self, identity: FileIdentity, home: &Path) -> Option<PathBuf> {
        self.known.get_or_insert_with(|| look_up(home)).get(&identity).cloned()
    }

    /// The names of the file below `permitted`, until all of them are found or the bound is reached.
    pub fn inside(&mut self, identity: FileIdentity, permitted: &[PathBuf]) -> Vec<PathBuf> {
        let begun = Instant::now();
        let mut found = Vec::new();
        let mut open: VecDeque<PathBuf> = permitted.iter().cloned().collect();
        while let Some(directory) = open.pop_front() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let is_over = found.len() >= identity.names() || self.looked_through >= MOST_LOOKED_THROUGH;
                if is_over || self.spent + begun.elapsed() > LONGEST_SEARCH {
                    self.spent += begun.elapsed();
                    return found;
                }
                self.looked_through += 1;
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push_back(entry.path());
                } else if identity.is(&entry) && !found.contains(&entry.path()) {
                    found.push(entry.path());
                }
            }
        }
        self.spent += begun.elapsed();
        found
    }
}

/// Whether a file lies in a store, where several names are the rule.
pub fn is_in_store(path: &Path) -> bool {
    path.components().any(|component| component.as_os_str().to_str().is_some_and(|name| STORES.contains(&name)))
}

fn look_up(home: &Path) -> HashMap<FileIdentity, PathBuf> {
    let listed = |directory: &&str| Some((directory.is_empty(), std::fs::read_dir(home.join(directory)).ok()?));
    let entries = DIRECTORIES.iter().filter_map(listed).flat_map(|(is_home, listing)| {
        let counts = move |name: &std::ffi::OsStr| !is_home || name.as_encoded_bytes().starts_with(b".");
        listing.take(MOST_ENTRIES).flatten().filter(move |entry| counts(&entry.file_name()))
    });
    entries.filter_map(|entry| Some((FileIdentity::shared(&entry.metadata().ok()?)?, entry.path()))).collect()
}
