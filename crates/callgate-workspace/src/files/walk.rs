//! The walk shared by listing and searching: ignore files honoured, links never followed, caches never entered.
use std::collections::{BTreeMap, BinaryHeap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::work::Stop;

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

/// The files of a tree.
#[derive(Debug, Default)]
pub struct Files {
    /// Paths relative to the start, sorted by bytes.
    pub paths: Vec<OsString>,
    /// Files seen, wanted or not.
    pub seen: u64,
    /// Whether more were wanted than were kept.
    pub more: bool,
    /// Whether the walk was given up before its end.
    pub stopped: bool,
    /// Places that could not be read, in words; the first few.
    pub unreadable: Vec<String>,
}

/// Globs of one call.
const GLOBS: usize = 64;
/// Entries between two looks at the clock.
const STRIDE: usize = 64;
/// Unreadable places that are named.
const NAMED: usize = 5;

/// A walk below `start`.
pub fn builder(start: &Path, include_ignored: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder.follow_links(false).hidden(false).require_git(false);
    builder.ignore(!include_ignored).git_ignore(!include_ignored).git_global(!include_ignored).git_exclude(!include_ignored);
    builder
}

/// The regular files below `start` that are wanted, at most the first `most` by path. The whole tree is seen, so that the answer
/// is the same at every time.
pub fn files(start: &Path, include_ignored: bool, most: usize, stop: &Stop, wanted: impl Fn(&Path) -> bool + Sync) -> Files {
    let mut walk = builder(start, include_ignored);
    walk.threads(threads()).filter_entry(|entry| !is_skipped(entry));
    let all = Mutex::new(Files::default());
    walk.build_parallel().run(|| {
        let mut part = Part { heap: BinaryHeap::new(), files: Files::default(), steps: STRIDE - 1, most, all: &all };
        let wanted = &wanted;
        Box::new(move |step| {
            part.steps += 1;
            if part.steps.is_multiple_of(STRIDE) && stop.now() {
                part.files.stopped = true;
                return WalkState::Quit;
            }
            match step {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => part.see(start, &entry, wanted),
                Ok(_) => {}
                Err(error) => part.files.unreadable.push(error.to_string()),
            }
            WalkState::Continue
        })
    });
    let mut files = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    files.paths.sort_unstable();
    files.more |= files.paths.len() > most;
    files.paths.truncate(most);
    files
}

/// Threads for a walk or a search.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |count| count.get().min(8))
}

/// Says which kinds of files there are, for a filter that matched none.
pub fn kinds(start: &Path, include_ignored: bool, stop: &Stop) -> String {
    let counts = Mutex::new(BTreeMap::<String, u64>::new());
    let seen = files(start, include_ignored, 0, stop, |path| {
        let kind =
            path.extension().map_or_else(|| "without extension".to_owned(), |extension| format!("*.{}", extension.to_string_lossy()));
        *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(kind).or_default() += 1;
        false
    });
    let mut counts: Vec<_> = counts.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let listed: Vec<_> = counts.iter().take(8).map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
    match seen.seen {
        0 => "there are no files here that are not ignored".to_owned(),
        total => format!("there are {total} files here: {}", listed.join(", ")),
    }
}

/// A note on the files that would be found if ignored ones counted, for a filter that matched no other.
pub fn ignored_matches(start: &Path, stop: &Stop, wanted: impl Fn(&Path) -> bool + Sync) -> Option<String> {
    let found = files(start, true, 1, stop, wanted);
    (!found.paths.is_empty()).then(|| "ignored files match; set include_ignored to see them".to_owned())
}

/// Globs from a list separated by blanks. One without a slash is matched at any depth, any other against the whole path.
pub fn globs(patterns: &str) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    let count = patterns.split_whitespace().count();
    if count > GLOBS {
        return Err(format!(
            "there are {count} globs and {GLOBS} can be taken; join them with braces, such as `*.{{rs,toml}}`, or call again"
        ));
    }
    for pattern in patterns.split_whitespace() {
        let whole = if pattern.contains('/') { pattern.trim_start_matches("./").to_owned() } else { format!("**/{pattern}") };
        let glob = GlobBuilder::new(&whole).literal_separator(true).build();
        set.add(glob.map_err(|error| format!("`{}` is no glob: {}", pattern.escape_debug(), error.kind()))?);
    }
    set.build().map_err(|error| format!("the globs are too large together: {}", error.kind()))
}

/// Whether this entry is a directory whose contents are left out.
pub fn is_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir()) && is_cache(entry.path())
}

/// Whether this entry lies directly in such a directory.
pub fn lies_in_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 1 && entry.path().parent().is_some_and(is_cache)
}

/// Notes for places that could not be read.
pub fn unreadable_notes(unreadable: &[String]) -> Vec<String> {
    let mut notes: Vec<_> = unreadable.iter().take(NAMED).map(|error| format!("left out: {}", error.escape_debug())).collect();
    if unreadable.len() > NAMED {
        notes.push(format!("{} more places could not be read", unreadable.len() - NAMED));
    }
    notes
}

/// What one thread found; joined with the others when the thread is done.
struct Part<'a> {
    /// The largest path on top, to be pushed out by a smaller one.
    heap: BinaryHeap<OsString>,
    files: Files,
    /// Entries seen, to look at the clock now and then only.
    steps: usize,
    most: usize,
    all: &'a Mutex<Files>,
}

impl Part<'_> {
    fn see(&mut self, start: &Path, entry: &DirEntry, wanted: &impl Fn(&Path) -> bool) {
        self.files.seen += 1;
        let path = entry.path().strip_prefix(start).unwrap_or(entry.path());
        if !wanted(path) {
            return;
        }
        if self.heap.len() < self.most {
            return self.heap.push(path.as_os_str().to_owned());
        }
        self.files.more = true;
        if let Some(mut largest) = self.heap.peek_mut()
            && path.as_os_str() < largest.as_os_str()
        {
            *largest = path.as_os_str().to_owned();
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.paths.extend(std::mem::take(&mut self.heap));
        all.seen += self.files.seen;
        all.more |= self.files.more;
        all.stopped |= self.files.stopped;
        all.unreadable.append(&mut self.files.unreadable);
    }
}

fn is_cache(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SKIPPED.contains(&name))
}
