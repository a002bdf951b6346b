//! Replacing a file in one step: readers see the old content or the new one, never a part.
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file that is being written beside its target and takes its place at the end.
pub struct Replacement {
    temporary: NamedTempFile,
    target: PathBuf,
}

/// Writes `content` as the new content of `path`, keeping mode and owner, and makes missing parents.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::begin(path)?;
    replacement.write_all(content)?;
    replacement.finish()
}

impl Replacement {
    /// Opens a temporary file in the directory of the target, which is made if it is missing. A link is followed, so that the
    /// file it names is replaced and the link stays.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let target = target_of(path)?;
        let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let mut builder = Builder::new();
        builder.prefix(".callgate-").suffix(".part");
        let existing = fs::metadata(&target).ok();
        #[cfg(unix)]
        builder.permissions(first_mode(existing.as_ref()));
        let temporary = builder.tempfile_in(directory)?;
        if let Some(metadata) = existing {
            keep_owner_and_mode(temporary.as_file(), &metadata)?;
        }
        Ok(Self { temporary, target })
    }

    /// The temporary file, for writing beside this.
    pub fn file(&self) -> io::Result<File> {
        self.temporary.as_file().try_clone()
    }

    /// Makes the content durable and puts it in place.
    pub fn finish(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist(&self.target).map_err(|error| error.error)?;
        // The rename itself is durable only when the directory is written; file systems that cannot do that are left alone.
        if let Some(directory) = self.target.parent() {
            let _ = File::open(directory).and_then(|directory| directory.sync_all());
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// The file that really is replaced. What is neither a regular file nor missing is refused.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(path.to_owned()) };
    let real = if metadata.is_symlink() { fs::canonicalize(path).map_err(dangling)? } else { path.to_owned() };
    let metadata = fs::metadata(&real)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file, so it cannot be replaced"));
    }
    Ok(real)
}

fn dangling(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(io::ErrorKind::InvalidInput, "is a link to nothing; write to the file it should name"),
        _ => error,
    }
}

/// A new file gets the usual mode; one that replaces another is private until owner and mode are the old ones.
#[cfg(unix)]
fn first_mode(existing: Option<&fs::Metadata>) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(if existing.is_some() { 0o600 } else { 0o666 })
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, existing: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (existing.uid(), existing.gid()) {
        // Only the superuser can give a file away; for anyone else the file becomes theirs.
        let _ = fchown(file, Some(existing.uid()), Some(existing.gid()));
    }
    file.set_permissions(existing.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, existing: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(existing.permissions())
}
