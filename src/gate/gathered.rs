//! Findings gathered into one per kind, key and action; the order they come in never matters.
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use crate::policy::Effect;

use super::finding::{Finding, Kind, MOST_COVERED};
use super::key::Key;

/// Findings as they come in.
#[derive(Default)]
pub(super) struct Gathered {
    by_key: BTreeMap<(Kind, Key, Effect), Gathering>,
}

/// One finding with the paths it is known to cover, so that ten thousand paths of one directory are not compared in pairs.
struct Gathering {
    finding: Finding,
    seen: HashSet<PathBuf>,
}

impl Gathered {
    /// Adds one; what stands under the same kind, key and action is one finding.
    pub fn add(&mut self, finding: Finding) {
        let slot = (finding.kind, finding.key.clone(), finding.action);
        match self.by_key.get_mut(&slot) {
            None => {
                let seen = finding.covered.iter().cloned().collect();
                self.by_key.insert(slot, Gathering { finding, seen });
            }
            Some(known) => merge(known, finding),
        }
    }

    /// All of them, strictest first.
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.gather_below();
        let mut all: Vec<Finding> = self.by_key.into_values().map(|gathering| gathering.finding).collect();
        all.sort_by(|a, b| b.action.cmp(&a.action).then(a.kind.cmp(&b.kind)).then(a.key.cmp(&b.key)));
        all
    }
}

/// A directory this far above is not looked for: a path of a hundred thousand components must not cost more than its length.
const DEEPEST: usize = 128;

impl Gathered {
    /// Directories below a directory that is asked about as well go with it: one answer covers them, so one question does.
    fn gather_below(&mut self) {
        let outside: Vec<(Kind, Key, Effect)> = self.by_key.keys().filter(|(kind, ..)| *kind == Kind::Outside).cloned().collect();
        let directories: BTreeSet<&Path> = outside.iter().filter_map(|(_, key, _)| directory_of(key)).collect();
        if directories.len() < 2 {
            return;
        }
        for slot in &outside {
            let above = slot.1.place().and_then(|path| path.ancestors().skip(1).take(DEEPEST).find(|above| directories.contains(above)));
            let Some(above) = above.map(|above| (Kind::Outside, Key::Directory(above.to_path_buf()), slot.2)) else { continue };
            if self.by_key.contains_key(&above)
                && let Some(below) = self.by_key.remove(slot)
            {
                // The directory's own finding is the one that is shown.
                let shown = self.by_key.get(&above).map(|gathering| gathering.finding.clone());
                let Some(known) = self.by_key.get_mut(&above) else { continue };
                merge(known, below.finding);
                let known = &mut known.finding;
                if let Some(shown) = shown {
                    (known.path, known.argument, known.raw, known.because) = (shown.path, shown.argument, shown.raw, shown.because);
                }
            }
        }
    }
}

fn directory_of(key: &Key) -> Option<&Path> {
    match key {
        Key::Directory(path) => Some(path),
        Key::File(_) | Key::Call(_) => None,
    }
}

/// Keeps the surest description, the widest direction and every covered path.
fn merge(gathering: &mut Gathering, other: Finding) {
    let Gathering { finding: known, seen } = gathering;
    let direction = known.direction.max(other.direction);
    let mut covered = std::mem::take(&mut known.covered);
    for path in &other.covered {
        if covered.len() < MOST_COVERED && seen.insert(path.clone()) {
            covered.push(path.clone());
        }
    }
    if other.confidence > known.confidence {
        *known = other;
    }
    known.direction = direction;
    known.covered = covered;
}
