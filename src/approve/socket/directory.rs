//! The directory of the gates' sockets: the user's alone, and free of sockets whose gate is gone.
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Made by the login, gone at its end.
const RUNTIME: &str = "XDG_RUNTIME_DIR";
/// The longest path of a socket (Linux: 108 bytes with a closing zero; elsewhere 104).
const LONGEST: usize = 103;

/// The directory of the sockets: `callgate` in the user's runtime directory, else `run` in callgate's state directory.
///
/// # Errors
/// When neither is known.
pub fn place() -> io::Result<PathBuf> {
    let runtime = std::env::var_os(RUNTIME).map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    match runtime {
        Some(runtime) => Ok(runtime.join("callgate")),
        None => Ok(crate::approve::state::directory()?.join("run")),
    }
}

/// Makes `directory` if it is not there, and checks that nobody but this user can reach into it.
///
/// # Errors
/// When it cannot be made, is a link, belongs to somebody else or is open to others.
pub fn secure(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let about = std::fs::symlink_metadata(directory)?;
    let name = directory.display();
    if !about.is_dir() {
        return Err(io::Error::other(format!("`{name}` is not a directory of its own")));
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("`{name}` belongs to another user")));
    }
    if about.mode() & 0o077 != 0 {
        return Err(io::Error::other(format!("`{name}` is open to others: set its mode to 0700")));
    }
    Ok(())
}

/// The path of this process's own socket, free to be bound.
///
/// # Errors
/// When the path is too long for a socket, or something there cannot be removed.
pub fn own_socket(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join(format!("gate-{}.sock", std::process::id()));
    if path.as_os_str().len() > LONGEST {
        return Err(io::Error::other(format!("the path `{}` is too long for a socket: set {RUNTIME} to a shorter one", path.display())));
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(path),
    }
}

/// Closes the socket at `path` to everybody else.
///
/// # Errors
/// As `chmod`.
pub fn close_to_others(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// The sockets of gates that run, in the order of their names; those whose gate is gone are removed.
///
/// # Errors
/// When the directory is not safe or cannot be read. That it does not exist is no error: then no gate runs.
pub fn running(directory: &Path) -> io::Result<Vec<PathBuf>> {
    if !directory.try_exists()? {
        return Ok(Vec::new());
    }
    secure(directory)?;
    let mut sockets = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
        if is_socket && !is_stale(&entry.path()) {
            sockets.push(entry.path());
        }
    }
    sockets.sort();
    Ok(sockets)
}

/// Whether nobody listens at `path`; then it is removed.
fn is_stale(path: &Path) -> bool {
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // Another approver may have removed it in the meantime.
            let _ = std::fs::remove_file(path);
            true
        }
        _ => false,
    }
}
