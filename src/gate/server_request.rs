//! What a server asks of the client, as something that a person can be asked about.
use crate::policy::Effect;

use super::finding::{Finding, Kind};
use super::key::Key;

impl Finding {
    /// A server wants something of the client that the policy has a person asked about. An answer is for this server and this kind of
    /// request, whatever it says.
    pub fn of_server_request(server: &str, method: &str) -> Self {
        let because = "the policy says `ask` for what this server asks of the client".to_owned();
        Self::without_place(Kind::ServerRequest, Effect::Ask, Key::Call(format!("{method} of server {server}")), because)
    }
}
