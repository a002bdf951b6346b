//! What becomes of one mention: its condition, then its places by both readings of `..`.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analyse::pathform::{self, PathForm};
use crate::analyse::{Condition, Form, Mention, Surroundings};
use crate::gate::{Outcome, Place};
use crate::policy::Platform;

use super::cleaned;
use super::expand;
use super::home::{self, Tilde};
use super::look::LookError;
use super::mounts::Mounts;
use super::twin::{self, Twins};
use super::walk::{Resolved, Walker};

/// Finds the places of the mentions of one call.
pub struct MentionLocator<'surroundings> {
    surroundings: &'surroundings Surroundings,
    home: Option<String>,
    walker: Walker,
    top: HashMap<String, bool>,
    twins: Twins,
}

impl<'surroundings> MentionLocator<'surroundings> {
    /// A finder for one call.
    pub fn new(surroundings: &'surroundings Surroundings) -> Self {
        let home = surroundings.home.as_ref().and_then(|home| home.to_str()).map(str::to_owned);
        let walker = Walker::new(surroundings.root.clone(), surroundings.allowed_directories.clone());
        Self { surroundings, home, walker, top: HashMap::new(), twins: Twins::default() }
    }

    /// The same finder, which gives up where the disk could keep it waiting.
    pub fn at_once(self, mounts: Arc<Mounts>) -> Self {
        Self { walker: self.walker.at_once(mounts), ..self }
    }

    /// Whether it gave up for that since it was made; what it said then is worth nothing.
    pub const fn would_wait(&self) -> bool {
        self.walker.would_wait()
    }

    /// What becomes of `mention`.
    pub fn outcome(&mut self, mention: &Mention) -> Outcome {
        let condition = mention.condition;
        match &mention.form {
            Form::NameOnly(_) | Form::Url(_) => Outcome::Places(Vec::new()),
            Form::Unless { directory, .. } if self.is_directory(directory) => Outcome::Void,
            Form::Path(text) | Form::Unless { path: text, .. } if self.surroundings.platform == Platform::Windows => {
                windows(text, self.surroundings)
            }
            Form::Glob(text) if self.surroundings.platform == Platform::Windows => {
                windows(expand::literal_directory(text), self.surroundings)
            }
            Form::Path(text) | Form::Unless { path: text, .. } => self.path(text, condition, mention.runs),
            Form::Glob(text) => self.glob(text, condition),
        }
    }

    /// Whether a `cd` to it succeeds by both readings; what cannot be looked at is not counted on.
    fn is_directory(&mut self, text: &str) -> bool {
        let Tilde::Path(whole) = home::expand(text, self.home.as_deref()) else { return false };
        let whole = self.absolute(&whole);
        self.readings(&whole).is_ok_and(|readings| readings.iter().all(|reading| reading.is_directory))
    }

    fn path(&mut self, text: &str, condition: Condition, runs: bool) -> Outcome {
        let whole = match home::expand(text, self.home.as_deref()) {
            Tilde::Path(whole) => self.absolute(&whole),
            Tilde::NoUser(user) => return self.without_user(text, &user, condition),
        };
        if condition == Condition::FirstComponentExists && !self.top_exists(&whole) {
            return Outcome::Void;
        }
        match self.readings(&whole) {
            Ok(readings) if condition == Condition::Exists && !readings.iter().any(|reading| reading.is_named) => Outcome::Void,
            Ok(readings) => {
                let mut places: Vec<Place> = Vec::new();
                for reading in readings {
                    let (others, reaches_elsewhere) = if runs { (Vec::new(), false) } else { self.other_names(&reading) };
                    places.push(Place { reaches_elsewhere, ..place(reading, cleaned(&whole)) });
                    places.extend(others);
                }
                Outcome::Places(places)
            }
            Err(error) => Outcome::Unresolved(error.to_string()),
        }
    }

    /// The readings of a path: as the kernel takes it and, where that differs, with `..` applied to the text first, which is what
    /// shells do with their directory and many programs with any path.
    fn readings(&mut self, whole: &str) -> Result<Vec<Resolved>, LookError> {
        let physical = self.walker.resolve(whole)?;
        let climbs = whole.split('/').any(|component| component == "..");
        let logical = if climbs { cleaned(whole).to_str().map(|text| self.walker.resolve(text)).transpose()? } else { None };
        let differs = logical.filter(|logical| logical.path != physical.path);
        let mut readings: Vec<Resolved> = std::iter::once(physical).chain(differs).collect();
        let twins: Vec<Resolved> = readings.iter().filter_map(|reading| self.twin(reading)).collect();
        readings.extend(twins);
        Ok(readings)
    }

    /// The dotfile of the user's that a hard link shares its file with, as one more reading.
    fn twin(&mut self, reading: &Resolved) -> Option<Resolved> {
        let path = self.twins.of(reading.shared?, self.surroundings.home.as_deref()?)?;
        (path != reading.path).then(|| Resolved { path, ..reading.clone() })
    }

    /// The other names inside of a permitted file that has several (hard links), and whether there are more of which nothing is
    /// known.
    fn other_names(&mut self, reading: &Resolved) -> (Vec<Place>, bool) {
        let permitted = &self.surroundings.allowed_directories;
        let lies_inside = permitted.iter().any(|directory| reading.path.starts_with(directory));
        let Some(shared) = reading.shared.filter(|_| lies_inside && !twin::is_in_store(&reading.path)) else {
            return (Vec::new(), false);
        };
        let found = self.twins.inside(shared, permitted);
        let is_whole = found.len() >= shared.names() || self.twin(reading).is_some();
        let others = found.into_iter().filter(|path| *path != reading.path);
        (others.map(|path| place(Resolved { path: path.clone(), ..reading.clone() }, path)).collect(), !is_whole)
    }

    /// `~name` without such a user is a name in the directory at hand; since a server may see it otherwise, one that does not
    /// exist is asked about.
    fn without_user(&mut self, text: &str, user: &str, condition: Condition) -> Outcome {
        match self.path_in_root(text) {
            Ok(reading) if reading.is_named => Outcome::Places(vec![place(reading, cleaned(&self.absolute(text)))]),
            _ if condition == Condition::Always => {
                Outcome::Unresolved(format!("there is no user `{}` to take the home directory of", user.escape_debug()))
            }
            _ => Outcome::Void,
        }
    }

    fn path_in_root(&mut self, text: &str) -> Result<Resolved, LookError> {
        let whole = self.absolute(text);
        self.walker.resolve(&whole)
    }

    fn glob(&mut self, text: &str, condition: Condition) -> Outcome {
        let whole = match home::expand(text, self.home.as_deref()) {
            Tilde::Path(whole) => self.absolute(&whole),
            Tilde::NoUser(_) => self.absolute(text),
        };
        if condition == Condition::FirstComponentExists && !self.top_exists(&whole) {
            return Outcome::Void;
        }
        match expand::expand(&whole, &mut self.walker, self.surroundings.folds_case) {
            Ok(expansion) if condition == Condition::Exists && !expansion.matched => Outcome::Void,
            Ok(expansion) => Outcome::Places(expansion.places.into_iter().map(|(reading, spelled)| place(reading, spelled)).collect()),
            Err(why) => Outcome::Unresolved(why.to_string()),
        }
    }

    fn absolute(&self, text: &str) -> String {
        if text.starts_with('/') { text.to_owned() } else { format!("{}/{text}", self.surroundings.root.display()) }
    }

    /// Whether the first component of a path exists at `/`; what cannot be looked at is held to exist.
    fn top_exists(&mut self, whole: &str) -> bool {
        let path = cleaned(whole);
        let Some(first) = path.iter().nth(1).and_then(|first| first.to_str()) else { return true };
        let place = format!("/{first}");
        if self.walker.waits_at(Path::new(&place)) {
            return true;
        }
        *self.top.entry(first.to_owned()).or_insert_with(|| {
            let found = std::fs::symlink_metadata(place);
            !found.is_err_and(|error| {
                matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidFilename | std::io::ErrorKind::InvalidInput
                )
            })
        })
    }
}

fn place(reading: Resolved, spelled: PathBuf) -> Place {
    let Resolved { path, exists, is_directory, through_link, .. } = reading;
    Place { path, spelled, exists, is_directory, through_link, reaches_elsewhere: false }
}

/// A path under Windows rules. On that system the deepest existing ancestor is resolved; elsewhere the text must do.
fn windows(text: &str, surroundings: &Surroundings) -> Outcome {
    match pathform::absolute(text, &surroundings.root.to_string_lossy(), Platform::Windows) {
        PathForm::Absolute(path) => {
            let spelled = PathBuf::from(path);
            let path = if Platform::host() == Platform::Windows { deepest_existing(&spelled) } else { spelled.clone() };
            let (exists, is_directory) = std::fs::metadata(&path).map_or((false, false), |metadata| (true, metadata.is_dir()));
            Outcome::Places(vec![Place { through_link: path != spelled, path, spelled, exists, is_directory, reaches_elsewhere: false }])
        }
        PathForm::Device(name) if name.eq_ignore_ascii_case("nul") => Outcome::Places(Vec::new()),
        PathForm::Device(name) => Outcome::Unresolved(format!("it names the device `{}`", name.escape_debug())),
        PathForm::Unresolvable(why) => Outcome::Unresolved(why.to_owned()),
        PathForm::Relative(_) | PathForm::RootRelative(_) | PathForm::DriveRelative { .. } => {
            Outcome::Unresolved("it cannot be made absolute".to_owned())
        }
    }
}

fn deepest_existing(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|ancestor| Some((dunce::canonicalize(ancestor).ok()?, path.strip_prefix(ancestor).ok()?)));
    found.map_or_else(|| path.to_path_buf(), |(real, rest)| real.join(rest))
}
