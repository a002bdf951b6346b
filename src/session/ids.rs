//! The names by which the session and the edges speak of calls and of servers, and the ids of the gate's own requests.
use crate::wire::{self, Id};

/// One call between the moment it came in and its end; a later call has a greater one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub(super) u64);

/// One of the servers behind the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UpstreamId(pub(super) u16);

impl UpstreamId {
    /// The server of a gate that stands before one alone.
    pub const ONLY: Self = Self(0);
}

/// Gives out ids, and knows its own again. The two salts are independent, so that neither side can tell the other's.
#[derive(Debug)]
pub(super) struct OwnIds {
    salt: String,
    base: u64,
    counter: u64,
    /// The key of the gate's own question in `inputRequests`, and of the answer in `inputResponses`: no other gate's is the same, so that two
    /// in a row tell theirs apart.
    own_input: String,
}

impl OwnIds {
    /// Ids salted with parts of the seed that nothing else uses.
    pub fn new(seed: &[u8; 56]) -> Self {
        let (_, salts) = seed.split_at(32);
        let (for_servers, rest) = salts.split_at(8);
        let (for_client, tag) = rest.split_at(8);
        // JavaScript servers keep integers exact up to 2^53; the upper half of that is not where clients count.
        let base = for_servers.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(256) + u64::from(*byte)) % (1 << 51) + (1 << 52);
        Self { salt: wire::hex(for_client), base, counter: 0, own_input: format!("callgate-{}", wire::hex(tag)) }
    }

    fn number(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// A name for a call.
    pub fn call(&mut self) -> CallId {
        CallId(self.number())
    }

    /// An id for a question, which is also that of the request by which a client is asked: a salted string, ours also when its reply
    /// comes late.
    pub fn question(&mut self) -> String {
        let number = self.number();
        format!("callgate-{}-{number}", self.salt)
    }

    /// Whether a reply from the client answers a request of ours.
    pub fn is_question(&self, id: &Id) -> bool {
        let own = id.as_text().and_then(|text| text.strip_prefix("callgate-"));
        own.is_some_and(|rest| rest.starts_with(&self.salt))
    }

    /// The mark of a sealed state, which is used once: no other gate's is the same.
    pub fn mark(&self, nonce: u64) -> String {
        format!("{}-{nonce}", self.own_input)
    }

    /// The name of the gate's own entry in `inputRequests` and `inputResponses`.
    pub fn own_input(&self) -> &str {
        &self.own_input
    }

    /// A sealed state as the client carries it.
    pub fn tagged(&self, sealed: &str) -> String {
        format!("{}.{sealed}", self.own_input)
    }

    /// The sealed state within one that this gate gave out; nothing of a server's own, which another gate may be.
    pub fn untagged<'s>(&self, state: &'s str) -> Option<&'s str> {
        state.strip_prefix(&self.own_input)?.strip_prefix('.')
    }

    /// An id for a request of ours to a server: an integer, because some servers read no other kind.
    pub fn request(&mut self) -> u64 {
        self.base + self.number()
    }

    /// Which request of ours a reply from a server answers.
    pub fn as_request(&self, id: &Id) -> Option<u64> {
        let number = id.raw().trim_matches('"').parse::<u64>().ok()?;
        (number > self.base && number <= self.base + self.counter).then_some(number)
    }
}
