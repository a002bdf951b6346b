//! What a change to a text was: a unified diff and counts.
use std::time::Duration;

use similar::{Algorithm, ChangeTag, TextDiff};

/// The difference between two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// Unified diff, cut when long.
    pub diff: String,
}

/// Characters of a diff that are shown.
const SHOWN: usize = 20_000;
/// The search for the smallest diff ends after this time and a larger one is taken.
const TIMEOUT: Duration = Duration::from_millis(300);

/// Compares two versions of the file that is shown as `name`.
pub fn between(name: &str, old: &str, new: &str) -> Difference {
    let comparison = TextDiff::configure().algorithm(Algorithm::Myers).timeout(TIMEOUT).diff_lines(old, new);
    let count = |tag: ChangeTag| comparison.iter_all_changes().filter(|change| change.tag() == tag).count() as u64;
    let text = comparison.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string();
    Difference { additions: count(ChangeTag::Insert), deletions: count(ChangeTag::Delete), diff: shorten(text) }
}

fn shorten(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => {
            let left = text.get(end..).map_or(0, |rest| rest.lines().count());
            format!("{}\n[{left} more lines of the diff are not shown]\n", text.get(..end).unwrap_or_default())
        }
    }
}
