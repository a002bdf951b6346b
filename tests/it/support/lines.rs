//! What several wire tests share.
use bytes::Bytes;
use callgate::wire::{Call, Limits, Message, Reason, Refused, Request, Side, read};

/// Reads a line with the default limits.
pub fn admit(line: impl AsRef<[u8]>, from: Side) -> Result<Message, Refused> {
    read(Bytes::copy_from_slice(line.as_ref()), from, &Limits::default())
}

/// The request in a line from the client.
pub fn request(line: impl AsRef<[u8]>) -> Request {
    match admit(line, Side::Client) {
        Ok(Message::Request(request)) => request,
        other => panic!("no request: {other:?}"),
    }
}

/// The call in a line from the client.
pub fn call(line: impl AsRef<[u8]>) -> Call {
    request(line).into_call().unwrap()
}

/// The name of a reason, as the case files write it.
pub fn named(reason: &Reason) -> &'static str {
    match reason {
        Reason::TooLong { .. } => "too long",
        Reason::Empty => "empty",
        Reason::NotUtf8 { .. } => "not utf-8",
        Reason::NotJson { .. } => "not json",
        Reason::TooDeep { .. } => "too deep",
        Reason::TooMany { .. } => "too many",
        Reason::Duplicate { .. } => "duplicate",
        Reason::LookAlike { .. } => "look-alike",
        Reason::Array { .. } => "array",
        Reason::NotAnObject => "not an object",
        Reason::NotJsonRpc => "not json-rpc",
        Reason::BadShape { .. } => "bad shape",
    }
}

/// A small deterministic generator, so that a failing mutation can be made again from its seed.
pub struct Dice(pub u64);

impl Dice {
    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}
