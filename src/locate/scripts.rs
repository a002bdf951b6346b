//! Reads the script files that the gate asks for, as far as they are plain text files inside the permitted directories.
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::analyse::{Scripts, Surroundings};

/// Longest script that is read, in bytes.
const LONGEST: u64 = 256 * 1024;
/// Most that is read for one call at one time, in bytes.
const MOST: u64 = 1024 * 1024;

/// What stands in the files of `wanted`, each an absolute path. A file that is missing, lies outside (links followed), is no plain file,
/// is too large or is no text counts as one that is not followed; the mention of its own path says where it lies.
pub fn scripts(wanted: &[String], surroundings: &Surroundings) -> Scripts {
    let mut scripts = Scripts::default();
    let mut left = MOST;
    for path in wanted {
        let text = permitted(path, surroundings).and_then(|file| text(&file, left.min(LONGEST)));
        left = left.saturating_sub(text.as_ref().map_or(0, |text| text.len() as u64));
        scripts.add(path.clone(), text);
    }
    scripts
}

/// The resolved file, if it lies inside.
fn permitted(path: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    let resolved = super::resolve_one(Path::new(path), &surroundings.root).ok()?.path;
    surroundings.allowed_directories.iter().any(|directory| resolved.starts_with(directory)).then_some(resolved)
}

/// The text of a plain file of at most `longest` bytes.
fn text(file: &Path, longest: u64) -> Option<String> {
    let opened = options().open(file).ok()?;
    let metadata = opened.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > longest {
        return None;
    }
    let mut bytes = Vec::new();
    opened.take(longest + 1).read_to_end(&mut bytes).ok()?;
    let is_text = bytes.len() as u64 <= longest && !bytes.contains(&0);
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Opening must not wait for the other end of a pipe, nor follow a link that came since.
#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NOCTTY;
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}
