//! Globs against the disk, within a bound: component by component, with the shell's rule for hidden names.
use std::path::{Path, PathBuf};

use crate::gate::wildcard::{Wildcard, alternatives, is_pattern};

use super::cleaned;
use super::walk::{Known, Resolved, Trouble, Walker};

/// How many directory entries are looked at for one glob.
const MOST_ENTRIES: usize = 16_384;
/// How many matches one glob may have.
const MOST_MATCHES: usize = 4_096;

/// What a glob stands for.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Each place with its spelling; without any match, the directories in which the glob looks.
    pub places: Vec<(Resolved, PathBuf)>,
    /// Whether anything matched.
    pub matched: bool,
}

/// Why a glob could not be expanded.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A path on its way.
    #[error(transparent)]
    Path(#[from] Trouble),
    /// More than can be looked at.
    #[error("it matches more entries than can be looked at ({MOST_MATCHES} matches, {MOST_ENTRIES} entries)")]
    TooMany,
}

struct Budget {
    entries: usize,
    matches: usize,
}

type Found = (Resolved, PathBuf);

/// Expands an absolute glob. A `**` that reaches more than the bound is cut to what was seen and its base directory, since all
/// the rest lies below that; any other glob past the bound fails.
pub fn expand(pattern: &str, walker: &mut Walker, folds: bool) -> Result<Expansion, Failure> {
    let mut budget = Budget { entries: MOST_ENTRIES, matches: MOST_MATCHES };
    let mut expansion = Expansion::default();
    for alternative in alternatives(pattern) {
        let matches = matches(&alternative, walker, folds, &mut budget)?;
        expansion.matched |= !matches.is_empty();
        expansion.places.extend(matches);
        add_bases(&alternative, walker, &mut expansion)?;
    }
    Ok(expansion)
}

/// The part of a glob before its first pattern, as a directory.
pub fn literal_directory(pattern: &str) -> &str {
    let Some(first) = pattern.find(['*', '?', '[', '{']) else { return pattern };
    let literal = pattern.get(..first).unwrap_or_default();
    literal.rfind(['/', '\\']).and_then(|end| literal.get(..=end)).unwrap_or_default()
}

/// Adds the directories in which the glob looks: by its own text if nothing matched, and by the text with `..` applied first if
/// that leads elsewhere (`*/../../x`).
fn add_bases(pattern: &str, walker: &mut Walker, expansion: &mut Expansion) -> Result<(), Trouble> {
    let logical = cleaned(pattern);
    let logical = logical.to_str().map(literal_directory).unwrap_or_default().to_owned();
    let physical = literal_directory(pattern);
    let climbs = pattern.split('/').any(|component| component == "..");
    let wanted = [(!expansion.matched).then_some(physical), climbs.then_some(logical.as_str())];
    for base in wanted.into_iter().flatten() {
        let resolved = walker.resolve(base)?;
        if !expansion.places.iter().any(|(known, _)| known.path == resolved.path) {
            expansion.places.push((resolved, cleaned(base)));
        }
    }
    Ok(())
}

fn matches(pattern: &str, walker: &mut Walker, folds: bool, budget: &mut Budget) -> Result<Vec<Found>, Failure> {
    let mut frontier = vec![(walker.resolve("/")?, PathBuf::from("/"))];
    let components: Vec<&str> = pattern.split('/').filter(|component| !component.is_empty()).collect();
    let first_pattern =
        components.iter().position(|component| is_pattern(component) || component.contains('\\')).unwrap_or(components.len());
    if let Some(literal) = components.get(..first_pattern).filter(|literal| !literal.is_empty()) {
        let prefix = format!("/{}", literal.join("/"));
        frontier = vec![(walker.resolve(&prefix)?, PathBuf::from(prefix))];
    }
    for component in components.get(first_pattern..).unwrap_or_default() {
        frontier = advance(frontier, component, walker, folds, budget)?;
    }
    frontier.retain(|(resolved, _)| resolved.is_named);
    Ok(frontier.into_iter().map(|(resolved, spelled)| (resolved, cleaned(&spelled.to_string_lossy()))).collect())
}

fn advance(frontier: Vec<Found>, component: &str, walker: &mut Walker, folds: bool, budget: &mut Budget) -> Result<Vec<Found>, Failure> {
    if component == "**" {
        return Ok(descend(frontier, walker, budget));
    }
    let pattern = Wildcard::new(&if folds { component.to_lowercase() } else { component.to_owned() });
    let mut next = Vec::new();
    for (directory, spelled) in frontier {
        match pattern.literal() {
            Some(name) => {
                let spelled = spelled.join(name);
                next.push((walker.resolve(&spelled.to_string_lossy())?, spelled));
            }
            None if directory.is_directory => list(&directory, &spelled, &pattern, walker, folds, budget, &mut next)?,
            None => {}
        }
    }
    Ok(next)
}

fn list(
    directory: &Resolved,
    spelled: &Path,
    pattern: &Wildcard,
    walker: &mut Walker,
    folds: bool,
    budget: &mut Budget,
    next: &mut Vec<Found>,
) -> Result<(), Failure> {
    for (name, known) in entries(&directory.path)? {
        budget.entries = budget.entries.checked_sub(1).ok_or(Failure::TooMany)?;
        let compared = if folds { name.to_lowercase() } else { name.clone() };
        let hidden = name.starts_with('.') && !pattern.reaches_hidden();
        if hidden || !pattern.matches(&compared) {
            continue;
        }
        budget.matches = budget.matches.checked_sub(1).ok_or(Failure::TooMany)?;
        next.push((walker.child(directory, &name, known)?, spelled.join(&name)));
    }
    Ok(())
}

/// All directories at and below, links not followed, hidden ones left out as the shell does.
fn descend(frontier: Vec<Found>, walker: &mut Walker, budget: &mut Budget) -> Vec<Found> {
    let mut all = Vec::new();
    let mut open = frontier;
    while let Some((directory, spelled)) = open.pop() {
        let listed = if directory.is_directory { entries(&directory.path).unwrap_or_default() } else { Vec::new() };
        for (name, known) in listed {
            let Some(left) = budget.entries.checked_sub(1) else { break };
            budget.entries = left;
            if known == Known::Directory
                && !name.starts_with('.')
                && let Ok(child) = walker.child(&directory, &name, known)
            {
                open.push((child, spelled.join(&name)));
            }
        }
        all.push((directory, spelled));
    }
    all
}

/// The entries of a directory; one that cannot be listed is no directory to the shell, but one that may not be read is a fault.
fn entries(directory: &Path) -> Result<Vec<(String, Known)>, Trouble> {
    let listing = match std::fs::read_dir(directory) {
        Ok(listing) => listing,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(_) => return Err(Trouble::Denied(directory.to_path_buf())),
    };
    let mut all = Vec::new();
    for entry in listing.take(MOST_ENTRIES + 1).flatten() {
        let known = match entry.file_type() {
            Ok(kind) if kind.is_dir() => Known::Directory,
            Ok(kind) if !kind.is_symlink() => Known::Other,
            _ => Known::Link,
        };
        // A name that is no Unicode text can be no sensitive one, but it can be a link out
        let name = entry.file_name().into_string().map_err(|_| Trouble::NotUnicode);
        match name {
            Ok(name) => all.push((name, known)),
            Err(trouble) if known == Known::Link => return Err(trouble),
            Err(_) => {}
        }
    }
    Ok(all)
}
