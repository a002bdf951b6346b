//! What single settings amount to: durations, and how a server is reached.
use std::time::Duration;

use super::keys::{Approval, Limits, Server};

impl Approval {
    /// How long a question stays open; nothing leaves it to what is known of the client.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout.as_ref().map(|set| Duration::from_secs(set.value))
    }

    /// An approval that comes sooner than this after the question is not believed.
    pub fn minimum_answer(&self) -> Duration {
        Duration::from_millis(self.minimum_answer_ms.value)
    }
}

impl Limits {
    /// Until when a call is waited for; nothing when for ever.
    pub fn call_timeout(&self) -> Option<Duration> {
        (self.call_timeout.value > 0).then(|| Duration::from_secs(self.call_timeout.value))
    }
}

impl Server {
    /// Whether it says how the server is reached, and not only how it is judged.
    pub fn is_reachable(&self) -> bool {
        self.command.is_some() || self.url.is_some()
    }
}
