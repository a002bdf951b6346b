//! `grep`: lines that match a regular expression, in the files of a tree.
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::files::hunks::{Collector, Hunk};
use crate::files::list::{here, yes};
use crate::files::pattern;
use crate::files::walk;
use crate::outcome::{Payload, payloads};
use crate::place::{Base, Directory};
use crate::work::Stop;

/// Arguments of `grep`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// Regular expression (Rust syntax: no look-around, no back-references), matched within lines.
    pub pattern: String,
    /// Directory or file to search, relative to the root or absolute.
    #[serde(default = "here")]
    pub path: String,
    /// Only files that match one of these globs, separated by blanks, for example `*.rs *.toml`.
    pub include: Option<String>,
    /// Whether upper and lower case differ.
    #[serde(default = "yes")]
    pub case_sensitive: bool,
    /// Whether the pattern is plain text and not an expression.
    #[serde(default)]
    pub literal: bool,
    /// Whether files that an ignore file excludes are searched.
    #[serde(default)]
    pub include_ignored: bool,
    /// Lines shown before and after each match, up to 7.
    #[serde(default = "two")]
    pub context_lines: u32,
    /// Matching lines to return at most, up to 1000.
    #[serde(default = "matches")]
    pub max_results: u32,
}

/// Result of `grep`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Grep {
    /// What was searched for.
    pub pattern: String,
    /// The directory or file searched, relative to the root when it is below it.
    pub path: String,
    /// Matching lines with their context, by path and line.
    pub hunks: Vec<Hunk>,
    /// Matching lines returned.
    pub matches: u64,
    /// Files searched.
    pub files_scanned: u64,
    /// Whether there may be more matches.
    pub truncated: bool,
    /// For a missing directory: what the nearest existing one holds.
    pub nearby: Vec<String>,
    /// What was left out and why, or what is there instead.
    pub notes: Vec<String>,
    /// Why there is no answer.
    pub error: Option<String>,
}

payloads!(Grep);

/// Files searched at most.
const FILES: usize = 1_000_000;
/// A file larger than this is passed over.
const FILE_SIZE: u64 = 256 << 20;
/// A file up to this size is read with one call.
const SMALL: usize = 1 << 20;
/// Files between two looks at the clock.
const STRIDE: usize = 64;
/// A line may take this much memory before its file is given up.
const LINE_MEMORY: usize = 32 << 20;
/// Bytes of lines in one answer.
const ANSWER: usize = 100_000;

fn two() -> u32 {
    2
}

fn matches() -> u32 {
    100
}

/// Searches.
pub fn grep(base: &Base, arguments: &Arguments, stop: &Stop) -> Grep {
    let prepared = base.resolve(&arguments.path).and_then(|path| Ok((path, pattern::matcher(arguments)?)));
    let (path, matcher) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Grep { pattern: arguments.pattern.clone(), ..Grep::failed(error) },
    };
    let mut result = Grep { pattern: arguments.pattern.clone(), path: base.show(&path), ..Grep::default() };
    match candidates(base, &path, arguments, stop, &mut result) {
        Ok((directory, files)) => {
            let most = usize::try_from(arguments.max_results.clamp(1, 1000)).unwrap_or(1);
            let search = Search { directory, files, matcher, most, context: usize::try_from(arguments.context_lines.min(7)).unwrap_or(2) };
            search.run(stop, &mut result);
        }
        Err(error) => result.error = Some(error),
    }
    result
}

/// The files to search, relative to a start.
fn candidates(
    base: &Base,
    path: &Path,
    arguments: &Arguments,
    stop: &Stop,
    result: &mut Grep,
) -> Result<(Directory, Vec<PathBuf>), String> {
    let open = |path: &Path| Directory::at(path).map_err(|error| base.explain(path, &error));
    // Only links met on the way are not followed; the one that was asked for, and judged, is.
    let asked = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let (true, Some(parent), Some(name)) = (asked.is_file(), asked.parent(), asked.file_name()) {
        return Ok((open(parent)?, vec![PathBuf::from(name)]));
    }
    if let Err(error) = std::fs::read_dir(path) {
        result.nearby = base.nearby(path).names;
        return Err(base.explain(path, &error));
    }
    let globs = walk::globs(arguments.include.as_deref().unwrap_or_default())?;
    let found = walk::files(path, arguments.include_ignored, FILES, stop, |path| globs.is_empty() || globs.is_match(path));
    result.truncated = found.more || found.stopped;
    if found.paths.is_empty() && !found.stopped {
        let filter = arguments.include.as_deref().unwrap_or("*").escape_debug().to_string();
        result.notes.push(format!("no file matches `{filter}`; {}", walk::kinds(path, arguments.include_ignored, stop)));
        if !arguments.include_ignored {
            result.notes.extend(walk::ignored_matches(path, stop, |path| globs.is_empty() || globs.is_match(path)));
        }
    }
    result.notes.extend(walk::unreadable_notes(&found.unreadable));
    Ok((open(path)?, found.paths.into_iter().map(PathBuf::from).collect()))
}

struct Search {
    directory: Directory,
    files: Vec<PathBuf>,
    matcher: RegexMatcher,
    most: usize,
    context: usize,
}

/// What the threads share.
#[derive(Default)]
struct Progress {
    next: AtomicUsize,
    found: AtomicUsize,
    /// Hunks with the index of their file.
    hunks: Mutex<Vec<(usize, Vec<Hunk>)>>,
    passed_over: AtomicUsize,
    binary: AtomicUsize,
    /// Whether the search was given up.
    stopped: AtomicBool,
}

impl Search {
    /// Searches the files in order on several threads. Files are handed out in order and every one handed out is finished, so
    /// the first matches by path are the same however the threads run.
    fn run(&self, stop: &Stop, result: &mut Grep) {
        let progress = Progress::default();
        std::thread::scope(|scope| {
            for _ in 0..walk::threads().min(self.files.len()) {
                scope.spawn(|| self.work(stop, &progress));
            }
        });
        let handed_out = progress.next.load(Ordering::Relaxed).min(self.files.len());
        result.files_scanned = handed_out as u64;
        let stopped = progress.stopped.load(Ordering::Relaxed) || stop.now();
        result.truncated |= stopped || handed_out < self.files.len();
        if stopped {
            result.notes.push("the search was given up before all files were searched; narrow the path".to_owned());
        }
        let passed_over = progress.passed_over.load(Ordering::Relaxed);
        if passed_over > 0 {
            result.notes.push(format!("{passed_over} files were passed over: unreadable, too large or with lines too long"));
        }
        match progress.binary.load(Ordering::Relaxed) {
            0 => {}
            1 => result.notes.push("1 binary file (it holds NUL bytes) was not searched".to_owned()),
            more => result.notes.push(format!("{more} binary files (they hold NUL bytes) were not searched")),
        }
        let mut found = progress.hunks.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|(index, _)| *index);
        self.shorten(found.into_iter().flat_map(|(_, hunks)| hunks), result);
    }

    fn work(&self, stop: &Stop, progress: &Progress) {
        let (mut searcher, mut buffer) = (self.searcher(), Vec::new());
        while progress.found.load(Ordering::Relaxed) <= self.most && !progress.stopped.load(Ordering::Relaxed) {
            let index = progress.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(index) else { return };
            // Asking the clock for every file would cost as much as opening it on some machines.
            if index.is_multiple_of(STRIDE) && stop.now() {
                return progress.stopped.store(true, Ordering::Relaxed);
            }
            match self.one(&mut searcher, &mut buffer, file) {
                Ok(collector) if collector.matched > 0 && !collector.binary => {
                    progress.found.fetch_add(collector.matched, Ordering::Relaxed);
                    progress.hunks.lock().unwrap_or_else(PoisonError::into_inner).push((index, collector.hunks));
                }
                Ok(collector) if collector.binary => drop(progress.binary.fetch_add(1, Ordering::Relaxed)),
                Ok(_) => {}
                Err(_) => drop(progress.passed_over.fetch_add(1, Ordering::Relaxed)),
            }
        }
    }

    fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder.line_number(true).before_context(self.context).after_context(self.context);
        builder.binary_detection(BinaryDetection::quit(0)).heap_limit(Some(LINE_MEMORY)).max_matches(Some(self.most as u64 + 1));
        builder.line_terminator(grep_matcher::LineTerminator::crlf());
        builder.build()
    }

    fn one<'a>(&'a self, searcher: &mut Searcher, buffer: &mut Vec<u8>, file: &'a Path) -> std::io::Result<Collector<'a>> {
        let mut collector = Collector::new(&self.matcher, file);
        let (mut opened, size) = self.directory.open(file)?;
        if size > FILE_SIZE {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        match whole(&mut opened, size, buffer)? {
            Some(text) => searcher.search_slice(&self.matcher, text, &mut collector)?,
            None => searcher.search_file(&self.matcher, &opened, &mut collector)?,
        }
        Ok(collector)
    }

    /// Keeps the first matches, within the size of an answer.
    fn shorten(&self, hunks: impl Iterator<Item = Hunk>, result: &mut Grep) {
        let mut size = 0;
        let mut count = 0;
        for mut hunk in hunks {
            let full = count >= self.most || size > ANSWER;
            let matching = hunk.lines.iter().filter(|line| line.matches).count();
            if full {
                result.truncated = true;
                break;
            }
            if count + matching > self.most {
                cut(&mut hunk, self.most - count);
                result.truncated = true;
            }
            count += matching.min(self.most - count);
            size += hunk.lines.iter().map(|line| line.line.len()).sum::<usize>();
            result.hunks.push(hunk);
        }
        result.matches = count as u64;
        if result.truncated {
            result
                .notes
                .push(format!("only the first {count} matching lines are shown; narrow the pattern or the path, or raise max_results"));
        }
    }
}

/// Reads a small file with one call. A file that is large, or has grown, is left to be read from its start.
fn whole<'a>(file: &mut File, size: u64, buffer: &'a mut Vec<u8>) -> std::io::Result<Option<&'a [u8]>> {
    let Some(room) = usize::try_from(size).ok().filter(|size| (1..=SMALL).contains(size)) else { return Ok(None) };
    buffer.resize(buffer.len().max(room + 1), 0);
    let Some(space) = buffer.get_mut(..=room) else { return Ok(None) };
    let length = file.read(space)?;
    if length != room {
        file.rewind()?;
        return Ok(None);
    }
    Ok(buffer.get(..length))
}

/// Ends a hunk with its `keep`-th matching line.
fn cut(hunk: &mut Hunk, keep: usize) {
    let last = hunk.lines.iter().enumerate().filter(|(_, line)| line.matches).nth(keep.saturating_sub(1)).map_or(0, |(index, _)| index);
    hunk.lines.truncate(last + 1);
    hunk.end_line = hunk.lines.last().map_or(hunk.start_line, |line| line.line_number);
}
