//! Asks the disk beside the session, so that a slow or dead mount holds up one call and nothing else.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::analyse::{Mention, Scripts, Surroundings};
use crate::gate::Located;
use crate::locate::{outcomes, outcomes_at_once, scripts};
use crate::session::{CallId, Event};

/// Looks `mentions` up: at once when the disk cannot hold that up, else on a thread of its own that reports back later. Waking a
/// thread costs several times what the look-up of a few plain paths does.
pub fn start(surroundings: &Arc<Surroundings>, call: CallId, mentions: Vec<Mention>, events: &UnboundedSender<Event>) -> Option<Event> {
    if let Ok(Some(outcomes)) = catch_unwind(AssertUnwindSafe(|| outcomes_at_once(&mentions, surroundings))) {
        return Some(Event::Located { call, located: Located::paired(mentions, outcomes) });
    }
    let surroundings = Arc::clone(surroundings);
    beside(events, move || {
        // A look-up that panics leaves its call unresolved, never allowed.
        let outcomes = catch_unwind(AssertUnwindSafe(|| outcomes(&mentions, &surroundings))).unwrap_or_default();
        Event::Located { call, located: Located::paired(mentions, outcomes) }
    });
    None
}

/// Reads script files on a thread of its own. A reading that panics finds nothing: then the look-up of the scripts' own paths speaks.
pub fn read(surroundings: &Arc<Surroundings>, call: CallId, wanted: Vec<String>, events: &UnboundedSender<Event>) {
    let surroundings = Arc::clone(surroundings);
    beside(events, move || {
        let found = catch_unwind(AssertUnwindSafe(|| scripts(&wanted, &surroundings)));
        Event::Read { call, scripts: found.unwrap_or_else(|_| Scripts::without(wanted)) }
    });
}

/// Does blocking work on a thread of its own, and reports what it gives.
fn beside(events: &UnboundedSender<Event>, work: impl FnOnce() -> Event + Send + 'static) {
    let events = events.clone();
    tokio::task::spawn_blocking(move || {
        // The session is over when nobody listens any more.
        let _ = events.send(work());
    });
}
