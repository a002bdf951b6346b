//! The log file: opened for appending only, shared by gates under a lock, continued after a torn line.
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::line::{FIRST, Hash, hash_of, seal, unseal};
use super::record::{Record, timestamp};

/// How long to wait for another gate that holds the file; it does so for microseconds at a time.
const LOCK_WAIT: Duration = Duration::from_millis(500);
/// How often to look whether the other gate is done.
const LOCK_PAUSE: Duration = Duration::from_micros(200);
/// How much is read first when looking for the last line.
const WINDOW: u64 = 8192;

/// A log that is open for writing.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// The hash of the last line, and the length of the file behind it; another length means that someone else wrote.
    last: Hash,
    length: u64,
}

/// Why a verdict could not be written; it must then not be acted on.
#[derive(Debug, thiserror::Error)]
#[error("the audit log `{}` {what}: {error}; free the disk or name another file with `--audit` or in `[audit]`", crate::escape::visible(&path.to_string_lossy()))]
pub struct AuditError {
    path: PathBuf,
    what: &'static str,
    error: io::Error,
}

/// A note that what stands before it, back to the last whole line, is no record: a crash or a full disk cut it short.
#[derive(Serialize, Deserialize)]
pub(super) struct Note {
    time: String,
    pub(super) torn: Torn,
}

/// The bytes of what was cut short, without the last line end.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Torn {
    bytes: usize,
    sha256: Hash,
}

impl Torn {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len(), sha256: hash_of(bytes) }
    }
}

impl Log {
    /// Opens or makes the log at `path`: a file of its own (not a link) with mode 0600, in a directory that is made with mode 0700
    /// if it is missing.
    ///
    /// # Errors
    /// If it cannot be opened for appending or is no plain file.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let failed = |what| move |error| AuditError { path: path.to_owned(), what, error };
        if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            make_private(directory).map_err(failed("has no directory"))?;
        }
        let file = open_private(path).map_err(failed("cannot be opened"))?;
        Ok(Self { path: path.to_owned(), file, last: FIRST.to_owned(), length: 0 })
    }

    /// Where it was opened; a link on the way is not resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes records, in order and as one, and hands them to the system before it returns.
    ///
    /// # Errors
    /// If that could not be done; none of the records' verdicts must then be acted on.
    pub fn append(&mut self, records: &[Record<'_>]) -> Result<(), AuditError> {
        let Some(first) = records.first() else { return Ok(()) };
        let written = self.lock().and_then(|()| {
            let written = self.continue_from_end(first.time).and_then(|()| self.write(records));
            // A lock that cannot be given back goes with the file's handle.
            self.file.unlock().and(written)
        });
        written.map_err(|error| AuditError { path: self.path.clone(), what: "cannot be written", error })
    }

    fn lock(&self) -> io::Result<()> {
        let start = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds it")),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Takes up the chain where the file ends now; a torn line is closed and noted.
    fn continue_from_end(&mut self, time: SystemTime) -> io::Result<()> {
        let now = self.file.metadata()?;
        if is_removed(&now) {
            return self.begin_anew();
        }
        let length = now.len();
        if length == self.length {
            return Ok(());
        }
        let tail = Tail::read(&mut self.file, length)?;
        self.last = tail.last;
        self.length = length;
        if !tail.closed {
            self.put(b"\n")?;
        }
        let Some(torn) = tail.torn else { return Ok(()) };
        self.write(&[Note { time: timestamp(time), torn }])
    }

    /// A file that was deleted under us would swallow records unseen.
    fn begin_anew(&mut self) -> io::Result<()> {
        self.file = open_private(&self.path)?;
        FIRST.clone_into(&mut self.last);
        self.length = 0;
        self.lock()
    }

    fn write(&mut self, entries: &[impl Serialize]) -> io::Result<()> {
        let (mut lines, mut last) = (Vec::with_capacity(512 * entries.len()), self.last.clone());
        for entry in entries {
            last = seal(entry, &last, &mut lines)?;
        }
        self.put(&lines)?;
        self.last = last;
        Ok(())
    }

    /// A write that fails half way is taken back where the system lets us; where not, the next append finds the torn line, because
    /// `length` stays behind.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            return self.file.set_len(self.length).and(Err(error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// The end of a log.
struct Tail {
    /// The hash of the last whole line.
    last: Hash,
    /// What stands behind it.
    torn: Option<Torn>,
    /// Whether the last line has its end.
    closed: bool,
}

impl Tail {
    /// Reads back from the end until a whole line is found.
    fn read(file: &mut File, length: u64) -> io::Result<Self> {
        let mut window = WINDOW.min(length);
        loop {
            let mut bytes = vec![0; usize::try_from(window).map_err(|_| io::ErrorKind::FileTooLarge)?];
            file.seek(SeekFrom::Start(length - window))?;
            file.read_exact(&mut bytes)?;
            match Self::of(&bytes) {
                Some(tail) => return Ok(tail),
                None if window == length => return Ok(Self::behind(FIRST, &bytes)),
                None => window = length.min(window.saturating_mul(8)),
            }
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        let mut end = bytes.len();
        loop {
            let head = bytes.get(..end)?;
            let body = head.strip_suffix(b"\n").unwrap_or(head);
            let start = memchr::memrchr(b'\n', body).map_or(0, |at| at + 1);
            if let Some((_, hash)) = body.get(start..).and_then(unseal) {
                return Some(Self::behind(hash, bytes.get(end..)?)).map(|tail| Self { closed: bytes.ends_with(b"\n"), ..tail });
            }
            if start == 0 {
                return None;
            }
            end = start;
        }
    }

    fn behind(last: &str, torn: &[u8]) -> Self {
        let body = torn.strip_suffix(b"\n").unwrap_or(torn);
        let noted = (!torn.is_empty()).then(|| Torn::of(body));
        Self { last: last.to_owned(), torn: noted, closed: torn.is_empty() || torn.ends_with(b"\n") }
    }
}

#[cfg(unix)]
fn open_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let flags = i32::try_from(flags).map_err(|_| io::ErrorKind::Unsupported)?;
    plain(OpenOptions::new().read(true).append(true).create(true).mode(0o600).custom_flags(flags).open(path)?)
}

#[cfg(not(unix))]
fn open_private(path: &Path) -> io::Result<File> {
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(io::Error::other("it is a link"));
    }
    plain(OpenOptions::new().read(true).append(true).create(true).open(path)?)
}

fn plain(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no plain file")) }
}

#[cfg(unix)]
fn is_removed(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.nlink() == 0
}

#[cfg(not(unix))]
fn is_removed(_file: &Metadata) -> bool {
    // Windows does not remove a file that is open.
    false
}

/// Makes a directory and those above it that only this user may enter.
///
/// # Errors
/// If the system refuses.
pub fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
