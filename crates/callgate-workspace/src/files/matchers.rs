//! Where a span of text stands in a file: exactly, or nearly, by a bounded chain of ever looser readings.
use std::ops::Range;

use regex::RegexBuilder;

use crate::files::anchors;

/// One way to find a span.
pub type Finder = fn(&Text<'_>, &Wanted<'_>) -> Vec<Range<usize>>;

/// The readings in the order they are tried, after the exact one.
pub const LOOSE: &[(&str, Finder)] = &[
    ("line-trimmed", line_trimmed),
    ("block-anchor", anchors::block_anchor),
    ("whitespace-normalised", whitespace_normalised),
    ("indentation-flexible", indentation_flexible),
    ("context-aware", anchors::context_aware),
];

/// Above this many lines only the exact reading is tried, so that an edit of a huge file stays quick.
pub const MOST_LINES: usize = 20_000;

/// A text with its lines.
pub struct Text<'a> {
    /// All of it.
    pub whole: &'a str,
    /// Each line without its line feed.
    pub lines: Vec<&'a str>,
    /// Where each line starts, and the end of the text.
    starts: Vec<usize>,
}

/// What is looked for.
pub struct Wanted<'a> {
    /// All of it.
    pub whole: &'a str,
    /// Its lines; a last line feed does not begin another one.
    pub lines: Vec<&'a str>,
}

impl<'a> Text<'a> {
    /// Splits a text.
    pub fn new(whole: &'a str) -> Self {
        let mut starts: Vec<usize> = std::iter::once(0).chain(whole.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let lines = whole.split('\n').collect();
        starts.push(whole.len() + 1);
        Self { whole, lines, starts }
    }

    /// The bytes of some lines, with the last line feed if `wanted` ends with one.
    pub fn span(&self, lines: Range<usize>, wanted: &Wanted<'_>) -> Option<Range<usize>> {
        let start = *self.starts.get(lines.start)?;
        let after = *self.starts.get(lines.end)?;
        let end = if wanted.whole.ends_with('\n') { after.min(self.whole.len()) } else { after - 1 };
        (start <= end).then_some(start..end)
    }

    /// Number of the line in which a byte stands, from 1.
    pub fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    /// Every run of lines as long as `wanted` that a test accepts.
    pub fn runs(&self, wanted: &Wanted<'_>, accept: impl Fn(&[&str]) -> bool) -> Vec<Range<usize>> {
        let length = wanted.lines.len();
        let windows = self.lines.windows(length).enumerate();
        windows.filter(|(_, window)| accept(window)).filter_map(|(index, _)| self.span(index..index + length, wanted)).collect()
    }
}

impl<'a> Wanted<'a> {
    /// Splits what is looked for.
    pub fn new(whole: &'a str) -> Self {
        let body = whole.strip_suffix('\n').unwrap_or(whole);
        Self { whole, lines: body.split('\n').collect() }
    }

    /// Whether there is nothing in it but blanks, which is too little to look for loosely.
    pub fn is_blank(&self) -> bool {
        self.whole.trim().is_empty()
    }
}

/// The text as it is.
pub fn exact(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    text.whole.match_indices(wanted.whole).map(|(at, found)| at..at + found.len()).collect()
}

/// Lines that are equal without the blanks at both ends.
fn line_trimmed(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    text.runs(wanted, |window| window.iter().zip(&wanted.lines).all(|(line, want)| line.trim() == want.trim()))
}

/// The same words, with any blanks and line ends between them.
fn whitespace_normalised(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    let words: Vec<_> = wanted.whole.split_whitespace().map(regex::escape).collect();
    let before = if wanted.whole.starts_with(char::is_whitespace) { r"[ \t]*" } else { "" };
    let after = if wanted.whole.ends_with('\n') { r"[ \t]*\n?" } else { "" };
    let expression = format!("{before}{}{after}", words.join(r"\s+"));
    let Ok(expression) = RegexBuilder::new(&expression).size_limit(4 << 20).build() else { return Vec::new() };
    expression.find_iter(text.whole).map(|found| found.range()).collect()
}

/// Lines that are equal once the indentation they share is taken away.
fn indentation_flexible(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    let target = without_indentation(&wanted.lines);
    text.runs(wanted, |window| without_indentation(window) == target)
}

fn without_indentation<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    lines.iter().map(|line| line.get(shared..).unwrap_or_default().trim_end()).collect()
}
