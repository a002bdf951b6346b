//! Answers kept for good: the user's grants file, one visible rule each.
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};

use crate::gate::{Key, quoted};

use super::state;

/// The version of the file's form; another one is not guessed at.
const VERSION: u32 = 1;
/// A larger file than this was not written by callgate.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Another gate writes for less than this.
const LOCKED: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(10);
const HEADER: &str = "# Written by callgate when a question is answered with `allow always`; `callgate paths` lists and removes.\n\n";

/// One kept answer: a tool of a server may reach a place, as long as the tool's definition stays the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The server's identity: what it is started as, not what it calls itself.
    pub server: String,
    /// The tool, byte for byte.
    pub tool: String,
    /// The digest of the tool's definition when the answer was given.
    pub definition: String,
    /// The directory and all below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// One file, and nothing beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// The kept answers, as they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    path: PathBuf,
    kept: Vec<Grant>,
}

/// Why the grants file is not used or not changed. Nothing is granted then.
#[derive(Debug, thiserror::Error)]
pub enum GrantsError {
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
    grant: Vec<Grant>,
}

impl Grant {
    /// The grant for `key`.
    ///
    /// # Errors
    /// When the key is no place, or one whose path is not text.
    pub fn new(server: &str, tool: &str, definition: &str, key: &Key) -> Result<Self, GrantsError> {
        let (directory, file) = match key {
            Key::Directory(path) => (Some(path.clone()), None),
            Key::File(path) => (None, Some(path.clone())),
            Key::Call(_) => return Err(GrantsError::NoPlace),
        };
        let is_text = directory.iter().chain(&file).all(|path| path.to_str().is_some());
        if !is_text {
            return Err(GrantsError::NoPlace);
        }
        Ok(Self { server: server.to_owned(), tool: tool.to_owned(), definition: definition.to_owned(), directory, file })
    }

    /// The rule in words.
    pub fn rule(&self) -> String {
        let place = match (&self.directory, &self.file) {
            (Some(path), _) => format!("{} and all below it", quoted(&path.to_string_lossy())),
            (None, Some(path)) => format!("the file {}", quoted(&path.to_string_lossy())),
            (None, None) => "nothing".to_owned(),
        };
        format!(
            "allow tool {} of server {} to reach {place}, as long as the tool's definition stays {}",
            quoted(&self.tool),
            quoted(&self.server),
            quoted(&self.definition)
        )
    }

    /// A directory covers directories below it; a file only itself, and a directory never a file that was asked about by
    /// itself: that question is about what the file holds, not about where it lies.
    fn covers(&self, key: &Key) -> bool {
        match key {
            Key::Directory(path) => self.directory.as_ref().is_some_and(|granted| path.starts_with(granted)),
            Key::File(path) => self.file.as_ref() == Some(path),
            Key::Call(_) => false,
        }
    }
}

impl Grants {
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
    pub fn load(path: &Path) -> Result<Self, GrantsError> {
        Ok(Self { path: path.to_owned(), kept: read(path)? })
    }

    /// Every grant, in the order of the file.
    pub fn list(&self) -> &[Grant] {
        &self.kept
    }

    /// Whether a kept answer allows `tool` of `server`, with this definition, what is asked under `key`.
    pub fn allows(&self, server: &str, tool: &str, definition: &str, key: &Key) -> bool {
        let same = |grant: &&Grant| grant.server == server && grant.tool == tool && grant.definition == definition;
        self.kept.iter().filter(same).any(|grant| grant.covers(key))
    }

    /// Keeps `grant`: on disk first, then here. What other gates have written in the meantime stays.
    ///
    /// # Errors
    /// When it cannot be written; it is not granted then.
    pub fn add(&mut self, grant: Grant) -> Result<(), GrantsError> {
        self.change(|kept| {
            if !kept.contains(&grant) {
                kept.push(grant.clone());
            }
        })
    }

    /// Takes `grant` out of the file; whether it was there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remove(&mut self, grant: &Grant) -> Result<bool, GrantsError> {
        let mut was_there = false;
        self.change(|kept| {
            was_there = kept.contains(grant);
            kept.retain(|other| other != grant);
        })?;
        Ok(was_there)
    }

    fn change(&mut self, how: impl FnOnce(&mut Vec<Grant>)) -> Result<(), GrantsError> {
        let unusable = |error: io::Error| GrantsError::Unusable(self.path.to_string_lossy().into_owned(), error);
        let _alone = alone(&self.path).map_err(unusable)?;
        let mut kept = read(&self.path)?;
        how(&mut kept);
        write(&self.path, &kept).map_err(unusable)?;
        self.kept = kept;
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

fn read(path: &Path) -> Result<Vec<Grant>, GrantsError> {
    let name = || path.to_string_lossy().into_owned();
    let unusable = |error: io::Error| GrantsError::Unusable(name(), error);
    let not_through_links = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let file = match OpenOptions::new().read(true).custom_flags(not_through_links).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unusable(error)),
    };
    let about = file.metadata().map_err(unusable)?;
    if about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o022 != 0 {
        return Err(GrantsError::Open(name()));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unusable)?;
    let document: Document = toml::from_str(&text).map_err(|error| GrantsError::Form(name(), error.to_string()))?;
    checked(document).map_err(|why| GrantsError::Form(name(), why.to_owned()))
}

fn checked(document: Document) -> Result<Vec<Grant>, &'static str> {
    if document.version != VERSION {
        return Err("its version is not known");
    }
    for grant in &document.grant {
        match (&grant.directory, &grant.file) {
            (Some(path), None) | (None, Some(path)) if path.is_absolute() => {}
            _ => return Err("a grant names one absolute `directory` or one absolute `file`"),
        }
    }
    Ok(document.grant)
}

fn write(path: &Path, kept: &[Grant]) -> io::Result<()> {
    let document = Document { version: VERSION, grant: kept.to_vec() };
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
