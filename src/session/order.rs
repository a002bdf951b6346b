//! The order of calls that touch the same file: one after the other, as they came.
use std::path::PathBuf;

use super::event::Ticket;
use super::held::{Held, Stage};
use super::machine::Session;

impl Session {
    /// Whether a call that touches these files has to wait for another that was sent before, or that waits itself and came first.
    pub(super) fn must_wait(&self, ticket: Ticket, touches: &[PathBuf]) -> bool {
        let overlap = |others: &[PathBuf]| others.iter().any(|other| touches.contains(other));
        let before =
            self.held.range(..ticket).any(|(_, held)| matches!(&held.stage, Stage::Waiting(cleared) if overlap(cleared.touches())));
        !touches.is_empty() && (before || self.flights.calls().any(|sent| overlap(&sent.touches)))
    }

    /// A call is over: those that waited for its files go on, judged anew because time went by.
    pub(super) fn release_waiting(&mut self) {
        let waiting = self.held.iter().filter(|(_, held)| matches!(held.stage, Stage::Waiting(_)));
        for ticket in waiting.map(|(ticket, _)| *ticket).collect::<Vec<_>>() {
            let free = matches!(self.held.get(&ticket).map(|held| &held.stage), Some(Stage::Waiting(cleared)) if !self.must_wait(ticket, cleared.touches()));
            if free && let Some(Stage::Waiting(cleared)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                let known = self.known(cleared.call());
                let step = self.with_facts(&known, |facts| cleared.again(facts));
                self.follow(ticket, step);
            }
        }
    }
}
