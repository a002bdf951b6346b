//! `list_files`: what is in a directory.
use std::path::Path;
use std::time::UNIX_EPOCH;

use globset::GlobSet;
use ignore::DirEntry;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::files::walk;
use crate::outcome::{Payload, payloads};
use crate::place::Base;
use crate::work::Stop;

/// Arguments of `list_files`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// Directory to list, relative to the root or absolute.
    #[serde(default = "here")]
    pub path: String,
    /// Only names that match one of these globs, separated by blanks, for example `*.rs *.toml`.
    #[serde(default = "everything")]
    pub pattern: String,
    /// Whether to descend into directories.
    #[serde(default)]
    pub recursive: bool,
    /// How deep to descend when recursive; 1 is the directory itself.
    pub max_depth: Option<u32>,
    /// Whether files are listed.
    #[serde(default = "yes")]
    pub include_files: bool,
    /// Whether directories are listed.
    #[serde(default = "yes")]
    pub include_directories: bool,
    /// Whether entries that an ignore file excludes are listed.
    #[serde(default)]
    pub include_ignored: bool,
    /// Entries to return at most, up to 10000.
    #[serde(default = "hundred")]
    pub max_results: u32,
}

/// One entry of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Entry {
    /// Path relative to the listed directory.
    pub path: String,
    /// `file`, `directory`, `link` or `other`. Links are never followed.
    pub kind: String,
    /// Size in bytes, for files.
    pub size: Option<u64>,
    /// Time of the last change in seconds since 1970-01-01 UTC.
    pub modified: Option<u64>,
    /// Where a link points, as it is written.
    pub target: Option<String>,
}

/// Result of `list_files`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ListFiles {
    /// The directory, relative to the root when it is below it.
    pub path: String,
    /// What is in it, sorted by path.
    pub entries: Vec<Entry>,
    /// Whether there are more entries than were returned.
    pub truncated: bool,
    /// For a missing directory: what the nearest existing one holds.
    pub nearby: Vec<String>,
    /// What was left out and why.
    pub notes: Vec<String>,
    /// Why there is no listing.
    pub error: Option<String>,
}

payloads!(ListFiles);

/// Entries one answer may hold, whatever was asked for.
pub const MOST: u32 = 10_000;
/// Entries looked at; a listing that needs more says so.
const VISITED: usize = 500_000;

pub(super) fn here() -> String {
    ".".to_owned()
}

pub(super) fn everything() -> String {
    "*".to_owned()
}

pub(super) fn yes() -> bool {
    true
}

pub(super) fn hundred() -> u32 {
    100
}

/// Lists a directory.
pub fn list_files(base: &Base, arguments: &Arguments, stop: &Stop) -> ListFiles {
    let (path, globs) = match base.resolve(&arguments.path).and_then(|path| Ok((path, walk::globs(&arguments.pattern)?))) {
        Ok(both) => both,
        Err(error) => return ListFiles::failed(error),
    };
    let mut result = ListFiles { path: base.show(&path), ..ListFiles::default() };
    if let Err(error) = std::fs::read_dir(&path) {
        result.nearby = base.nearby(&path).names;
        result.error = Some(not_listable(base, &path, &error));
        return result;
    }
    let mut seen = gather(&path, arguments, stop, |entry| wanted(entry, arguments, &globs));
    if seen.entries.is_empty() && seen.passed_over > 0 {
        seen = gather(&path, arguments, stop, |_| true);
        seen.notes.insert(0, format!("nothing matches `{}`; this is the listing without filters", arguments.pattern.escape_debug()));
    }
    result.notes = seen.notes;
    result.truncated = seen.truncated;
    result.entries = seen.entries;
    result
}

/// The error for a directory that cannot be read.
pub(super) fn not_listable(base: &Base, path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotADirectory => format!("`{}` is no directory; use read_file to see a file", base.show(path).escape_debug()),
        _ => base.explain(path, error),
    }
}

struct Seen {
    entries: Vec<Entry>,
    passed_over: usize,
    truncated: bool,
    notes: Vec<String>,
}

fn gather(start: &Path, arguments: &Arguments, stop: &Stop, keep: impl Fn(&DirEntry) -> bool) -> Seen {
    let most = usize::try_from(arguments.max_results.clamp(1, MOST)).unwrap_or(1);
    let mut seen = Seen { entries: Vec::new(), passed_over: 0, truncated: false, notes: Vec::new() };
    let mut unreadable = Vec::new();
    let depth = if arguments.recursive { arguments.max_depth.unwrap_or(u32::MAX).max(1) } else { 1 };
    let mut walk = walk::builder(start, arguments.include_ignored);
    walk.max_depth(usize::try_from(depth).ok()).sort_by_file_name(Ord::cmp).filter_entry(|entry| !walk::lies_in_skipped(entry));
    let (mut visited, mut ignored) = (0, Ignored::default());
    for step in walk.build() {
        match step {
            Err(error) => unreadable.push(error.to_string()),
            Ok(entry) if entry.depth() == 0 => ignored.entered(&entry),
            Ok(entry) => {
                visited += 1;
                ignored.visited += 1;
                if usize::try_from(depth).is_ok_and(|depth| entry.depth() < depth) {
                    ignored.entered(&entry);
                }
                seen.truncated = seen.entries.len() == most && keep(&entry);
                if seen.truncated || visited > VISITED || stop.now() {
                    seen.truncated = true;
                    break;
                }
                if keep(&entry) { seen.entries.push(describe(start, &entry)) } else { seen.passed_over += 1 }
            }
        }
    }
    note(&mut seen, &unreadable, visited > VISITED || stop.now());
    if !arguments.include_ignored && !seen.truncated {
        seen.notes.extend(ignored.note());
    }
    seen
}

/// What the ignore files left out: the walk does not tell, so the entries of each directory it entered are counted again.
#[derive(Default)]
struct Ignored {
    /// Entries that the walk gave.
    visited: usize,
    /// Entries that are there.
    there: usize,
}

impl Ignored {
    fn entered(&mut self, entry: &DirEntry) {
        if entry.file_type().is_some_and(|kind| kind.is_dir()) && !walk::is_skipped(entry) {
            self.there += std::fs::read_dir(entry.path()).map_or(0, Iterator::count);
        }
    }

    fn note(&self) -> Option<String> {
        match self.there.checked_sub(self.visited)? {
            0 => None,
            1 => Some("1 ignored entry is not shown; set include_ignored to see it".to_owned()),
            more => Some(format!("{more} ignored entries are not shown; set include_ignored to see them")),
        }
    }
}

fn note(seen: &mut Seen, unreadable: &[String], stopped: bool) {
    if stopped {
        seen.notes.push("the directory is too large to be listed whole; narrow the path".to_owned());
    } else if seen.truncated {
        seen.notes.push(format!("only the first {} entries are shown; raise max_results or narrow the pattern", seen.entries.len()));
    }
    seen.notes.extend(walk::unreadable_notes(unreadable));
}

fn wanted(entry: &DirEntry, arguments: &Arguments, globs: &GlobSet) -> bool {
    let directory = entry.file_type().is_some_and(|kind| kind.is_dir());
    let listed = if directory { arguments.include_directories } else { arguments.include_files };
    listed && (globs.is_empty() || globs.is_match(entry.file_name()) || globs.is_match(below(entry)))
}

/// The last `depth` components: the path below the start of the walk.
fn below(entry: &DirEntry) -> std::path::PathBuf {
    let names: Vec<_> = entry.path().components().rev().take(entry.depth()).collect();
    names.into_iter().rev().collect()
}

fn describe(start: &Path, entry: &DirEntry) -> Entry {
    let kind = entry.file_type();
    let metadata = entry.metadata().ok();
    let is = |test: fn(&std::fs::FileType) -> bool| kind.as_ref().is_some_and(test);
    let word = match () {
        () if is(std::fs::FileType::is_symlink) => "link",
        () if is(std::fs::FileType::is_dir) => "directory",
        () if is(std::fs::FileType::is_file) => "file",
        () => "other",
    };
    let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    Entry {
        path: entry.path().strip_prefix(start).unwrap_or(entry.path()).to_string_lossy().into_owned(),
        kind: word.to_owned(),
        size: metadata.filter(|_| word == "file").map(|metadata| metadata.len()),
        modified: modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|since| since.as_secs()),
        target: (word == "link")
            .then(|| std::fs::read_link(entry.path()).ok())
            .flatten()
            .map(|target| target.to_string_lossy().into_owned()),
    }
}
