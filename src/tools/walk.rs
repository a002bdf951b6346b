//! The walk shared by listing and searching: ignore files honoured, links never followed, caches never entered.
use std::path::Path;

use ignore::{DirEntry, WalkBuilder};

/// Directories that are named but never entered, except as the start of a walk: version control, environments and caches.
pub const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".bzr",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".terraform",
    ".direnv",
];

/// A walk below `start`.
pub fn builder(start: &Path, include_ignored: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder.follow_links(false).hidden(false).require_git(false);
    builder.ignore(!include_ignored).git_ignore(!include_ignored).git_global(!include_ignored).git_exclude(!include_ignored);
    builder
}

/// Whether this entry is a directory whose contents are left out.
pub fn is_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir()) && is_cache(entry.path())
}

/// Whether this entry lies directly in such a directory.
pub fn lies_in_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 1 && entry.path().parent().is_some_and(is_cache)
}

fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SKIPPED.contains(&name))
}
