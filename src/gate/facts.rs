//! What a decision rests on besides the call itself and the disk, and what was answered for the one call.
use crate::analyse::{Definition, Surroundings};
use crate::policy::{Access, Policy, ToolSettings};
use crate::wire::Call;

use super::grant_store::GrantStore;
use super::pin_status::PinStatus;
use super::sensitive::Sensitive;

/// Everything that is known besides the call and the disk. Whoever drives a [`Judge`](super::Judge) gives them anew at each step, so that
/// a decision rests on what holds when it is made.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub policy: &'a Policy,
    /// The sensitive list with the user's additions.
    pub sensitive: &'a Sensitive,
    /// Where the call is made from.
    pub surroundings: &'a Surroundings,
    /// What policy and questions call the upstream.
    pub server: &'a str,
    /// The session's access level.
    pub access: Access,
    /// The tool's definition, if listed.
    pub definition: Option<&'a Definition>,
    /// Whether the tool is known.
    pub pin_status: &'a PinStatus,
    /// What was granted for more than this call.
    pub granted: &'a GrantStore,
    /// Paths the caller says the call will touch.
    pub expected: &'a [String],
    /// Whether relative path arguments are made absolute before the call is judged and sent.
    pub rewrite_relative: bool,
    /// Whether notes for a person who wants the decision explained are kept.
    pub explain: bool,
}

impl Facts<'_> {
    /// What policy and profile say of the call's tool, for its arguments.
    pub(super) fn settings_for(&self, call: &Call) -> ToolSettings {
        self.policy.tool_for(self.server, call.tool(), call.arguments())
    }
}

/// What was answered for one call alone, and with which script files: while they are others, it does not hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallAnswers {
    pub grants: GrantStore,
    /// Digest of the script files that the call ran when it was asked about; nothing if it ran none.
    pub scripts: Option<String>,
}

impl CallAnswers {
    /// Whether nothing was answered.
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// Whether these answers say something of a call that runs script files of this digest.
    pub(super) fn hold_for(&self, scripts: Option<&str>) -> bool {
        self.scripts.is_none() || self.scripts.as_deref() == scripts
    }
}
