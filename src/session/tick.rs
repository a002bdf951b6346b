//! What time does: deadlines of questions, listings, look-ups and calls, and signs of life.
use serde_json::{Value, json};

use crate::wire;

use super::event::{Output, Ticket};
use super::held::{BEAT, Held, Stage};
use super::machine::Session;
use super::refusal::RefusalReason;

/// What one sign of life adds to a call's progress: little, so that the upstream's own values hardly move.
pub(super) const STEP: f64 = 0.001;

impl Session {
    /// Looks at every clock.
    pub(super) fn on_tick(&mut self) {
        let due: Vec<Ticket> = self.held.iter().filter(|(_, held)| held.stage_until <= self.now).map(|(ticket, _)| *ticket).collect();
        for ticket in due {
            self.stage_expired(ticket);
        }
        self.beat();
        self.calls_overdue();
        let now = self.now;
        let gone: Vec<String> = self.late.iter().filter(|(_, late)| late.until <= now).map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.late.remove(&id);
            self.out.push(Output::Withdraw(id, "it is too late for an answer"));
        }
    }

    fn stage_expired(&mut self, ticket: Ticket) {
        match self.held.get(&ticket).map(|held| &held.stage) {
            Some(Stage::Listing(_)) => {
                let own = self.fetch.as_ref().map_or(0, |fetch| fetch.id);
                self.fetch_failed(own);
            }
            // The way to the scripts themselves is looked at next, and what cannot be looked at is asked about.
            Some(Stage::Reading(_)) => self.on_read(ticket, None),
            Some(Stage::Locating(_)) => self.on_located(ticket, None),
            Some(Stage::Queued(_)) => {
                self.queue.retain(|queued| *queued != ticket);
                if let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) {
                    self.refuse_paused(ticket, *paused, RefusalReason::TimedOut, None);
                }
            }
            Some(Stage::Asked(asked)) => {
                let question = asked.question.clone();
                self.question_expired(&question);
            }
            Some(Stage::Waiting(_) | Stage::Moving) | None => {}
        }
    }

    /// Signs of life for calls that wait for a person and whose client wants progress.
    fn beat(&mut self) {
        let now = self.now;
        let mut lines = Vec::new();
        for held in self.held.values_mut().filter(|held| held.next_beat <= now) {
            held.next_beat = now + BEAT;
            let waits = held.waits_for_a_person();
            let Some(token) = held.progress.as_ref().filter(|_| waits) else { continue };
            let Ok(token) = serde_json::from_slice::<Value>(token) else { continue };
            held.beats += 1;
            let message = "waiting for a person to approve the call";
            let progress = f64::from(held.beats) * STEP;
            lines.push(wire::notification(
                "notifications/progress",
                &json!({ "progressToken": token, "progress": progress, "message": message }),
            ));
        }
        self.out.extend(lines.into_iter().map(Output::ToClient));
    }

    /// A backstop: the call is given up here and upstream, though the server may still be at it.
    fn calls_overdue(&mut self) {
        let Some(limit) = self.config.call_timeout else { return };
        let Some(then) = self.now.checked_sub(limit) else { return };
        for (id, _) in self.flights.overdue(then) {
            self.cancel_upstream(&id, "callgate gave the call up");
            let seconds = limit.as_secs();
            let why = format!("callgate gave the call up after {seconds} seconds; the server may still be running it");
            let body = json!({ "content": [{ "type": "text", "text": why }], "isError": true, "_meta": { "callgate/refusal": { "kind": "call_timed_out" } } });
            self.send_client(Some(&id), wire::result(&id, &body));
        }
        self.release_waiting();
    }
}
