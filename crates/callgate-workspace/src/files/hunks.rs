//! The matching lines of one file with their context, as hunks.
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// Number in the file, from 1.
    pub line_number: u64,
    /// The text, cut when very long.
    pub line: String,
    /// Whether it matches; if not it is context.
    #[serde(rename = "match")]
    pub matches: bool,
}

/// Neighbouring lines of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hunk {
    /// The file, relative to the searched directory.
    pub path: String,
    /// Number of the first line.
    pub start_line: u64,
    /// Number of the last line.
    pub end_line: u64,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Collects the hunks of one file.
pub struct Collector<'a> {
    matcher: &'a RegexMatcher,
    path: &'a Path,
    /// The hunks so far.
    pub hunks: Vec<Hunk>,
    /// Matching lines so far.
    pub matched: usize,
    /// Whether the file turned out to be binary.
    pub binary: bool,
}

/// Characters of a line that are shown.
const SHOWN: usize = 500;
/// Characters shown before the match in a line that is cut.
const BEFORE: usize = 100;

impl<'a> Collector<'a> {
    /// A collector for the file that is shown as `path`.
    pub fn new(matcher: &'a RegexMatcher, path: &'a Path) -> Self {
        Self { matcher, path, hunks: Vec::new(), matched: 0, binary: false }
    }

    fn add(&mut self, number: u64, bytes: &[u8], matches: bool) {
        let line = Line { line_number: number, line: self.shown(bytes, matches), matches };
        match self.hunks.last_mut() {
            Some(hunk) if hunk.end_line + 1 == number => {
                hunk.end_line = number;
                hunk.lines.push(line);
            }
            _ => self.hunks.push(Hunk {
                path: self.path.to_string_lossy().into_owned(),
                start_line: number,
                end_line: number,
                lines: vec![line],
            }),
        }
    }

    fn shown(&self, bytes: &[u8], matches: bool) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() <= SHOWN {
            return String::from_utf8_lossy(bytes).into_owned();
        }
        let found = matches.then(|| self.matcher.find(bytes).ok().flatten()).flatten();
        let start = found.map_or(0, |found| found.start().saturating_sub(BEFORE));
        let end = bytes.len().min(start + SHOWN);
        let text = String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned();
        let (before, after) = (if start > 0 { "[…] " } else { "" }, if end < bytes.len() { " […]" } else { "" });
        format!("{before}{text}{after}")
    }
}

impl Sink for Collector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.matched += 1;
        self.add(found.line_number().unwrap_or_default(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        self.add(context.line_number().unwrap_or_default(), context.bytes(), false);
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> Result<(), Self::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
