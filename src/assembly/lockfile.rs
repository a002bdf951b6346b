//! The lock file on the disk: beside the project's policy, or where the command line says.
use std::path::{Path, PathBuf};

use callgate_workspace::atomic;

use crate::gate::quoted;
use crate::session::{Locked, Lockfile};

use super::text_file::{Links, TextFileError, read_within};

/// What the lock file at the root is called.
pub const LOCK_FILE: &str = "callgate.lock";

/// A longer lock file is none: reading it must not hold up the start of a session.
const LONGEST: u64 = 16 << 20;

/// Where a lock file is, and how it is spoken of.
#[derive(Debug, Clone)]
pub struct LockfilePlace {
    path: PathBuf,
    name: String,
    links: Links,
}

impl LockfilePlace {
    /// The file that was named, else the one at the root.
    pub fn of(named: Option<&Path>, root: &Path) -> Self {
        match named {
            Some(named) => Self { path: named.to_owned(), name: named.to_string_lossy().into_owned(), links: Links::Followed },
            None => Self { path: root.join(LOCK_FILE), name: LOCK_FILE.to_owned(), links: Links::Refused },
        }
    }

    /// How the file is spoken of.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the file; nothing if there is none.
    ///
    /// # Errors
    /// A file that cannot be read or is damaged; [`is_policy_error`](super::policy_files::is_policy_error) knows both.
    pub fn read(&self) -> anyhow::Result<Option<Lockfile>> {
        let text = read_within(&self.path, self.links, LONGEST)?;
        Ok(text.map(|text| Lockfile::read(&self.name, &text)).transpose()?)
    }

    /// Writes the file in one step, so that no gate ever reads a part.
    ///
    /// # Errors
    /// A text that would not be read back the same, or a disk that does not take it.
    pub fn write(&self, file: &Lockfile) -> anyhow::Result<()> {
        let text = file.text()?;
        anyhow::ensure!(
            text.len() as u64 <= LONGEST && Lockfile::read(&self.name, &text).is_ok_and(|read| read == *file),
            "the server's definitions are too long or too deep for a lock file"
        );
        atomic::replace(&self.path, text.as_bytes()).map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", quoted(&self.name)))
    }

    /// An error for a file that has to be there and is not.
    pub fn missing(&self) -> TextFileError {
        TextFileError::new(&self.path, "there is no such file; write it with `callgate lock`")
    }
}

/// What the lock says of `server`. `asked` is the option `--locked` with its file, if it names one; without the option a file at the
/// root still tells what has changed since it was written.
///
/// # Errors
/// A damaged file in either case, and a missing one if a lock was asked for: what was accepted must not be guessed.
pub fn locked(asked: Option<&Option<PathBuf>>, root: &Path, server: &str) -> anyhow::Result<Locked> {
    let place = LockfilePlace::of(asked.and_then(|file| file.as_deref()), root);
    let required = asked.is_some();
    let file = match place.read()? {
        None if required => return Err(place.missing().into()),
        None => return Ok(Locked::default()),
        Some(file) => file,
    };
    let tools = file.tools(server).cloned();
    if required && tools.is_none() {
        tracing::warn!("the lock file does not name server {}, so each of its tools is asked about", quoted(server));
    }
    Ok(Locked { tools: tools.unwrap_or_default(), required })
}
