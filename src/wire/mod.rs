//! One line of bytes to one JSON-RPC message and back: admission, views, splices, refusals, ids, digests. Imports nothing of ours.
//!
//! A line is read once by [`read()`]. What passes is kept byte for byte (raw line breaks between tokens become blanks, a byte-order mark
//! and surrounding blanks go); everything else in this module is a view of those bytes or a splice that leaves the rest of them alone.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
mod assemble;
mod call;
pub mod codes;
mod decode;
mod digest;
mod events;
mod id;
mod message;
mod names;
mod other;
mod read;
mod refused;
mod reply;
mod salvage;
mod scan;
mod splice;
mod text;

pub use assemble::ServerLines;
pub use call::{BadCall, Call};
pub use decode::decode;
pub use digest::{digest, hex};
pub use id::Id;
pub use message::{Message, Notification, Request, Response};
pub use other::Other;
pub use read::{Limits, Side, read, read_batch, too_long};
pub use refused::{Reason, Refused, Salvaged, Shape};
pub use reply::{error, notification, refusal, request, result};
pub use splice::{elements, insert, members, remove, replace, replace_all, retain, retained, with_member};
