//! Asks the disk beside the session, so that a slow or dead mount holds up one call and nothing else.
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::mounts::Mounts;
use crate::gate::{Form, Located, Mention, Outcome, Surroundings};
use crate::locate::locate;
use crate::session::{Event, Ticket};

/// More mentions than this are always left to the other thread: the session must not wait for them either.
const MOST_AT_ONCE: usize = 16;

/// Looks `mentions` up and reports back: at once when the disk cannot hold that up, on a thread of its own otherwise. Waking a thread
/// costs several times what the look-up of a few plain paths does.
pub fn start(surroundings: &Arc<Surroundings>, ticket: Ticket, mentions: Vec<Mention>, events: &UnboundedSender<Event>) {
    let (surroundings, events) = (Arc::clone(surroundings), events.clone());
    let at_once = are_plain(&mentions);
    let work = move || {
        let again = mentions.clone();
        let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| locate(mentions, &surroundings)));
        let located = looked.unwrap_or_else(|_| again.into_iter().map(failed).collect());
        // The session is over when nobody listens any more.
        let _ = events.send(Event::Located { ticket, located });
    };
    if at_once {
        work();
    } else {
        tokio::task::spawn_blocking(work);
    }
}

/// Whether all of them are paths that can be looked up without waiting for another machine or program.
fn are_plain(mentions: &[Mention]) -> bool {
    if mentions.len() > MOST_AT_ONCE {
        return false;
    }
    let Some(mounts) = Mounts::current() else { return false };
    mentions.iter().all(|mention| matches!(&mention.form, Form::Path(path) if mounts.are_off_the_way_to(path)))
}

fn failed(mention: Mention) -> Located {
    Located { mention, outcome: Outcome::Unresolved("the look-up failed".to_owned()) }
}
