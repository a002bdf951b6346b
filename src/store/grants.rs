//! Answers kept for good: the user's grants file, one visible rule each.
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};

use crate::gate::{Grant, Key, Scope, ToolVersion, quoted};

use super::state;

/// The version of the file's form; another one is not guessed at.
const VERSION: u32 = 1;
/// A larger file than this was not written by callgate.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Another gate writes for less than this.
const LOCKED: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(10);
const HEADER: &str = "# Written by callgate when a question is answered with `allow always`; `callgate paths` lists and removes.\n\n";

/// One kept answer as it stands in the file: a tool of a server may reach a place, as long as the tool's definition stays the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    server: String,
    tool: String,
    definition: String,
    /// The directory and all below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<PathBuf>,
    /// One file, and nothing beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
}

/// The kept answers, as they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantFile {
    path: PathBuf,
    kept: Vec<Grant>,
}

/// Why the grants file is not used or not changed. Nothing is granted then.
#[derive(Debug, thiserror::Error)]
pub enum GrantFileError {
    /// It cannot be read or written.
    #[error("the grants file {} cannot be used: {}", quoted(.0), .1)]
    Unusable(String, io::Error),
    /// Others may have changed it.
    #[error("others may change the grants file {}, so it is not believed: give it to your user with mode 0600", quoted(.0))]
    Open(String),
    /// It is not in the known form.
    #[error("the grants file {} is not understood: {}", quoted(.0), .1)]
    Form(String, String),
    /// The answer has no place that a file could name.
    #[error("only a directory or file whose path is text can be allowed always")]
    NoPlace,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    #[serde(default)]
    grant: Vec<Entry>,
}

impl Entry {
    /// The grant as the file holds it.
    fn of(grant: &Grant) -> Result<Self, GrantFileError> {
        let Scope::Always(ToolVersion { server, tool, definition }) = grant.scope.clone() else { return Err(GrantFileError::NoPlace) };
        let (directory, file) = match &grant.key {
            Key::Directory(path) => (Some(path.clone()), None),
            Key::File(path) => (None, Some(path.clone())),
            Key::Call(_) => return Err(GrantFileError::NoPlace),
        };
        let is_text = directory.iter().chain(&file).all(|path| path.to_str().is_some());
        if is_text { Ok(Self { server, tool, definition, directory, file }) } else { Err(GrantFileError::NoPlace) }
    }

    /// What it allows; nothing where it names no place, or two.
    fn into_grant(self) -> Option<Grant> {
        let key = match (self.directory, self.file) {
            (Some(path), None) if path.is_absolute() => Key::Directory(path),
            (None, Some(path)) if path.is_absolute() => Key::File(path),
            _ => return None,
        };
        Some(Grant::always(ToolVersion { server: self.server, tool: self.tool, definition: self.definition }, key))
    }
}

impl GrantFile {
    /// The user's grants file.
    ///
    /// # Errors
    /// When the user's state directory is not known.
    pub fn default_path() -> io::Result<PathBuf> {
        Ok(state::directory()?.join("grants.toml"))
    }

    /// Reads `path`; a file that does not exist grants nothing.
    ///
    /// # Errors
    /// When it exists and cannot be read, belongs to others or is not understood.
    pub fn load(path: &Path) -> Result<Self, GrantFileError> {
        Ok(Self { path: path.to_owned(), kept: read(path)? })
    }

    /// Every grant, in the order of the file.
    pub fn list(&self) -> &[Grant] {
        &self.kept
    }

    /// Keeps `grant`: on disk first, then here. What other gates have written in the meantime stays.
    ///
    /// # Errors
    /// When it cannot be written, is not given for good, or has no place that a file could name; it is not granted then.
    pub fn add(&mut self, grant: &Grant) -> Result<(), GrantFileError> {
        let entry = Entry::of(grant)?;
        self.change(|kept| {
            if !kept.contains(&entry) {
                kept.push(entry);
            }
        })
    }

    /// Takes `grant` out of the file; whether it was there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remove(&mut self, grant: &Grant) -> Result<bool, GrantFileError> {
        let entry = Entry::of(grant)?;
        let mut was_there = false;
        self.change(|kept| {
            was_there = kept.contains(&entry);
            kept.retain(|other| *other != entry);
        })?;
        Ok(was_there)
    }

    fn change(&mut self, how: impl FnOnce(&mut Vec<Entry>)) -> Result<(), GrantFileError> {
        let unusable = |error: io::Error| GrantFileError::Unusable(self.path.to_string_lossy().into_owned(), error);
        let _alone = alone(&self.path).map_err(unusable)?;
        let mut entries = read(&self.path)?.iter().map(Entry::of).collect::<Result<_, _>>()?;
        how(&mut entries);
        write(&self.path, &entries).map_err(unusable)?;
        self.kept = entries.into_iter().filter_map(Entry::into_grant).collect();
        Ok(())
    }
}

/// A lock beside the file, so that two gates that write at once do not lose a grant; it ends with the handle.
fn alone(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path.with_extension("lock"))?;
    let until = Instant::now() + LOCKED;
    loop {
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(LOOK),
            locked => return Ok(locked.map(|()| lock)?),
        }
    }
}

fn read(path: &Path) -> Result<Vec<Grant>, GrantFileError> {
    let name = || path.to_string_lossy().into_owned();
    let unusable = |error: io::Error| GrantFileError::Unusable(name(), error);
    let not_through_links = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let file = match OpenOptions::new().read(true).custom_flags(not_through_links).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unusable(error)),
    };
    let about = file.metadata().map_err(unusable)?;
    if about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o022 != 0 {
        return Err(GrantFileError::Open(name()));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unusable)?;
    let document: Document = toml::from_str(&text).map_err(|error| GrantFileError::Form(name(), error.to_string()))?;
    checked(document).map_err(|why| GrantFileError::Form(name(), why.to_owned()))
}

fn checked(document: Document) -> Result<Vec<Grant>, &'static str> {
    if document.version != VERSION {
        return Err("its version is not known");
    }
    let grants: Option<Vec<Grant>> = document.grant.into_iter().map(Entry::into_grant).collect();
    grants.ok_or("a grant names one absolute `directory` or one absolute `file`")
}

fn write(path: &Path, entries: &[Entry]) -> io::Result<()> {
    let document = Document { version: VERSION, grant: entries.to_vec() };
    let text = toml::to_string(&document).map_err(io::Error::other)?;
    let directory = path.parent().ok_or_else(|| io::Error::other("the path names no file"))?;
    // Made with mode 0600, and moved into place only when all of it is on the disk.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(HEADER.as_bytes())?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
