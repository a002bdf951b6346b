//! Drives the judge for held calls: what it wants to know is asked of the edges, and what it decides is done.
use std::time::Duration;

use crate::analyse::{Definition, Scripts};
use crate::gate::{Decision, Facts, Grants, Judge, Located, PinStatus, Step};
use crate::wire::Call;

use super::event::{Output, Ticket};
use super::held::Stage;
use super::machine::Session;

/// How long the disk may take; a dead mount must not hold the call for ever.
const LOCATING: Duration = Duration::from_secs(10);

/// What the session knows of a call's tool.
pub(super) struct KnownTool<'s> {
    definition: Option<&'s Definition>,
    pin_status: PinStatus,
    kept: Grants,
}

impl Session {
    /// Carries out what the judge wants next.
    pub(super) fn follow(&mut self, ticket: Ticket, step: Step) {
        match step {
            Step::ReadScripts(judge) => {
                let wanted = judge.wanted().to_vec();
                self.look_up(ticket, Stage::Reading(Box::new(judge)), Output::Read(ticket, wanted));
            }
            Step::Locate(judge) => {
                let wanted = judge.wanted();
                self.look_up(ticket, Stage::Locating(Box::new(judge)), Output::Locate(ticket, wanted));
            }
            Step::Decided(decision) => self.decided(ticket, decision),
        }
    }

    fn look_up(&mut self, ticket: Ticket, stage: Stage, output: Output) {
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = stage;
            held.stage_until = self.now + LOCATING;
            self.out.push(output);
        }
    }

    fn decided(&mut self, ticket: Ticket, decision: Decision) {
        if !self.held.contains_key(&ticket) {
            return;
        }
        match decision {
            Decision::Allow(cleared) => self.clear(ticket, cleared),
            Decision::Ask(paused) => self.ask(ticket, paused),
            Decision::Deny(denied) => self.deny(ticket, &denied),
        }
    }

    /// Begins to judge a call whose tool is listed, or never will be.
    pub(super) fn judge(&mut self, ticket: Ticket, judge: Judge) {
        let known = self.known(judge.call());
        let step = self.with_facts(&known, |facts| judge.begin(facts));
        self.follow(ticket, step);
    }

    /// Script files were read; nothing where they could not be in time.
    pub(super) fn on_read(&mut self, ticket: Ticket, read: Option<Scripts>) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        match held.take_stage() {
            Stage::Reading(judge) => {
                let known = self.known(judge.call());
                let step = self.with_facts(&known, |facts| match read {
                    Some(read) => judge.read(read, facts),
                    None => judge.unread(facts),
                });
                self.follow(ticket, step);
            }
            other => held.stage = other,
        }
    }

    /// The disk was asked; nothing where it did not answer in time.
    pub(super) fn on_located(&mut self, ticket: Ticket, located: Option<Vec<Located>>) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        match held.take_stage() {
            Stage::Locating(judge) => {
                let call = match located {
                    Some(located) => judge.located(located),
                    None => judge.unlocated("the disk did not answer in time"),
                };
                let known = self.known(call.call());
                let decision = self.with_facts(&known, |facts| call.decide(facts));
                self.decided(ticket, decision);
            }
            other => held.stage = other,
        }
    }

    /// What is known of the call's tool; of nothing that is no tool there is a definition.
    pub(super) fn known(&self, call: &Call) -> KnownTool<'_> {
        let is_tool = call.method() == "tools/call";
        let definition = self.catalogue.tool(call.tool()).filter(|_| is_tool);
        let pin_status = if is_tool { self.catalogue.pin_status(call.tool()) } else { PinStatus::NotATool };
        KnownTool { definition, pin_status, kept: self.kept_for(call.tool(), definition) }
    }

    /// What the judge goes by, for a call of this tool.
    pub(super) fn with_facts<T>(&self, known: &KnownTool<'_>, go: impl FnOnce(&Facts<'_>) -> T) -> T {
        go(&Facts {
            policy: &self.config.policy,
            sensitive: &self.config.sensitive,
            surroundings: &self.config.surroundings,
            server: &self.config.server,
            access: self.config.access,
            definition: known.definition,
            pin_status: &known.pin_status,
            granted: &[&self.grants, &known.kept],
            expected: &[],
            rewrite_relative: self.config.rewrite_relative,
            explain: false,
        })
    }

    /// Grants of earlier sessions for this tool, as long as its definition is still the one they were given for.
    fn kept_for(&self, tool: &str, listed: Option<&Definition>) -> Grants {
        let mut grants = Grants::default();
        let mut kept = self.config.kept.iter().filter(|kept| kept.server == self.config.server && kept.tool == tool).peekable();
        let (Some(_), Some(listed)) = (kept.peek(), listed) else { return grants };
        let definition = listed.digest();
        for kept in kept.filter(|kept| kept.definition == definition) {
            grants.allow(kept.kind, kept.key.clone());
        }
        grants
    }
}
