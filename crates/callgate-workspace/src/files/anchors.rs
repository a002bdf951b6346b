//! Blocks that are found by their first and last line, when the lines between have drifted.
use std::ops::Range;
use std::time::Duration;

use similar::{Algorithm, TextDiff};

use crate::files::matchers::{Text, Wanted};

/// Least mean likeness of the lines between the anchors.
const LIKENESS: f32 = 0.65;
/// Places of the first line above which blocks are not compared.
const CANDIDATES: usize = 50;
/// Longer lines are compared only for equality.
const LINE: usize = 2_000;
/// Likeness of two lines is not looked for longer than this.
const TIMEOUT: Duration = Duration::from_millis(20);

/// The block whose first and last line are right and whose other lines are most alike, if one is better than all others. Its
/// length may differ by a quarter.
pub fn block_anchor(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    let length = wanted.lines.len();
    let tolerance = length / 4;
    let blocks = blocks(text, wanted).into_iter().filter(|block| block.len().abs_diff(length) <= tolerance);
    let mut scored: Vec<_> = blocks.map(|block| (likeness(text, &block, wanted), block)).filter(|(score, _)| *score >= LIKENESS).collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    match scored.as_slice() {
        [(best, block), (second, _), ..] if best > second => text.span(block.clone(), wanted).into_iter().collect(),
        [(_, block)] => text.span(block.clone(), wanted).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Blocks of the same length whose first and last line are right and at least half of whose other lines are equal.
pub fn context_aware(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    let same_length = blocks(text, wanted).into_iter().filter(|block| block.len() == wanted.lines.len());
    same_length.filter(|block| half_equal(text, block, wanted)).filter_map(|block| text.span(block, wanted)).collect()
}

/// Blocks that start with the first wanted line and end with the next line that is the last wanted one, two lines on or more.
fn blocks(text: &Text<'_>, wanted: &Wanted<'_>) -> Vec<Range<usize>> {
    let (Some(first), Some(last)) = (wanted.lines.first(), wanted.lines.last()) else { return Vec::new() };
    if wanted.lines.len() < 3 || first.trim().is_empty() || last.trim().is_empty() {
        return Vec::new();
    }
    let starts = text.lines.iter().enumerate().filter(|(_, line)| line.trim() == first.trim()).map(|(index, _)| index);
    let end_of = |start: usize| {
        let longest = wanted.lines.len() * 2;
        let below = text.lines.iter().enumerate().skip(start + 2).take(longest);
        below.into_iter().find(|(_, line)| line.trim() == last.trim()).map(|(index, _)| start..index + 1)
    };
    let starts: Vec<usize> = starts.take(CANDIDATES + 1).collect();
    // With so many places the anchors say nothing.
    if starts.len() > CANDIDATES { Vec::new() } else { starts.into_iter().filter_map(end_of).collect() }
}

/// The lines between the anchors.
fn middle<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default()
}

fn likeness(text: &Text<'_>, block: &Range<usize>, wanted: &Wanted<'_>) -> f32 {
    let found = middle(text.lines.get(block.clone()).unwrap_or_default());
    let looked_for = middle(&wanted.lines);
    let scores: Vec<f32> = found.iter().zip(looked_for).map(|(left, right)| alike(left.trim(), right.trim())).collect();
    let count = u16::try_from(found.len().max(looked_for.len()).max(1)).unwrap_or(u16::MAX);
    scores.iter().sum::<f32>() / f32::from(count)
}

fn alike(left: &str, right: &str) -> f32 {
    if left == right {
        return 1.0;
    }
    if left.len() > LINE || right.len() > LINE {
        return 0.0;
    }
    TextDiff::configure().algorithm(Algorithm::Myers).timeout(TIMEOUT).diff_chars(left, right).ratio()
}

fn half_equal(text: &Text<'_>, block: &Range<usize>, wanted: &Wanted<'_>) -> bool {
    let pairs = middle(text.lines.get(block.clone()).unwrap_or_default()).iter().zip(middle(&wanted.lines));
    let compared: Vec<bool> = pairs
        .filter(|(left, right)| !(left.trim().is_empty() && right.trim().is_empty()))
        .map(|(left, right)| left.trim() == right.trim())
        .collect();
    let equal = compared.iter().filter(|equal| **equal).count();
    equal * 2 >= compared.len()
}
