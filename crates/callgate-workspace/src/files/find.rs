//! `find_files`: files anywhere below a directory whose path matches a glob.
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::files::list::{MOST, everything, here, hundred, not_listable};
use crate::files::walk;
use crate::outcome::{Payload, payloads};
use crate::place::Base;
use crate::work::Stop;

/// Arguments of `find_files`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// Globs separated by blanks. One without a slash matches names at any depth (`*.rs`), one with a slash matches the path
    /// below the directory (`src/**/mod.rs`).
    #[serde(default = "everything")]
    pub pattern: String,
    /// Directory to search, relative to the root or absolute.
    #[serde(default = "here")]
    pub path: String,
    /// Whether files that an ignore file excludes are found.
    #[serde(default)]
    pub include_ignored: bool,
    /// Files to return at most, up to 10000.
    #[serde(default = "hundred")]
    pub max_results: u32,
}

/// Result of `find_files`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct FindFiles {
    /// The directory, relative to the root when it is below it.
    pub path: String,
    /// The files, relative to that directory, sorted.
    pub files: Vec<String>,
    /// Whether there are more.
    pub truncated: bool,
    /// For a missing directory: what the nearest existing one holds.
    pub nearby: Vec<String>,
    /// What was left out and why, or what is there instead.
    pub notes: Vec<String>,
    /// Why there is no answer.
    pub error: Option<String>,
}

payloads!(FindFiles);

/// Finds files.
pub fn find_files(base: &Base, arguments: &Arguments, stop: &Stop) -> FindFiles {
    let (path, globs) = match base.resolve(&arguments.path).and_then(|path| Ok((path, walk::globs(&arguments.pattern)?))) {
        Ok(both) => both,
        Err(error) => return FindFiles::failed(error),
    };
    let mut result = FindFiles { path: base.show(&path), ..FindFiles::default() };
    if let Err(error) = std::fs::read_dir(&path) {
        result.nearby = base.nearby(&path).names;
        result.error = Some(not_listable(base, &path, &error));
        return result;
    }
    let most = usize::try_from(arguments.max_results.clamp(1, MOST)).unwrap_or(1);
    let found = walk::files(&path, arguments.include_ignored, most, stop, |path| globs.is_empty() || globs.is_match(path));
    result.truncated = found.more || found.stopped;
    result.files = found.paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    if found.stopped {
        result.notes.push("the search was given up before the whole tree was seen; narrow the path".to_owned());
    } else if found.more {
        result.notes.push(format!("only the first {most} files are shown; raise max_results or narrow the pattern"));
    } else if found.paths.is_empty() {
        let there = walk::kinds(&path, arguments.include_ignored, stop);
        result.notes.push(format!("no file matches `{}`; {there}", arguments.pattern.escape_debug()));
        if !arguments.include_ignored {
            result.notes.extend(walk::ignored_matches(&path, stop, |path| globs.is_empty() || globs.is_match(path)));
        }
    }
    result.notes.extend(walk::unreadable_notes(&found.unreadable));
    result
}
