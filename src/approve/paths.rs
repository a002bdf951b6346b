//! Places a person permits by hand: what may be added, and in which form.
use std::path::{Path, PathBuf};

use crate::gate::{Key, quoted};

/// A place that exists, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermittedPlace {
    /// A directory and all below it.
    Directory(PathBuf),
    /// One regular file and nothing beside it.
    File(PathBuf),
}

/// Why a place is not added.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlaceError {
    /// It hangs on a working directory.
    #[error("{} is not an absolute path", quoted(.0))]
    Relative(String),
    /// It is not there, or cannot be looked at.
    #[error("{} cannot be permitted: {}", quoted(.0), .1)]
    Missing(String, String),
    /// It is permitted already.
    #[error("{} lies in the root, which is permitted already; what is asked about there is answered each time", quoted(.0))]
    InRoot(String),
    /// It would permit everything.
    #[error("{} holds the whole system; permit a directory below it", quoted(.0))]
    Everything(String),
    /// Neither a directory nor a regular file.
    #[error("{} is neither a directory nor a regular file", quoted(.0))]
    Special(String),
}

impl PermittedPlace {
    /// Where it is, resolved.
    pub fn path(&self) -> &Path {
        match self {
            Self::Directory(path) | Self::File(path) => path,
        }
    }

    /// The key that permitting it answers.
    pub fn into_key(self) -> Key {
        match self {
            Self::Directory(path) => Key::Directory(path),
            Self::File(path) => Key::File(path),
        }
    }
}

/// The place at `path` for a gate whose resolved root is `root`: it exists, is resolved, and is not inside the root.
///
/// # Errors
/// See [`PlaceError`].
pub fn validated(path: &Path, root: &Path) -> Result<PermittedPlace, PlaceError> {
    let name = path.to_string_lossy().into_owned();
    if !path.is_absolute() {
        return Err(PlaceError::Relative(name));
    }
    let missing = |error: std::io::Error| PlaceError::Missing(name.clone(), error.to_string());
    let real = path.canonicalize().map_err(missing)?;
    let about = real.metadata().map_err(missing)?;
    if real.starts_with(root) {
        return Err(PlaceError::InRoot(name));
    }
    match (real.parent(), about.is_dir(), about.is_file()) {
        (None, _, _) => Err(PlaceError::Everything(name)),
        (_, true, _) => Ok(PermittedPlace::Directory(real)),
        (_, _, true) => Ok(PermittedPlace::File(real)),
        _ => Err(PlaceError::Special(name)),
    }
}
