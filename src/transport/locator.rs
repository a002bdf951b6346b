//! Asks the disk beside the session, so that a slow or dead mount holds up one call and nothing else.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::gate::{Located, Mention, Outcome, Scripts, Surroundings};
use crate::locate::{locate, locate_at_once, scripts};
use crate::session::{Event, Ticket};

/// Looks `mentions` up: at once when the disk cannot hold that up, else on a thread of its own that reports back later. Waking a
/// thread costs several times what the look-up of a few plain paths does.
pub fn start(surroundings: &Arc<Surroundings>, ticket: Ticket, mentions: Vec<Mention>, events: &UnboundedSender<Event>) -> Option<Event> {
    if let Ok(Some(located)) = catch_unwind(AssertUnwindSafe(|| locate_at_once(&mentions, surroundings))) {
        return Some(Event::Located { ticket, located });
    }
    let (surroundings, events) = (Arc::clone(surroundings), events.clone());
    tokio::task::spawn_blocking(move || {
        // The session is over when nobody listens any more.
        let _ = events.send(Event::Located { ticket, located: look(mentions, &surroundings) });
    });
    None
}

/// Reads script files on a thread of its own. A reading that panics finds nothing: then the look-up of the scripts' own paths speaks.
pub fn read(surroundings: &Arc<Surroundings>, ticket: Ticket, wanted: Vec<String>, events: &UnboundedSender<Event>) {
    let (surroundings, events) = (Arc::clone(surroundings), events.clone());
    tokio::task::spawn_blocking(move || {
        let again = wanted.clone();
        let found = catch_unwind(AssertUnwindSafe(|| scripts(wanted, &surroundings)));
        let _ = events.send(Event::Read { ticket, scripts: found.unwrap_or_else(|_| Scripts::without(again)) });
    });
}

/// A look-up that panics leaves its call unresolved, never allowed.
fn look(mentions: Vec<Mention>, surroundings: &Surroundings) -> Vec<Located> {
    let again = mentions.clone();
    let looked = catch_unwind(AssertUnwindSafe(|| locate(mentions, surroundings)));
    looked.unwrap_or_else(|_| again.into_iter().map(failed).collect())
}

fn failed(mention: Mention) -> Located {
    Located { mention, outcome: Outcome::Unresolved("the look-up failed".to_owned()) }
}
