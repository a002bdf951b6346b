//! Replacing a span of a text that may be quoted only nearly.
use std::ops::Range;

use crate::files::indentation;
use crate::files::matchers::{LOOSE, MOST_LINES, Text, Wanted, exact};

/// A text with its span replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The spans of the old text that are replaced, in order, each with what takes its place.
    pub changes: Vec<(Range<usize>, String)>,
    /// Which reading found them.
    pub matcher: &'static str,
}

/// Lines named in a message.
const NAMED: usize = 8;

/// Finds what to replace. The exact reading wins over every loose one; a span must be the only one unless `all` is set.
pub fn find(whole: &str, old: &str, new: &str, all: bool) -> Result<Replaced, String> {
    let text = Text::new(whole);
    let wanted = Wanted::new(old);
    let spans = exact(&text, &wanted);
    if !spans.is_empty() {
        return settle(&text, spans, &wanted, new, all, "exact");
    }
    if wanted.is_blank() {
        return Err(not_found(&text, &wanted));
    }
    if text.lines.len() > MOST_LINES {
        let lines = text.lines.len();
        return Err(format!("{}; in a file of {lines} lines nothing but an exact quote is looked for", not_found(&text, &wanted)));
    }
    let mut refusal = None;
    for (name, finder) in LOOSE {
        let spans = finder(&text, &wanted);
        if spans.is_empty() {
            continue;
        }
        match settle(&text, spans, &wanted, new, all, name) {
            Ok(replaced) => return Ok(replaced),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    Err(refusal.unwrap_or_else(|| not_found(&text, &wanted)))
}

fn settle(
    text: &Text<'_>,
    spans: Vec<Range<usize>>,
    wanted: &Wanted<'_>,
    new: &str,
    all: bool,
    matcher: &'static str,
) -> Result<Replaced, String> {
    if spans.len() > 1 && !all {
        let lines: Vec<_> = spans.iter().take(NAMED).map(|span| text.line_of(span.start).to_string()).collect();
        let count = spans.len();
        return Err(format!(
            "`old_string` stands in {count} places (lines {}); add neighbouring lines until it is the only one, or set replace_all",
            lines.join(", ")
        ));
    }
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for span in spans {
        // Of two places that share text only the first can be replaced.
        if changes.last().is_some_and(|(before, _)| before.end > span.start) {
            continue;
        }
        let found = text.whole.get(span.clone()).unwrap_or_default();
        if is_disproportionate(found, wanted.whole) {
            return Err("the place that comes nearest is far larger than `old_string`; read the file again and quote it exactly".to_owned());
        }
        let replacement = if matcher == "exact" { new.to_owned() } else { indentation::moved(found, wanted.whole, new) };
        changes.push((span, replacement));
    }
    Ok(Replaced { changes, matcher })
}

/// A loose reading must not take away much more than was quoted.
fn is_disproportionate(found: &str, wanted: &str) -> bool {
    let (found_lines, wanted_lines) = (found.lines().count(), wanted.lines().count());
    found_lines > (wanted_lines + 3).max(wanted_lines * 2) || found.len() > (wanted.len() + 500).max(wanted.len() * 4)
}

fn not_found(text: &Text<'_>, wanted: &Wanted<'_>) -> String {
    let first = wanted.lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    let near = text.lines.iter().position(|line| !first.is_empty() && line.trim() == first);
    let hint = match near {
        Some(line) => format!("its first line stands at line {}, but what follows differs", line + 1),
        None => "not even its first line is there".to_owned(),
    };
    format!("`old_string` was not found: {hint}; read the file with line_numbers off and quote it exactly")
}
