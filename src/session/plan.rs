//! Which calls are asked about together: those that arrived together, and those that came while another question was open.
use std::time::Duration;

use crate::gate::{NeedsApproval, Question};
use crate::policy::Effect;
use crate::wire;

use super::asking::Route;
use super::elicit;
use super::event::{Output, Ticket};
use super::held::{Asked, BEAT, Held, Stage};
use super::machine::Session;
use super::open::Open;
use super::pace::Limits;
use super::refusal::RefusalReason;

/// Questions that wait for their turn; further ones are refused, so that a flood cannot bury one.
const MOST_QUEUED: usize = 64;
/// The disk or the tool list may hold a call up that came with others; these wait for it no longer than this.
const GATHER: Duration = Duration::from_millis(300);

/// Calls that one question is about.
pub(super) struct Plan {
    pub question: Question,
    pub calls: Vec<(Ticket, NeedsApproval)>,
}

impl Session {
    /// A call waits to be asked about.
    pub(super) fn enqueue(&mut self, ticket: Ticket, paused: NeedsApproval, route: &Route) {
        if *route == Route::Form && self.queue.len() >= MOST_QUEUED {
            return self.refuse_paused(
                ticket,
                paused,
                RefusalReason::NoApprover,
                Some("too many questions are already waiting for an answer"),
            );
        }
        if self.queue.is_empty() {
            self.gathered_by = self.now + GATHER;
        }
        let timeout = self.timeout_for(ticket);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = Stage::Queued(Box::new(paused));
            held.stage_until = self.now + timeout;
            // In the order of the calls, also where the disk was slower for one of them.
            let place = self.queue.partition_point(|queued| *queued < ticket);
            self.queue.insert(place, ticket);
        }
    }

    /// Asks about what waits, as far as the client can be asked now: it draws one form at a time.
    pub(super) fn ask_queued(&mut self) {
        while let Some(first) = self.queue.front().copied() {
            if self.refuse_if_paused(first) {
                continue;
            }
            let route = self.route(first);
            if (route == Route::Form && self.open.values().any(|open| open.form)) || self.more_may_come() {
                return;
            }
            if let Some(plan) = self.next_plan(&route) {
                self.put(plan, route);
            }
        }
    }

    /// Whether a call that came with those in the queue may join them.
    fn more_may_come(&self) -> bool {
        self.now < self.gathered_by && (self.reading || self.held.values().any(Held::is_looked_up))
    }

    /// Takes the first call out of the queue, and with it those behind it that can be asked about in one question.
    fn next_plan(&mut self, route: &Route) -> Option<Plan> {
        let id = self.client_request_id();
        let mut plan: Option<Plan> = None;
        while let Some(ticket) = self.queue.front().copied() {
            let Some(Stage::Queued(paused)) = self.held.get(&ticket).map(|held| &held.stage) else {
                self.queue.pop_front();
                continue;
            };
            let question = self.question(id.clone(), ticket, paused);
            let fits = |plan: &Plan| self.route(ticket) == *route && plan.question.takes(&question) && self.pause_for(paused).is_none();
            if plan.as_ref().is_some_and(|plan| !fits(plan)) {
                break;
            }
            self.queue.pop_front();
            let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) else { continue };
            match &mut plan {
                None => plan = Some(Plan { question, calls: vec![(ticket, *paused)] }),
                Some(plan) => plan.add(question, (ticket, *paused)),
            }
        }
        plan
    }

    /// Refuses a call that waits in the queue where too much was asked or refused lately.
    fn refuse_if_paused(&mut self, ticket: Ticket) -> bool {
        let stage = self.held.get(&ticket).map(|held| &held.stage);
        let Some(why) = stage.and_then(|stage| if let Stage::Queued(paused) = stage { self.pause_for(paused) } else { None }) else {
            return false;
        };
        self.queue.retain(|queued| *queued != ticket);
        if let Some(Stage::Queued(paused)) = self.held.get_mut(&ticket).map(Held::take_stage) {
            self.refuse_paused(ticket, *paused, RefusalReason::RateLimited, Some(&why));
        }
        true
    }

    /// Why this call is not asked about now.
    pub(super) fn pause_for(&self, paused: &NeedsApproval) -> Option<String> {
        let approval = self.config.policy.approval();
        let limits = Limits { questions: approval.questions_per_minute.value, refusals: approval.refusals_per_minute.value };
        let asking = paused.findings().iter().filter(|finding| finding.action == Effect::Ask);
        self.pace.pause(asking.map(|finding| finding.kind), limits, self.now)
    }

    fn put(&mut self, plan: Plan, route: Route) {
        match route {
            Route::Form => self.elicit(plan),
            Route::Outside(channels) => {
                let timeout = self.timeout_of(&plan);
                self.out.push(Output::Ask(Box::new(plan.question.clone()), channels, timeout));
                self.asked(plan, false);
            }
            // Whoever could be asked has gone since.
            Route::Retry => plan.calls.into_iter().for_each(|(ticket, paused)| self.ask_by_retry(ticket, paused)),
            Route::Nobody => self.leave_open(plan),
        }
    }

    /// Asks by `elicitation/create` (2025-06-18, 2025-11-25).
    fn elicit(&mut self, mut plan: Plan) {
        let Some(version) = self.handshake.elicitation() else { return self.leave_open(plan) };
        plan.question.timeout = Some(self.timeout_of(&plan));
        let mut params = elicit::form(&plan.question, version);
        // One client finds the call by its `_meta`; for several calls it is the first one's (`clients.md` F7).
        let first = plan.calls.first().and_then(|(_, paused)| paused.call().meta_raw());
        let meta = first.and_then(|raw| std::str::from_utf8(raw).ok()).and_then(elicit::meta_for);
        if let (Some(meta), Some(members)) = (meta, params.as_object_mut()) {
            members.insert("_meta".to_owned(), meta);
        }
        let line = wire::request(&plan.question.id, "elicitation/create", &params);
        self.asked(plan, true);
        self.out.push(Output::ToClient(line));
    }

    /// Notes that a question is open; its calls share the shortest of their deadlines.
    fn asked(&mut self, plan: Plan, form: bool) {
        let (now, until) = (self.now, self.now + self.timeout_of(&plan));
        self.pace.asked(now);
        let id = plan.question.id.clone();
        let tickets = plan.calls.iter().map(|(ticket, _)| Some(*ticket)).collect();
        self.open.insert(id.clone(), Open { question: plan.question, tickets, form, since: now });
        for (ticket, paused) in plan.calls {
            if let Some(held) = self.held.get_mut(&ticket) {
                held.stage = Stage::Asked(Box::new(Asked { paused, question: id.clone() }));
                held.stage_until = until;
                held.next_beat = now + BEAT;
            }
        }
    }

    fn timeout_of(&self, plan: &Plan) -> Duration {
        plan.calls.iter().map(|(ticket, _)| self.timeout_for(*ticket)).min().unwrap_or_default()
    }
}

impl Plan {
    /// A plan of one call.
    pub fn of(question: Question, ticket: Ticket, paused: NeedsApproval) -> Self {
        Self { question, calls: vec![(ticket, paused)] }
    }

    fn add(&mut self, question: Question, call: (Ticket, NeedsApproval)) {
        self.question.join(question);
        self.calls.push(call);
    }
}
