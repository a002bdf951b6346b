//! Patches: the files that the headers of a patch name, for tools that apply one.
use crate::analyse::{Condition, Confidence};
use crate::policy::Direction;

use super::context::{ArgumentSite, Search};
use super::path::place;
use super::vocabulary::VOCABULARY;

/// Emits the files that `text` would change. Names are read with and without the first component, which tools strip.
pub fn patch(search: &mut Search<'_>, site: &ArgumentSite, text: &str) {
    let site =
        ArgumentSite { direction: Direction::Write, confidence: Confidence::Guess, source: "header of a patch".into(), ..site.clone() };
    for line in text.lines() {
        let Some(name) = VOCABULARY.places.patch_headers.iter().find_map(|header| line.strip_prefix(header)) else { continue };
        let name = name.split('\t').next().unwrap_or_default().trim().trim_matches('"');
        if name.is_empty() || name == "/dev/null" {
            continue;
        }
        place(search, &site, name, name, Condition::Always);
        if let Some((_, stripped)) = name.split_once('/') {
            place(search, &site, name, stripped, Condition::Always);
        }
    }
}
