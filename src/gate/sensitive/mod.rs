//! Whether a name bears credentials or controls later execution: by name alone, never by content.
mod list;
mod own;
mod pattern;
mod view;

use std::path::{Path, PathBuf};

use crate::policy::Direction;

use super::contain;
use super::located::{Located, Outcome, Place};
use crate::analyse::Form;
use crate::analyse::Surroundings;
use crate::analyse::wildcard;
use list::List;
use own::Own;
use view::{Candidates, View};

/// Why a name is sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It holds, or commonly holds, credentials: for any access.
    Credential,
    /// It decides what runs later or what is permitted: when written.
    Control,
}

/// A rule that a name met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// What kind of file it is.
    pub class: Class,
    /// The rule as it stands in the list or in the policy: `*.pem`, `.ssh`, `conf/*.ini`.
    pub rule: String,
}

/// A pattern of the user that is not a glob, or a fault of the list that is compiled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `[sensitive] extra`, `[sensitive] except` or `CALLGATE_SENSITIVE_PATTERNS`.
    #[error("the sensitive pattern `{pattern}` is not a glob ({why}); write one name or path per pattern, such as `*.secret`")]
    Pattern {
        /// The pattern as it stood.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// The compiled-in list cannot be read.
    #[error("the built-in list of sensitive names cannot be read ({0}); report this as a fault of callgate")]
    BuiltIn(String),
}

/// The effective list: the built-in one with what the user added and excepted.
#[derive(Debug, Clone)]
pub struct Sensitive {
    list: &'static List,
    extra: Own,
    except: Own,
    own_files: Vec<PathBuf>,
}

impl Sensitive {
    /// The built-in list with the user's own patterns. A pattern with a slash is matched on the path at any depth, one without
    /// on the name. `except` silences the built-in list but never `extra`, so that the environment can only add.
    ///
    /// # Errors
    /// When a pattern is not a glob.
    pub fn new(extra: &[String], except: &[String]) -> Result<Self, Error> {
        let list = List::built_in().map_err(|why| Error::BuiltIn(why.to_owned()))?;
        Ok(Self { list, extra: Own::new(extra)?, except: Own::new(except)?, own_files: Vec::new() })
    }

    /// Takes a file that this run of the gate lives by (its policy, its audit log), wherever it lies, for a control file. The path
    /// is resolved.
    pub fn guard(&mut self, file: PathBuf) {
        self.own_files.push(file);
    }

    /// Tests a path. An absolute one is taken whole; a relative one as lying below the root. Ancestors of the root belong not in
    /// here: see [`Self::of_place`], which takes them off.
    pub fn matching(&self, path: &Path, direction: Direction) -> Option<Match> {
        self.view(&View::plain(&path.to_string_lossy()), direction)
    }

    /// Tests what is named only inside another store: `HEAD:.env`, `host:/srv/.env`, an archive member, or a name pattern such as
    /// `find -name` takes.
    pub fn matching_name(&self, name: &str, direction: Direction) -> Option<Match> {
        if wildcard::is_pattern(name)
            && let Some(found) = self.glob_may_match(name)
        {
            return Some(found);
        }
        let after_colon = name.rsplit(':').next().filter(|inner| inner.len() != name.len());
        std::iter::once(name).chain(after_colon).find_map(|text| self.view(&View::plain(text), direction))
    }

    /// Whether a glob aims at listed names, by its text alone: `.e*`, `id_*`, `*.pem`, `.[a]ws/*`, but not `*`, `*.txt` or `src/*`.
    pub fn glob_may_match(&self, pattern: &str) -> Option<Match> {
        let aimed = |alternative: &String| pattern::aimed(self.list, &View::plain(alternative));
        let alternatives = wildcard::alternatives(pattern);
        alternatives.iter().find_map(|alternative| self.extra.matching(&View::plain(alternative)).or_else(|| aimed(alternative)))
    }

    /// Tests a place under both of its names, the resolved and the spelled one, each relative to the innermost of root and home.
    /// A file that the user permitted by itself is free, and so are the devices that hold nothing.
    pub fn of_place(&self, place: &Place, surroundings: &Surroundings, direction: Direction) -> Option<Match> {
        let Surroundings { folds_case, platform, .. } = *surroundings;
        let is_listed = contain::is_listed_file(&place.path, &surroundings.allowed_files, folds_case, platform);
        if is_listed || contain::is_free_device(&place.spelled) {
            return None;
        }
        if direction != Direction::Read && contain::is_listed_file(&place.path, &self.own_files, folds_case, platform) {
            return Some(Match { class: Class::Control, rule: "the gate's own files".to_owned() });
        }
        let resolved = self.view(&View::within(&place.path.to_string_lossy(), surroundings), direction);
        if resolved.is_some() || place.path == place.spelled {
            return resolved;
        }
        self.view(&View::within(&place.spelled.to_string_lossy(), surroundings), direction)
    }

    /// Everything sensitive about one mention: each place that matches, a name inside another store, a glob that matched nothing,
    /// and the text of what could not be resolved. The path is the resolved one, where there is one.
    pub fn of_located(&self, located: &Located, surroundings: &Surroundings) -> Vec<(Option<PathBuf>, Match)> {
        let direction = located.mention.direction;
        match (&located.outcome, &located.mention.form) {
            (Outcome::Void, _) | (_, Form::Url(_)) => Vec::new(),
            (_, Form::NameOnly(name)) => self.matching_name(name, direction).map(|found| (None, found)).into_iter().collect(),
            (Outcome::Places(places), form) => {
                let found = |place: &Place| Some((Some(place.path.clone()), self.of_place(place, surroundings, direction)?));
                let mut all: Vec<_> = places.iter().filter_map(found).collect();
                if let (true, Form::Glob(pattern)) =
                    (all.is_empty() && !places.iter().any(|place| place.exists && !place.is_directory), form)
                {
                    all.extend(self.of_glob(pattern, surroundings).map(|found| (None, found)));
                }
                all
            }
            (Outcome::Unresolved(_), Form::Glob(pattern)) => {
                self.of_glob(pattern, surroundings).map(|found| (None, found)).into_iter().collect()
            }
            (Outcome::Unresolved(_), Form::Path(text) | Form::Unless { path: text, .. }) => {
                self.view(&View::within(text, surroundings), direction).map(|found| (None, found)).into_iter().collect()
            }
        }
    }

    /// Like [`Self::glob_may_match`], for an absolute glob: relative to the innermost of root and home.
    pub fn of_glob(&self, pattern: &str, surroundings: &Surroundings) -> Option<Match> {
        let within = |alternative: &String| {
            let view = View::within(alternative, surroundings);
            self.extra.matching(&view).or_else(|| pattern::aimed(self.list, &view))
        };
        wildcard::alternatives(pattern).iter().find_map(within)
    }

    fn view(&self, view: &View, direction: Direction) -> Option<Match> {
        if let Some(found) = self.extra.matching(view) {
            return Some(found);
        }
        let found = self.built_in(view, direction)?;
        if self.except.matching(view).is_some() { None } else { Some(found) }
    }

    fn built_in(&self, view: &View, direction: Direction) -> Option<Match> {
        let names = Candidates::of(view.name(), self.list);
        if let Some(rule) = self.list.credential(view, &names) {
            return Some(Match { class: Class::Credential, rule: rule.to_owned() });
        }
        let rule = if direction == Direction::Read { None } else { self.list.control(view, &names) };
        rule.map(|rule| Match { class: Class::Control, rule: rule.to_owned() })
    }
}

#[cfg(test)]
mod tests;
