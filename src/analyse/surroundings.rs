//! Facts about the machine and the session that the pure half takes as arguments.
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::policy::Platform;

/// Where a call is made from. Filled once per session by the edges; paths are absolute and resolved.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The project root, and the directory relative paths start from.
    pub root: PathBuf,
    /// The root as it was spelled before links were resolved; relative commands may see either.
    pub spelled_root: PathBuf,
    /// The user's home directory, if known.
    pub home: Option<PathBuf>,
    /// Permitted directories, the root among them.
    pub allowed_directories: Vec<PathBuf>,
    /// Single permitted files (this also frees them from the sensitive check).
    pub allowed_files: Vec<PathBuf>,
    /// Environment variables that are known to the shell the upstream would start: `HOME`, `PWD`, `USER`, `TMPDIR`, …
    pub variables: BTreeMap<String, String>,
    /// Whose path rules apply.
    pub platform: Platform,
    /// Whether names on the root's volume fold case.
    pub folds_case: bool,
}
