//! Where a session is: the root, the home directory and what else is permitted, each resolved as every mention will be.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::analyse::Surroundings;
use crate::analyse::pathform::{self, PathForm};
use crate::policy::{Platform, clients};

use super::cleaned;
use super::home::{self, Tilde};
use super::look::LookError;
use super::walk::Walker;

/// The gate's own variable for the root; those of clients come after it.
const ROOT_VARIABLE: &str = "CALLGATE_ROOT";

/// What a relative permitted path begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelativeTo {
    /// The directory the gate was started in: for the command line.
    WorkingDirectory,
    /// The root: for a policy.
    Root,
}

/// A permitted directory or file as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermittedEntry {
    /// Absolute, relative, or beginning with `~` or `$NAME`.
    pub text: String,
    /// What it begins at when relative.
    pub base: RelativeTo,
}

/// What the edges know before a session begins.
#[derive(Debug, Clone)]
pub struct SurroundingsOptions {
    /// The root as given by `--root` or the policy; nothing for `auto`.
    pub root: Option<String>,
    /// The paths of the client's roots, in its order.
    pub client_roots: Vec<String>,
    /// Permitted directories besides the root.
    pub allow_directories: Vec<PermittedEntry>,
    /// Files that are permitted by themselves, wherever they lie.
    pub allow_files: Vec<PermittedEntry>,
    /// The directory the gate was started in.
    pub working_directory: PathBuf,
    /// The environment that an upstream will see.
    pub variables: BTreeMap<String, String>,
    /// Whose path rules apply.
    pub platform: Platform,
}

impl SurroundingsOptions {
    /// What the process's own environment says, with nothing else permitted yet.
    ///
    /// # Errors
    /// When the working directory is gone.
    pub fn from_environment() -> Result<Self, SurroundingsError> {
        let working_directory = std::env::current_dir().map_err(|error| SurroundingsError::WorkingDirectory(error.to_string()))?;
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Ok(Self {
            root: None,
            client_roots: Vec::new(),
            allow_directories: Vec::new(),
            allow_files: Vec::new(),
            working_directory,
            variables: std::env::vars_os().filter_map(text).collect(),
            platform: Platform::host(),
        })
    }
}

/// Why a session cannot begin where it was asked to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurroundingsError {
    /// `auto` ended at a directory that would permit everything of the user's.
    #[error("the root would be `{}`, which permits {what}; say which project is meant with `--root`, or give `--root {}` if you do mean it", .path.display(), .path.display())]
    TooWide {
        /// The directory that would be the root, resolved.
        path: PathBuf,
        /// What lies in it, in words.
        what: &'static str,
    },
    /// The root or a permitted path cannot be resolved.
    #[error("the {what} `{text}` cannot be used: {error}")]
    Unresolved {
        /// Root, permitted directory or permitted file.
        what: &'static str,
        /// As it was given.
        text: String,
        /// What the disk said.
        error: LookError,
    },
    /// `~user` or `$NAME` of which nothing is known.
    #[error("the {what} `{text}` cannot be used: nothing is known of its `~` or `$` part")]
    Unknown {
        /// Root, permitted directory or permitted file.
        what: &'static str,
        /// As it was given.
        text: String,
    },
    /// The working directory cannot be read.
    #[error("the working directory cannot be read ({0}); start callgate in a directory that exists")]
    WorkingDirectory(String),
}

/// Resolves root, home and permitted paths. What does not exist yet is resolved as far as it exists, with a warning.
///
/// # Errors
/// When the root would be `/` or the home directory without being given, or when something cannot be resolved.
pub fn surroundings(options: SurroundingsOptions) -> Result<Surroundings, SurroundingsError> {
    let maker = Maker::new(options);
    let (root_text, explicit) = maker.root_text();
    let (spelled_root, root) = maker.resolve("root", &root_text, &maker.options.working_directory)?;
    if let Some(what) = maker.too_wide(&root).filter(|_| !explicit) {
        return Err(SurroundingsError::TooWide { path: root, what });
    }
    let allowed_directories = maker.all("permitted directory", &maker.options.allow_directories, &root, Some(root.clone()))?;
    let allowed_files = maker.all("permitted file", &maker.options.allow_files, &root, None)?;
    let folds_case = folds_case(&root, maker.options.platform);
    let Maker { home, options: SurroundingsOptions { mut variables, platform, .. }, .. } = maker;
    variables.insert("PWD".to_owned(), root.to_string_lossy().into_owned());
    variables.remove("OLDPWD");
    Ok(Surroundings { root, spelled_root, home, allowed_directories, allowed_files, variables, platform, folds_case })
}

struct Maker {
    options: SurroundingsOptions,
    home_text: Option<String>,
    home: Option<PathBuf>,
}

impl Maker {
    fn new(options: SurroundingsOptions) -> Self {
        let home_text = options.variables.get("HOME").filter(|home| home.starts_with('/')).cloned().or_else(home::own);
        let profile = options.variables.get("USERPROFILE").cloned();
        let is_windows = options.platform == Platform::Windows;
        let home_text = if is_windows { profile.or(home_text) } else { home_text.or(profile) };
        let resolved = |text: &String| walk_from(&options.working_directory, text).unwrap_or_else(|_| PathBuf::from(text));
        let home = home_text.as_ref().map(|text| if is_windows { PathBuf::from(text) } else { resolved(text) });
        Self { options, home_text, home }
    }

    /// The root's text and whether the user gave it.
    fn root_text(&self) -> (String, bool) {
        if let Some(given) = self.options.root.as_ref().filter(|given| !given.trim().is_empty()) {
            return (given.clone(), true);
        }
        let named = |name: &str| {
            self.options.variables.get(name).filter(|value| Path::new(value).is_absolute() && Path::new(value).is_dir()).cloned()
        };
        let variable = std::iter::once(ROOT_VARIABLE).chain(clients::project_variables()).find_map(named);
        let text = variable.or_else(|| self.options.client_roots.first().cloned());
        (text.unwrap_or_else(|| self.options.working_directory.to_string_lossy().into_owned()), false)
    }

    fn too_wide(&self, root: &Path) -> Option<&'static str> {
        if root.parent().is_none() {
            return Some("every file");
        }
        self.home.as_ref().is_some_and(|home| home.starts_with(root)).then_some("the whole home directory")
    }

    fn all(
        &self,
        what: &'static str,
        entries: &[PermittedEntry],
        root: &Path,
        first: Option<PathBuf>,
    ) -> Result<Vec<PathBuf>, SurroundingsError> {
        let mut all: Vec<PathBuf> = first.into_iter().collect();
        for entry in entries.iter().filter(|entry| !entry.text.trim().is_empty()) {
            let base = if entry.base == RelativeTo::Root { root } else { &self.options.working_directory };
            let (_, path) = self.resolve(what, &entry.text, base)?;
            if !path.exists() {
                tracing::warn!(path = %path.display(), "the {what} does not exist yet");
            }
            if !all.contains(&path) {
                all.push(path);
            }
        }
        Ok(all)
    }

    /// The path as spelled and as resolved.
    fn resolve(&self, what: &'static str, text: &str, base: &Path) -> Result<(PathBuf, PathBuf), SurroundingsError> {
        if self.options.platform == Platform::Windows {
            let whole = match pathform::absolute(text, &base.to_string_lossy(), Platform::Windows) {
                PathForm::Absolute(whole) => PathBuf::from(whole),
                _ => base.join(text),
            };
            return Ok((whole.clone(), dunce::canonicalize(&whole).unwrap_or(whole)));
        }
        let unknown = || SurroundingsError::Unknown { what, text: text.to_owned() };
        let Tilde::Path(expanded) = home::expand(text, self.home_text.as_deref()) else { return Err(unknown()) };
        let expanded = self.variable(&expanded).ok_or_else(unknown)?;
        let whole = if expanded.starts_with('/') { expanded } else { format!("{}/{expanded}", base.display()) };
        let unresolved = |error| SurroundingsError::Unresolved { what, text: text.to_owned(), error };
        Ok((cleaned(&whole), walk_from(base, &whole).map_err(unresolved)?))
    }

    /// `$NAME` or `${NAME}` at the beginning, which lets a policy name the user's scratch directory.
    fn variable(&self, text: &str) -> Option<String> {
        let Some(after) = text.strip_prefix('$') else { return Some(text.to_owned()) };
        let (name, rest) = after.find('/').map_or((after, ""), |at| after.split_at(at));
        let name = name.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(name);
        let value = self.options.variables.get(name).filter(|value| value.starts_with('/'))?;
        Some(format!("{value}{rest}"))
    }
}

fn walk_from(working_directory: &Path, text: &str) -> Result<PathBuf, LookError> {
    Walker::new(working_directory.to_path_buf(), Vec::new()).resolve(text).map(|resolved| resolved.path)
}

/// Whether the volume of `root` folds case: the name in the other case leads to the same entry. Where that cannot be seen, the
/// platform's usual volumes decide.
fn folds_case(root: &Path, platform: Platform) -> bool {
    let usual = platform != Platform::Linux;
    let Some(name) = root.file_name().and_then(|name| name.to_str()) else { return usual };
    let swapped: String = name
        .chars()
        .map(|letter| if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() })
        .collect();
    if platform != Platform::host() || swapped == name || !root.exists() {
        return usual;
    }
    same_entry(root, &root.with_file_name(swapped)).unwrap_or(usual)
}

#[cfg(unix)]
fn same_entry(one: &Path, other: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| std::fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    let one = identity(one).ok()?;
    match identity(other) {
        Ok(other) => Some(one == other),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(false),
        Err(_) => None,
    }
}

#[cfg(not(unix))]
fn same_entry(_one: &Path, _other: &Path) -> Option<bool> {
    None
}
