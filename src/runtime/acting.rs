//! Carries out what the session wants done; what a verdict leads to only once that verdict is written down.
use std::collections::VecDeque;

use crate::gate::Verdict;
use crate::session::{Event, Output, Then};

use super::driver::Running;
use super::locator;

impl Running {
    /// Feeds one event in and carries out all that comes of it.
    pub(super) fn feed(&mut self, event: Event) {
        self.handle(event);
        self.settle();
    }

    /// Feeds one event in. What comes of it waits, from the first verdict on, until [`Running::settle`]: the verdicts of everything
    /// that one read brought are written down together, which is what the audit costs least as.
    pub(super) fn handle(&mut self, event: Event) {
        if let Some(attached) = self.driver.asker.approvers_changed() {
            self.driver.session.handle(Event::Approvers(attached), self.started.elapsed());
        }
        let mut next = VecDeque::from([event]);
        while let Some(event) = next.pop_front() {
            for action in self.driver.session.handle(event, self.started.elapsed()) {
                let waits = !self.unsettled.is_empty() && !matches!(action, Output::Locate(..) | Output::Store(_));
                if waits || matches!(action, Output::Verdict(..)) {
                    self.unsettled.push(action);
                } else {
                    next.extend(self.act(action));
                }
            }
        }
    }

    /// Writes down the verdicts that wait and carries out what they lead to, in order.
    pub(super) fn settle(&mut self) {
        while !self.unsettled.is_empty() {
            let actions = std::mem::take(&mut self.unsettled);
            let verdicts: Vec<&Verdict> = actions.iter().filter_map(verdict).collect();
            let problem = (self.driver.record)(&verdicts).err().map(|problem| format!("{problem:#}"));
            for action in actions {
                let next = match (action, &problem) {
                    (Output::Verdict(_, then), Some(problem)) => Some(Event::Unrecorded { then, problem: problem.clone() }),
                    (action, _) => self.act(action),
                };
                next.into_iter().for_each(|event| self.handle(event));
            }
        }
    }

    /// Carries one action out; what comes of it at once is given back as an event.
    fn act(&mut self, action: Output) -> Option<Event> {
        match action {
            Output::ToClient(line) => self.client.push(line),
            Output::ToServer(_, other) => self.server.pass(&other),
            Output::Verdict(_, Then::Send(_, cleared)) => self.server.send(&cleared),
            Output::Verdict(_, Then::Reply(line)) => self.client.push(line),
            Output::Verdict(_, Then::Pass(passed)) => self.client.push(passed.into_line()),
            Output::Verdict(_, Then::Wait) => {}
            Output::Locate(call, mentions) => return locator::start(&self.driver.surroundings, call, mentions, &self.events),
            Output::Read(call, wanted) => locator::read(&self.driver.surroundings, call, wanted, &self.events),
            Output::Ask(question, channels, deadline) => self.driver.asker.ask(*question, &channels, deadline),
            Output::Expire(question) => self.driver.asker.expire(&question),
            Output::Withdraw(question, why) => self.driver.asker.withdraw(&question, why),
            Output::Store(request) => return self.driver.store.carry_out(request, self.started.elapsed()).map(Event::Stored),
            Output::Log(text) => tracing::info!("{text}"),
            Output::CloseServer(_) => self.close_server = true,
        }
        None
    }
}

fn verdict(action: &Output) -> Option<&Verdict> {
    match action {
        Output::Verdict(verdict, _) => Some(verdict),
        _ => None,
    }
}
