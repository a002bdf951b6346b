//! What a call touches: its arguments searched, the script files it runs read, the disk asked; and all of it again after an answer.
use std::time::Duration;

use crate::analyse::{Lens, Scripts};
use crate::gate::{Grants, Located, Mentions};
use crate::wire::Call;

use super::event::{Output, Ticket};
use super::held::{Held, Stage};
use super::machine::Session;

/// How long the disk may take; a dead mount must not hold the call for ever.
const LOCATING: Duration = Duration::from_secs(10);

impl Session {
    /// Searches the arguments. A call that runs script files comes here again when they were read.
    pub(super) fn discover(&mut self, ticket: Ticket, call: Call) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        let scripts = std::mem::take(&mut held.scripts);
        let settings = self.config.policy.tool_for(&self.config.server, call.tool(), call.arguments());
        let definition = self.catalogue.tool(call.tool()).filter(|_| call.method() == "tools/call");
        let lens = Lens {
            server: &self.config.server,
            definition,
            settings: &settings,
            expected: &[],
            surroundings: &self.config.surroundings,
            scripts: &scripts,
            explain: false,
        };
        let mut mentions = Mentions::find(call, lens);
        if self.config.rewrite_relative
            && let Some(absolute) = mentions.made_absolute(&self.config.surroundings.root)
        {
            mentions = Mentions::find(absolute, lens);
        }
        let wanted = scripts.missing(&mentions.discovered().scripts);
        if let Some(held) = self.held.get_mut(&ticket) {
            held.scripts = scripts;
        }
        if !wanted.is_empty() {
            return self.read_scripts(ticket, mentions.into_call(), wanted);
        }
        self.hold_to_scripts(ticket, &mut mentions);
        self.locate(ticket, mentions);
    }

    /// Asks the disk, if it has anything to say.
    pub(super) fn locate(&mut self, ticket: Ticket, mentions: Mentions) {
        if mentions.is_placeless() {
            return self.judge(ticket, mentions.located(Vec::new()));
        }
        let wanted = mentions.to_locate();
        if let Some(held) = self.held.get_mut(&ticket) {
            held.stage = Stage::Locating(Box::new(mentions));
            held.stage_until = self.now + LOCATING;
            self.out.push(Output::Locate(ticket, wanted));
        }
    }

    pub(super) fn on_located(&mut self, ticket: Ticket, located: Vec<Located>) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        match held.take_stage() {
            Stage::Locating(mentions) => self.judge(ticket, mentions.located(located)),
            other => held.stage = other,
        }
    }

    /// Has the files of `wanted` read before the call is searched again.
    fn read_scripts(&mut self, ticket: Ticket, call: Call, wanted: Vec<String>) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        held.stage = Stage::Reading(Box::new(call), wanted.clone());
        held.stage_until = self.now + LOCATING;
        self.out.push(Output::Read(ticket, wanted));
    }

    pub(super) fn on_read(&mut self, ticket: Ticket, scripts: Scripts) {
        let Some(held) = self.held.get_mut(&ticket) else { return };
        match held.take_stage() {
            Stage::Reading(call, _) => {
                held.scripts.absorb(scripts);
                self.discover(ticket, *call);
            }
            other => held.stage = other,
        }
    }

    /// A call that was judged goes the way again, because things may have moved meanwhile.
    pub(super) fn look_again(&mut self, ticket: Ticket, mentions: Mentions) {
        if mentions.scripts().is_none() {
            return self.locate(ticket, mentions);
        }
        if let Some(held) = self.held.get_mut(&ticket) {
            held.scripts = Scripts::default();
        }
        self.discover(ticket, mentions.into_call());
    }

    /// Takes back what was allowed while the scripts were others.
    fn hold_to_scripts(&mut self, ticket: Ticket, mentions: &mut Mentions) {
        if let Some(held) = self.held.get_mut(&ticket)
            && held.allowed_for.as_deref().is_some_and(|allowed| mentions.scripts() != Some(allowed))
        {
            forget_answers(held);
            mentions.script_changed();
        }
    }
}

fn forget_answers(held: &mut Held) {
    held.once = Grants::default();
    held.allowed.clear();
    held.allowed_for = None;
}
