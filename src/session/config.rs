//! What a session is told when it starts.
use std::sync::Arc;
use std::time::Duration;

use crate::analyse::Surroundings;
use crate::gate::{GrantStore, Sensitive};
use crate::policy::{Access, Channel, Policy};
use crate::wire::Limits;

/// The settings of one session; nothing but the kept grants changes while it runs.
#[derive(Debug, Clone)]
pub struct Config {
    /// The upstream's name, from the command line or the policy; never from a message.
    pub server: String,
    /// The effective policy.
    pub policy: Arc<Policy>,
    /// The sensitive list with the user's additions.
    pub sensitive: Arc<Sensitive>,
    /// Where calls are made from.
    pub surroundings: Arc<Surroundings>,
    /// The access level.
    pub access: Access,
    /// The channels that may be used, in order; none with `--non-interactive`.
    pub channels: Vec<Channel>,
    /// Size and depth of messages.
    pub limits: Limits,
    /// How long a call may take upstream; `None` for ever.
    pub call_timeout: Option<Duration>,
    /// How long a question stays open, if not what fits the client.
    pub timeout: Option<Duration>,
    /// An allowing answer sooner than this after the question was not given by a person: some clients have a program answer forms.
    pub soonest_answer: Duration,
    /// What the lock file says of the server's tools.
    pub locked: super::lockfile::Locked,
    /// What is granted from the start: what earlier sessions kept, and what the store holds for this one.
    pub grants: GrantStore,
    /// Whether relative path arguments are made absolute before they are sent.
    pub rewrite_relative: bool,
    /// Random bytes: 32 for the seal, 8 for ids that servers see, 8 for ids that the client sees, 8 for the mark on what the gate has to know again.
    pub seed: [u8; 56],
}
