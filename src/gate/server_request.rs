//! What a server asks of the client, as something that a person can be asked about.
use crate::analyse::Confidence;
use crate::policy::{Direction, Effect};

use super::finding::{Finding, Kind};
use super::key::Key;

impl Finding {
    /// A server wants something of the client that the policy has a person asked about. An answer is for this server and this kind of
    /// request, whatever it says.
    pub fn of_server_request(server: &str, method: &str) -> Self {
        Self {
            kind: Kind::ServerRequest,
            action: Effect::Ask,
            key: Key::Call(format!("{method} of server {server}")),
            path: None,
            covered: Vec::new(),
            direction: Direction::Unknown,
            argument: String::new(),
            raw: String::new(),
            confidence: Confidence::Declared,
            because: "the policy says `ask` for what this server asks of the client".to_owned(),
        }
    }
}
