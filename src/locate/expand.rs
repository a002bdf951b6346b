//! Globs against the disk, within a bound: component by component, with the shell's rule for hidden names.
use std::path::{Path, PathBuf};

use crate::analyse::wildcard::{Wildcard, alternatives, is_pattern};

use super::cleaned;
use super::look::LookError;
use super::walk::{ListedKind, Resolved, Walker};

/// How many directory entries are looked at for one glob.
const MOST_ENTRIES: usize = 16_384;
/// How many matches one glob may have.
const MOST_MATCHES: usize = 4_096;

/// What a glob stands for.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Each place with its spelling; without any match, the directories in which the glob looks.
    pub places: Vec<(Resolved, PathBuf)>,
    /// Whether any entry matched, so that the places are matches.
    pub matched: bool,
}

/// Why a glob could not be expanded.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    /// A path on its way.
    #[error(transparent)]
    Path(#[from] LookError),
    /// More than can be looked at.
    #[error("it matches more entries than can be looked at ({MOST_MATCHES} matches, {MOST_ENTRIES} entries)")]
    TooMany,
}

/// One glob's search and what is left of its bounds.
struct GlobSearch<'walker> {
    walker: &'walker mut Walker,
    folds: bool,
    entries: usize,
    matches: usize,
    /// Whether a `**` reached further than the bound.
    is_cut: bool,
}

type GlobMatch = (Resolved, PathBuf);

/// Expands an absolute glob. A `**` that reaches more than the bound is cut to what was seen and its base directory, since all
/// the rest lies below that; any other glob past the bound fails.
pub fn expand(pattern: &str, walker: &mut Walker, folds: bool) -> Result<Expansion, GlobError> {
    let mut search = GlobSearch { walker, folds, entries: MOST_ENTRIES, matches: MOST_MATCHES, is_cut: false };
    let mut expansion = Expansion::default();
    for alternative in alternatives(pattern) {
        for reading in readings(&alternative) {
            let found = search.matches(&reading)?;
            expansion.matched |= !found.is_empty();
            let bases = if found.is_empty() || search.is_cut { vec![search.base(&reading)?] } else { Vec::new() };
            let is_new =
                |found: &GlobMatch, known: &[GlobMatch]| !known.iter().any(|known| known.0.path == found.0.path && known.1 == found.1);
            for found in found.into_iter().chain(bases) {
                if reading == alternative || is_new(&found, &expansion.places) {
                    expansion.places.push(found);
                }
            }
        }
    }
    Ok(expansion)
}

/// The glob as the shell walks it and, if it climbs, with `..` applied to its text first (`*/../../x`), as programs do.
fn readings(pattern: &str) -> Vec<String> {
    let climbs = pattern.split('/').any(|component| component == "..");
    let logical = climbs.then(|| cleaned(pattern).to_string_lossy().into_owned());
    std::iter::once(pattern.to_owned()).chain(logical).collect()
}

/// The part of a glob before its first pattern, as a directory.
pub fn literal_directory(pattern: &str) -> &str {
    let Some(first) = pattern.find(['*', '?', '[', '{']) else { return pattern };
    let literal = pattern.get(..first).unwrap_or_default();
    literal.rfind(['/', '\\']).and_then(|end| literal.get(..=end)).unwrap_or_default()
}

impl GlobSearch<'_> {
    /// The directory in which a glob looks, for one that matched nothing.
    fn base(&mut self, pattern: &str) -> Result<GlobMatch, GlobError> {
        let base = literal_directory(pattern);
        Ok((self.walker.resolve(base)?, cleaned(base)))
    }

    fn matches(&mut self, pattern: &str) -> Result<Vec<GlobMatch>, GlobError> {
        let components: Vec<&str> = pattern.split('/').filter(|component| !component.is_empty()).collect();
        let is_glob = |component: &&str| is_pattern(component) || component.contains('\\');
        let (literal, globs) = components.split_at(components.iter().position(is_glob).unwrap_or(components.len()));
        let prefix = format!("/{}", literal.join("/"));
        let mut frontier = vec![(self.walker.resolve(&prefix)?, PathBuf::from(prefix))];
        for (at, component) in globs.iter().enumerate() {
            frontier = self.advance(frontier, component, at + 1 == globs.len())?;
        }
        frontier.retain(|(resolved, _)| resolved.is_named);
        Ok(frontier.into_iter().map(|(resolved, spelled)| (resolved, cleaned(&spelled.to_string_lossy()))).collect())
    }

    fn advance(&mut self, frontier: Vec<GlobMatch>, component: &str, is_last: bool) -> Result<Vec<GlobMatch>, GlobError> {
        if component == "**" {
            return Ok(self.descend(frontier));
        }
        let pattern = Wildcard::new(&if self.folds { component.to_lowercase() } else { component.to_owned() });
        let mut next = Vec::new();
        for (directory, spelled) in frontier {
            match pattern.literal() {
                Some(name) => {
                    let spelled = spelled.join(name);
                    next.push((self.walker.resolve(&spelled.to_string_lossy())?, spelled));
                }
                None if directory.is_directory => self.list(&directory, &spelled, &pattern, is_last, &mut next)?,
                None => {}
            }
        }
        Ok(next)
    }

    fn list(
        &mut self,
        directory: &Resolved,
        spelled: &Path,
        pattern: &Wildcard,
        is_last: bool,
        next: &mut Vec<GlobMatch>,
    ) -> Result<(), GlobError> {
        for (name, known) in entries(&directory.path)? {
            self.entries = match self.entries.checked_sub(1) {
                Some(left) => left,
                None if self.is_cut => return Ok(()),
                None => return Err(GlobError::TooMany),
            };
            let hidden = name.starts_with('.') && !pattern.reaches_hidden();
            if hidden || !pattern.matches(&if self.folds { name.to_lowercase() } else { name.clone() }) {
                continue;
            }
            self.matches = self.matches.checked_sub(1).ok_or(GlobError::TooMany)?;
            match self.walker.child(directory, &name, known) {
                // A link that leads nowhere is no directory to go on from
                Err(LookError::Loop) if !is_last => {}
                child => next.push((child?, spelled.join(&name))),
            }
        }
        Ok(())
    }

    /// All directories at and below, links not followed, hidden ones left out as the shell does.
    fn descend(&mut self, frontier: Vec<GlobMatch>) -> Vec<GlobMatch> {
        let mut all = Vec::new();
        let mut open = frontier;
        while let Some((directory, spelled)) = open.pop() {
            let listed = if directory.is_directory { entries(&directory.path).unwrap_or_default() } else { Vec::new() };
            for (name, known) in listed {
                // Half of the bound is kept for looking at what was reached
                if self.entries <= MOST_ENTRIES / 2 {
                    self.is_cut = true;
                    break;
                }
                self.entries -= 1;
                if known == ListedKind::Directory
                    && !name.starts_with('.')
                    && let Ok(child) = self.walker.child(&directory, &name, known)
                {
                    open.push((child, spelled.join(&name)));
                }
            }
            all.push((directory, spelled));
        }
        all
    }
}

/// The entries of a directory; one that cannot be listed is no directory to the shell, but one that may not be read is a fault.
fn entries(directory: &Path) -> Result<Vec<(String, ListedKind)>, LookError> {
    let listing = match std::fs::read_dir(directory) {
        Ok(listing) => listing,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(_) => return Err(LookError::Denied(directory.to_path_buf())),
    };
    let mut all = Vec::new();
    for entry in listing.take(MOST_ENTRIES + 1).flatten() {
        let known = match entry.file_type() {
            Ok(kind) if kind.is_dir() => ListedKind::Directory,
            Ok(kind) if !kind.is_symlink() => ListedKind::Other,
            _ => ListedKind::Link,
        };
        // A name that is no Unicode text can be no sensitive one, but it can be a link out
        let name = entry.file_name().into_string().map_err(|_| LookError::NotUnicode);
        match name {
            Ok(name) => all.push((name, known)),
            Err(error) if known == ListedKind::Link => return Err(error),
            Err(_) => {}
        }
    }
    Ok(all)
}
