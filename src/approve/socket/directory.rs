//! The directory of the gates' sockets: the user's alone, and free of sockets whose gate is gone.
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

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
        None => Ok(crate::store::state::directory()?.join("run")),
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

/// The sockets in `directory`, in the order of their names; those whose gate is gone are removed.
///
/// # Errors
/// When the directory is not safe or cannot be read. That it does not exist is no error: then no gate runs.
pub fn sockets(directory: &Path) -> io::Result<Vec<PathBuf>> {
    if !directory.try_exists()? {
        return Ok(Vec::new());
    }
    secure(directory)?;
    let mut sockets = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_socket()) {
            continue;
        }
        match owner(&path) {
            Some(pid) if is_gone(pid) => remove_stale(&path),
            _ => sockets.push(path),
        }
    }
    sockets.sort();
    Ok(sockets)
}

/// Removes a socket at which nobody listens. Another approver may have done so in the meantime.
pub fn remove_stale(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn owner(path: &Path) -> Option<Pid> {
    let pid = path.file_stem()?.to_str()?.strip_prefix("gate-")?.parse().ok()?;
    Pid::from_raw(pid)
}

fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid) == Err(Errno::SRCH)
}
