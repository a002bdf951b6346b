//! Asks the disk beside the session, so that a slow or dead mount holds up one call and nothing else.
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::gate::{Form, Located, Mention, Outcome, Surroundings};
use crate::locate::locate;
use crate::session::{Event, Ticket};

use super::mounts::{Mounts, Ways};

/// More mentions than this are always left to the other thread: the session must not wait for them either.
const MOST_AT_ONCE: usize = 16;

/// Looks `mentions` up: at once when the disk cannot hold that up, else on a thread of its own that reports back later. Waking a
/// thread costs several times what the look-up of a few plain paths does.
pub fn start(surroundings: &Arc<Surroundings>, ticket: Ticket, mentions: Vec<Mention>, events: &UnboundedSender<Event>) -> Option<Event> {
    if are_plain(&mentions) {
        return Some(Event::Located { ticket, located: look(mentions, surroundings) });
    }
    let (surroundings, events) = (Arc::clone(surroundings), events.clone());
    tokio::task::spawn_blocking(move || {
        // The session is over when nobody listens any more.
        let _ = events.send(Event::Located { ticket, located: look(mentions, &surroundings) });
    });
    None
}

/// A look-up that panics leaves its call unresolved, never allowed.
fn look(mentions: Vec<Mention>, surroundings: &Surroundings) -> Vec<Located> {
    let again = mentions.clone();
    let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| locate(mentions, surroundings)));
    looked.unwrap_or_else(|_| again.into_iter().map(failed).collect())
}

/// Whether all of them can be looked up without waiting for another machine or program.
fn are_plain(mentions: &[Mention]) -> bool {
    if mentions.len() > MOST_AT_ONCE {
        return false;
    }
    let Some(mounts) = Mounts::current() else { return false };
    let mut ways = Ways::new(&mounts);
    mentions.iter().all(|mention| match &mention.form {
        Form::Path(path) => ways.are_clear_to(path),
        Form::Url(_) | Form::NameOnly(_) => true,
        Form::Glob(_) | Form::Unless { .. } => false,
    })
}

fn failed(mention: Mention) -> Located {
    Located { mention, outcome: Outcome::Unresolved("the look-up failed".to_owned()) }
}
