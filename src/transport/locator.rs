//! Asks the disk beside the session, so that a slow or dead mount holds up one call and nothing else.
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::gate::{Located, Mention, Outcome, Surroundings};
use crate::locate::locate;
use crate::session::{Event, Ticket};

/// Looks `mentions` up on a thread of its own and reports back. A look-up that panics leaves its call unresolved, never allowed.
pub fn start(surroundings: &Arc<Surroundings>, ticket: Ticket, mentions: Vec<Mention>, events: &UnboundedSender<Event>) {
    let (surroundings, events) = (Arc::clone(surroundings), events.clone());
    tokio::task::spawn_blocking(move || {
        let again = mentions.clone();
        let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| locate(mentions, &surroundings)));
        let located = looked.unwrap_or_else(|_| again.into_iter().map(failed).collect());
        // The session is over when nobody listens any more.
        let _ = events.send(Event::Located { ticket, located });
    });
}

fn failed(mention: Mention) -> Located {
    Located { mention, outcome: Outcome::Unresolved("the look-up failed".to_owned()) }
}
