//! Where callgate keeps what outlives a session: the user's state directory, never the project's.
use std::io;
use std::path::PathBuf;

use etcetera::BaseStrategy;

/// `callgate` in the user's state directory (`$XDG_STATE_HOME`, else `~/.local/state`).
///
/// # Errors
/// When the home directory is not known.
pub fn directory() -> io::Result<PathBuf> {
    let base = etcetera::base_strategy::Xdg::new().map_err(io::Error::other)?;
    base.state_dir().map(|state| state.join("callgate")).ok_or_else(|| io::Error::other("the user's state directory is not known"))
}
