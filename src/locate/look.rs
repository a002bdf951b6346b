//! One look at one entry of the disk, and why a look can fail.
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Why it cannot be known what a path names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// Links that lead in a circle, or more of them than any system follows.
    #[error("its links lead in a circle")]
    Loop,
    /// The gate may not look into a directory on the way.
    #[error("callgate has no permission to look at `{}`", .0.display())]
    Denied(PathBuf),
    /// A NUL character, at which other programs cut the path off.
    #[error("it holds a NUL character")]
    Nul,
    /// More components than a path can have.
    #[error("it has more components than can be looked at")]
    TooLong,
    /// It leads through another process's view of the file system.
    #[error("it leads through `{}`, which only that process can follow", .0.display())]
    Foreign(PathBuf),
    /// The system failed to look.
    #[error("`{}` cannot be looked at ({why})", .path.display())]
    Failed {
        /// What was looked at.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It might keep whoever looks waiting, which was not wanted.
    #[error("looking at it may take long")]
    MayWait,
    /// A name that is no Unicode text.
    #[error("it holds a name that is not valid UTF-8")]
    NotUnicode,
}

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    number: u64,
    /// How many names it has.
    names: u64,
}

impl FileIdentity {
    /// The identity of a file that has more than one name (hard links).
    #[cfg(unix)]
    pub fn shared(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let is_shared = metadata.is_file() && metadata.nlink() > 1;
        is_shared.then(|| Self { device: metadata.dev(), number: metadata.ino(), names: metadata.nlink() })
    }

    /// How many names the file has.
    pub fn names(self) -> usize {
        usize::try_from(self.names).unwrap_or(usize::MAX)
    }

    /// Whether an entry of a directory is this file; one with another number is not looked at.
    #[cfg(unix)]
    pub fn is(self, entry: &std::fs::DirEntry) -> bool {
        use std::os::unix::fs::DirEntryExt as _;
        entry.ino() == self.number && entry.metadata().is_ok_and(|metadata| Self::shared(&metadata) == Some(self))
    }

    /// Unknown where the standard library cannot say it.
    #[cfg(not(unix))]
    pub fn is(self, _entry: &std::fs::DirEntry) -> bool {
        false
    }

    /// Unknown where the standard library cannot say it.
    #[cfg(not(unix))]
    pub fn shared(_metadata: &Metadata) -> Option<Self> {
        None
    }
}

/// What one look at an entry says.
pub enum EntryKind {
    /// A directory itself, not a link to one.
    Directory,
    /// Neither directory nor link; which file it is, if that has several names.
    Other(Option<FileIdentity>),
    /// No such entry, or a component on the way is no directory.
    Missing,
    /// A link, with its target as text.
    Link(String),
}

/// Whether `directory` belongs to one process under `/proc`, where links lead into that process's own view.
pub fn is_process_view(directory: &Path) -> bool {
    let Some(rest) = directory.to_str().and_then(|text| text.strip_prefix("/proc/")) else { return false };
    let process = rest.split('/').next().unwrap_or_default();
    matches!(process, "self" | "thread-self") || (!process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Looks at one entry without following it.
///
/// # Errors
/// When it cannot be looked at.
pub fn look(path: &Path) -> Result<EntryKind, LookError> {
    let failed = |error: &io::Error| LookError::Failed { path: path.to_path_buf(), why: error.kind().to_string() };
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            read_link(path).map_err(|error| failed(&error))?.ok_or(LookError::NotUnicode).map(EntryKind::Link)
        }
        Ok(metadata) if metadata.is_dir() => Ok(EntryKind::Directory),
        Ok(metadata) => Ok(EntryKind::Other(FileIdentity::shared(&metadata))),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => Ok(EntryKind::Missing),
            io::ErrorKind::PermissionDenied => Err(LookError::Denied(path.to_path_buf())),
            _ => Err(failed(&error)),
        },
    }
}

/// A link's target; nothing if it is not Unicode text.
fn read_link(path: &Path) -> io::Result<Option<String>> {
    Ok(std::fs::read_link(path)?.into_os_string().into_string().ok())
}
