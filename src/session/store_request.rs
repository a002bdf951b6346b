//! What outlives a call, on its way to the store and back: grants, denials, late answers, and marks that can be used once.
use std::path::PathBuf;
use std::time::Duration;

use crate::gate::{AskedCall, Grant, GrantStore, Key};

use super::ids::CallId;

/// Something for the store. What it only has to remember is not waited for: the session holds it as well. What it has to decide, because
/// another gate may use the same store, is answered by [`Stored`], and the call waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreRequest {
    /// Remember a grant for as long as its scope says.
    Grant(Box<Grant>),
    /// Forget the session's grants for this place.
    TakeBack(PathBuf),
    /// Count a denial; answered by [`Stored::Denied`].
    Deny(Key),
    /// Remember that a repeat of this call was allowed.
    AllowRepeat {
        /// The call.
        of: Repeat,
        /// What was allowed for it.
        grants: GrantStore,
        /// For how long.
        lifetime: Duration,
    },
    /// Take what was allowed for a repeat, if this call is one; answered by [`Stored::Repeat`].
    TakeRepeat(CallId, Repeat),
    /// Use this mark, which can be done once within so long; answered by [`Stored::Used`].
    Use(CallId, String, Duration),
}

/// What makes two calls the same: one is a repeat of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repeat {
    /// The server's name.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Digest of tool and arguments.
    pub digest: String,
    /// Digest of the script files that it runs, if it runs any.
    pub scripts: Option<String>,
}

impl Repeat {
    /// A call that a question is about, as what its repeat is known by.
    pub(super) fn of(server: &str, asked: &AskedCall) -> Self {
        let AskedCall { tool, digest, scripts, .. } = asked;
        Self { server: server.to_owned(), tool: tool.clone(), digest: digest.clone(), scripts: scripts.clone() }
    }
}

/// The store's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// How often this key was denied by now.
    Denied(Key, u8),
    /// What was allowed for a repeat, if anything was.
    Repeat(CallId, Option<GrantStore>),
    /// Whether the mark had not been used before.
    Used(CallId, bool),
}
