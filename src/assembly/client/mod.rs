//! Our own MCP client: in front of a gate in another process, for calls; in front of one in this process, for a server's list of tools.
mod gate_client;
mod listing;

pub use gate_client::{Answers, GateClient, Handler, indented, text_of};
pub use listing::tools;
