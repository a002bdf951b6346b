//! The sealed state that a 2026-07-28 client carries from a question to the call's retry: bound to server, tool and arguments, expiring, single-use.
use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};

use crate::gate::{GrantStore, Key};

/// What the state holds. It can be read by anyone, so nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Which question or approval this is.
    pub nonce: u64,
    /// What was asked, or what was allowed.
    pub phase: Phase,
    /// The upstream's own state, given back to it byte for byte.
    pub upstream: Option<String>,
    /// Digest of the script files that the call ran when it was asked about.
    pub scripts: Option<String>,
    /// When it was sealed, by the session's clock.
    pub since: Duration,
    /// For how long it is good.
    pub lifetime: Duration,
    /// The reply of the upstream's that is held until the client comes back, by the number of its question.
    pub parked: Option<u64>,
}

/// Where the call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// These keys were asked about.
    Asked(Vec<Key>),
    /// This was allowed, and the upstream wants something of its own.
    Allowed(GrantStore),
}

/// Seals and opens states with a key that lives as long as the process.
pub struct Seal {
    codec: Option<RequestStateCodec>,
    next: u64,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seal").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Seal {
    /// A seal with this key, or none if the codec does not take it; then nothing can be sealed, and nothing opens.
    pub fn new(key: [u8; 32]) -> Self {
        Self { codec: RequestStateCodec::try_new(key.to_vec()).ok(), next: 0 }
    }

    /// Seals for the state's lifetime; its nonce is set here. `bound` names what it is good for.
    pub fn seal(&mut self, state: State, bound: &str) -> Option<String> {
        self.next += 1;
        let options = SealOptions::new().associated_data(bound.as_bytes()).ttl(state.lifetime);
        self.codec.as_ref()?.seal_json_with(&State { nonce: self.next, ..state }, &options).ok()
    }

    /// Opens a state of our own. Nothing if it was changed, has expired or is bound to something else; whether it was used before, the
    /// store knows.
    pub fn open(&self, state: &str, bound: &str, now: Duration) -> Option<State> {
        let opened: State = self.codec.as_ref()?.open_json_with(state, bound.as_bytes()).ok()?;
        (opened.since + opened.lifetime > now).then_some(opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);
    const LIFE: Duration = Duration::from_secs(60);

    fn sealed(seal: &mut Seal) -> String {
        let phase = Phase::Asked(vec![Key::Directory("/out".into())]);
        let state = State { nonce: 0, phase, upstream: Some("theirs".to_owned()), scripts: None, since: NOW, lifetime: LIFE, parked: None };
        seal.seal(state, "s|t|d").unwrap()
    }

    #[test]
    fn opens_and_gives_back_what_went_in() {
        let mut seal = Seal::new([7; 32]);
        let state = sealed(&mut seal);
        let opened = seal.open(&state, "s|t|d", NOW).unwrap();
        assert_eq!(opened.upstream.as_deref(), Some("theirs"));
        assert_eq!(opened.phase, Phase::Asked(vec![Key::Directory("/out".into())]));
    }

    #[test]
    fn refuses_other_bindings_tampering_expiry_and_other_keys() {
        let mut seal = Seal::new([7; 32]);
        let state = sealed(&mut seal);
        assert_eq!(seal.open(&state, "s|t|other", NOW), None);
        let mut tampered = state.clone();
        tampered.truncate(state.len() - 2);
        assert_eq!(seal.open(&tampered, "s|t|d", NOW), None);
        assert_eq!(Seal::new([8; 32]).open(&state, "s|t|d", NOW), None);
        let state = sealed(&mut seal);
        assert_eq!(seal.open(&state, "s|t|d", NOW + LIFE), None, "too late");
    }
}
