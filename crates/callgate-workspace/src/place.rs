//! Where a path argument points, and what is there instead when it points at nothing.
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::documents::Converter;
use crate::settings::Settings;

/// Reads relative paths from the root, as the gate does when it judges the call.
#[derive(Debug, Clone)]
pub struct Base {
    root: PathBuf,
    home: Option<PathBuf>,
    converter: Converter,
}

/// What exists near a path that does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nearby {
    /// The nearest directory that exists.
    pub directory: String,
    /// Names in it, sorted, at most `NEARBY`.
    pub names: Vec<String>,
}

const NEARBY: usize = 20;
/// No more names of one directory are looked at to choose the first ones.
const LOOKED_AT: usize = 10_000;

impl From<&Settings> for Base {
    fn from(settings: &Settings) -> Self {
        Self { root: settings.root.clone(), home: settings.home.clone(), converter: Converter::new(settings.program.clone()) }
    }
}

impl Base {
    /// A base without a home directory and without a converter.
    pub fn new(root: PathBuf) -> Self {
        Self { root, home: None, converter: Converter::new(None) }
    }

    /// What makes text of documents.
    pub fn converter(&self) -> &Converter {
        &self.converter
    }

    /// Where relative paths start.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place that an argument names. Links are not resolved here.
    pub fn resolve(&self, argument: &str) -> Result<PathBuf, String> {
        if argument.is_empty() {
            return Err("the path is empty; give a path relative to the root, or `.` for the root itself".to_owned());
        }
        if argument.contains('\0') {
            return Err("the path holds a NUL character, which no file name can; correct the path".to_owned());
        }
        let under_home = if argument == "~" { Some("") } else { argument.strip_prefix("~/") };
        Ok(match (under_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.root.join(argument),
        })
    }

    /// The path as a model should see it: relative to the root when it is below it.
    pub fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    /// The directory that was asked for, or the nearest existing one above what is missing, and the first names in it. Outside
    /// the root only the path itself and its direct parent are listed, since an answer for one path is no answer for what lies
    /// above it; what the root lies in is never listed.
    pub fn nearby(&self, path: &Path) -> Nearby {
        let Some(directory) = path.ancestors().find(|ancestor| ancestor.is_dir()) else { return Nearby::default() };
        let is_asked_for = directory == path || path.parent() == Some(directory);
        let names = if self.may_list(directory, is_asked_for) { first_names(directory) } else { Vec::new() };
        Nearby { directory: self.show(directory), names }
    }

    /// Judged by where the directory really is: `root/..` is written as if it lay below the root.
    fn may_list(&self, directory: &Path, is_asked_for: bool) -> bool {
        let (Ok(real), Ok(root)) = (directory.canonicalize(), self.root.canonicalize()) else { return false };
        real.starts_with(&root) || (is_asked_for && !root.starts_with(&real))
    }

    /// One line for a path that could not be opened.
    pub fn explain(&self, path: &Path, error: &io::Error) -> String {
        let shown = self.show(path).escape_debug().to_string();
        match error.kind() {
            io::ErrorKind::NotFound => format!("`{shown}` does not exist"),
            io::ErrorKind::PermissionDenied => format!("no permission to open `{shown}`"),
            io::ErrorKind::NotADirectory => format!("a part of `{shown}` is a file, not a directory"),
            io::ErrorKind::IsADirectory => format!("`{shown}` is a directory; use list_files to see what is in it"),
            io::ErrorKind::InvalidInput => format!("`{shown}` {error}"),
            _ => format!("`{shown}` could not be opened: {}", plain(error)),
        }
    }
}

/// An open directory below which files are opened without following a link in their last place.
pub struct Directory {
    handle: File,
}

impl Directory {
    /// Opens a directory.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { handle: File::open(path)? })
    }

    /// Opens a regular file below and tells its size.
    pub fn open(&self, path: &Path) -> io::Result<(File, u64)> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(rustix::fs::openat(&self.handle, path, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        if metadata.is_file() { Ok((file, metadata.len())) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

/// Opens a regular file for reading. A pipe, device or socket is refused without waiting for its other end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe with no writer would block the open itself, and a terminal would become the controlling one.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file; pipes, devices and sockets are not opened"));
    }
    Ok(file)
}

/// The system's words for an error, without its number.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

fn first_names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<OsString> = entries.take(LOOKED_AT).flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names.iter().take(NEARBY).map(|name| name.to_string_lossy().into_owned()).collect()
}
