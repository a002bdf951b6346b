//! The only way to a server: what was judged, and what the session passed on purpose, goes through here and nothing else does.
use bytes::Bytes;

use crate::gate::Cleared;
use crate::wire::Other;

/// A message on its way to a server, made by a door alone: a port that takes nothing else cannot be given anything else.
///
/// ```compile_fail,E0423
/// fn forge(bytes: bytes::Bytes) -> callgate::session::Outgoing {
///     callgate::session::Outgoing(bytes)
/// }
/// ```
///
/// It can be read, though:
///
/// ```
/// fn read(message: callgate::session::Outgoing) -> bytes::Bytes {
///     message.into_bytes()
/// }
/// ```
#[derive(Debug)]
pub struct Outgoing(Bytes);

impl Outgoing {
    /// The message without a line end.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

/// Takes messages to one server.
pub trait Port {
    /// Adds a message behind those that wait.
    fn push(&mut self, message: Outgoing);
}

/// The door to one server. What it opens for is decided by types:
///
/// ```compile_fail,E0308
/// fn push<P: callgate::session::Port>(door: &mut callgate::session::UpstreamDoor<P>, bytes: &bytes::Bytes) {
///     door.send(bytes);
/// }
/// ```
///
/// ```compile_fail,E0616
/// fn reach<P: callgate::session::Port>(door: callgate::session::UpstreamDoor<P>) -> P {
///     door.outbox
/// }
/// ```
///
/// A call that was cleared goes through, and so does what the session passes:
///
/// ```
/// use callgate::{gate::Cleared, session::{Port, UpstreamDoor}, wire::Other};
///
/// fn push<P: Port>(door: &mut UpstreamDoor<P>, cleared: &Cleared, other: &Other) {
///     door.send(cleared);
///     door.pass(other);
/// }
/// ```
#[derive(Debug)]
pub struct UpstreamDoor<P> {
    outbox: P,
}

impl<P: Port> UpstreamDoor<P> {
    /// A door in front of `outbox`.
    pub const fn new(outbox: P) -> Self {
        Self { outbox }
    }

    /// Sends a call that was judged.
    pub fn send(&mut self, cleared: &Cleared) {
        self.outbox.push(Outgoing(cleared.bytes().clone()));
    }

    /// Passes a message that is no call.
    pub fn pass(&mut self, other: &Other) {
        self.outbox.push(Outgoing(other.bytes().clone()));
    }

    /// What waits behind the door, to be looked at.
    pub const fn outbox(&self) -> &P {
        &self.outbox
    }

    /// What waits behind the door, to be written or closed.
    pub const fn outbox_mut(&mut self) -> &mut P {
        &mut self.outbox
    }
}
