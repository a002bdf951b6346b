//! Reads a text file that somebody else may have put there: bounded, never through a pipe, through links only where the user named it.
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::escape::visible;

/// A policy longer than this is none: reading it must not cost the start of a session.
const LONGEST: u64 = 1 << 20;

/// A policy or lock file that cannot be read; as bad as one that is not understood.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be used: {why}", visible(.file))]
pub struct TextFileError {
    file: String,
    why: String,
}

impl TextFileError {
    /// Says why `file` cannot be used.
    pub fn new(file: &Path, why: impl ToString) -> Self {
        Self { file: file.to_string_lossy().into_owned(), why: why.to_string() }
    }
}

/// Whether a link may stand in a file's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The user named the file, so the user's link is meant.
    Followed,
    /// The file came with a project: its link could point at any file of the user's, and errors quote lines.
    Refused,
}

/// Reads a policy file; nothing if there is none.
///
/// # Errors
/// A file that is no plain text file of a sensible length, or may not be read.
pub fn read(file: &Path, links: Links) -> Result<Option<String>, TextFileError> {
    read_within(file, links, LONGEST)
}

/// Reads a text file of at most `limit` bytes; nothing if there is none.
///
/// # Errors
/// As [`read()`].
pub fn read_within(file: &Path, links: Links, limit: u64) -> Result<Option<String>, TextFileError> {
    if links == Links::Refused && file.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(TextFileError::new(file, "it is a link; copy the file, or name it on the command line"));
    }
    let opened = match open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(TextFileError::new(file, error)),
    };
    if !opened.metadata().is_ok_and(|found| found.is_file()) {
        return Err(TextFileError::new(file, "it is no plain file"));
    }
    let mut text = String::new();
    opened.take(limit + 1).read_to_string(&mut text).map_err(|error| TextFileError::new(file, error))?;
    if text.len() as u64 > limit {
        return Err(TextFileError::new(file, format!("it is longer than {} MiB", limit >> 20)));
    }
    Ok(Some(text))
}

/// Does not wait for the other end of a pipe that stands in the file's place.
#[cfg(unix)]
fn open(file: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).map_err(|_| io::ErrorKind::Unsupported)?;
    File::options().read(true).custom_flags(flags).open(file)
}

#[cfg(not(unix))]
fn open(file: &Path) -> io::Result<File> {
    File::open(file)
}
