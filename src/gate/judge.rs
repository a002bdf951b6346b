//! The judge: one step machine from a call to its decision, driven alike by the session, by `check` and by `explain`.
//!
//! ```text
//! Judge::of(call).begin(&facts) ─┬─ Step::ReadScripts(judge) → judge.wanted() → judge.read(scripts, &facts) → Step
//!                                ├─ Step::Locate(judge)      → judge.wanted() → judge.located(located).decide(&facts) → Decision
//!                                └─ Step::Decided(decision)
//! ```
//!
//! After an answer, or a wait, [`NeedsApproval::again`] and [`Cleared::again`] go the way anew, because things may have moved meanwhile.
use crate::analyse::{Condition, Discovered, DiscoveryInput, Mention, Scripts, discover};
use crate::policy::ToolSettings;
use crate::wire::Call;

use super::facts::{CallAnswers, Facts};
use super::located::{Located, Outcome};
use super::pipeline::{Cleared, Decision, LocatedCall, Mentions, NeedsApproval};
use super::preparation::{can_exist, half_character, keep_each_once, made_absolute, script_changed};

/// A call on its way to a decision. It owns the call, and each step consumes it: nothing but the steps leads from one to the next.
#[derive(Debug)]
pub struct Judge<At = Arrived> {
    at: At,
}

/// The call was read, and nothing else.
#[derive(Debug)]
pub struct Arrived {
    call: Call,
    answers: CallAnswers,
}

/// The call runs script files whose text is not known yet.
#[derive(Debug)]
pub struct Reading {
    arrived: Arrived,
    scripts: Scripts,
    wanted: Vec<String>,
}

/// What comes next for a call.
#[derive(Debug)]
pub enum Step {
    /// Have script files read, then go on with [`Judge::read`].
    ReadScripts(Judge<Reading>),
    /// Have the disk asked, then go on with [`Judge::located`].
    Locate(Judge<Mentions>),
    /// Nothing more is to be found out.
    Decided(Decision),
}

impl Judge<Arrived> {
    /// A call that has come in.
    pub fn of(call: Call) -> Self {
        Self { at: Arrived { call, answers: CallAnswers::default() } }
    }

    /// With what was answered for the call when it came before.
    pub fn with_answers(mut self, answers: CallAnswers) -> Self {
        self.at.answers = answers;
        self
    }

    pub const fn call(&self) -> &Call {
        &self.at.call
    }

    /// Searches the arguments for what the call touches.
    pub fn begin(self, facts: &Facts<'_>) -> Step {
        search(self.at, Scripts::default(), facts)
    }
}

impl Judge<Reading> {
    pub const fn call(&self) -> &Call {
        &self.at.arrived.call
    }

    /// The script files that are to be read: absolute paths, as spelled. Never empty.
    pub fn wanted(&self) -> &[String] {
        &self.at.wanted
    }

    /// Goes on with what was read.
    pub fn read(self, read: Scripts, facts: &Facts<'_>) -> Step {
        let Reading { arrived, mut scripts, wanted } = self.at;
        // What nothing was said of cannot be followed; asking for it again and again would never end.
        scripts.absorb(Scripts::without(wanted));
        scripts.absorb(read);
        search(arrived, scripts, facts)
    }

    /// Goes on without the files: the way to them is looked at, and what cannot be looked at is asked about.
    pub fn unread(self, facts: &Facts<'_>) -> Step {
        self.read(Scripts::default(), facts)
    }
}

impl Judge<Mentions> {
    pub const fn call(&self) -> &Call {
        self.at.call()
    }

    /// What was found in the arguments.
    pub const fn discovered(&self) -> &Discovered {
        self.at.discovered()
    }

    /// What is to be looked up. Never empty.
    pub fn wanted(&self) -> Vec<Mention> {
        self.at.discovered().mentions.clone()
    }

    /// Adds what the disk says, in the order asked.
    pub fn located(self, located: Vec<Located>) -> LocatedCall {
        self.at.located(located)
    }

    /// Goes on although the disk did not answer: every mention is asked about, with this reason.
    pub fn unlocated(self, why: &str) -> LocatedCall {
        let unresolved = |mention| Located { mention, outcome: Outcome::Unresolved(why.to_owned()) };
        let located = self.wanted().into_iter().map(unresolved).collect();
        self.at.located(located)
    }
}

impl NeedsApproval {
    /// Goes the way again: after an answer, and because things may have moved meanwhile.
    pub fn again(self, facts: &Facts<'_>) -> Step {
        again(self.into_mentions(), facts)
    }
}

impl Cleared {
    /// Goes the way again, because it could not be sent at once.
    pub fn again(self, facts: &Facts<'_>) -> Step {
        again(self.into_mentions(), facts)
    }
}

/// What a call says stays the same, but not the scripts that it runs.
fn again(mentions: Mentions, facts: &Facts<'_>) -> Step {
    if mentions.scripts().is_none() {
        let settings = facts.settings_for(mentions.call());
        return locate(mentions, &settings, facts);
    }
    let (call, answers) = mentions.into_parts();
    search(Arrived { call, answers }, Scripts::default(), facts)
}

/// Searches the arguments with what is known of the scripts. A call that runs more of them comes here again when they were read.
fn search(mut arrived: Arrived, scripts: Scripts, facts: &Facts<'_>) -> Step {
    let mut settings = facts.settings_for(&arrived.call);
    let mut discovered = found(&arrived.call, &scripts, &settings, facts);
    if facts.rewrite_relative
        && let Some(absolute) = made_absolute(&arrived.call, &discovered.mentions, &facts.surroundings.root)
    {
        arrived.call = absolute;
        settings = facts.settings_for(&arrived.call);
        discovered = found(&arrived.call, &scripts, &settings, facts);
    }
    let wanted = scripts.missing(&discovered.scripts);
    if !wanted.is_empty() {
        return Step::ReadScripts(Judge { at: Reading { arrived, scripts, wanted } });
    }
    let (Arrived { call, mut answers }, scripts) = (arrived, scripts.digest());
    if !answers.hold_for(scripts.as_deref()) {
        answers = CallAnswers::default();
        discovered.unparsed.push(script_changed());
    }
    locate(Mentions::new(call, answers, scripts, discovered), &settings, facts)
}

/// Asks the disk, if it has anything to say.
fn locate(mentions: Mentions, settings: &ToolSettings, facts: &Facts<'_>) -> Step {
    if mentions.discovered().mentions.is_empty() {
        return Step::Decided(mentions.located(Vec::new()).decide_with(settings, facts));
    }
    Step::Locate(Judge { at: mentions })
}

/// What the arguments name, as far as it can exist, each once.
fn found(call: &Call, scripts: &Scripts, settings: &ToolSettings, facts: &Facts<'_>) -> Discovered {
    let mut discovered = discover(&DiscoveryInput {
        tool: call.tool(),
        arguments: call.arguments(),
        definition: facts.definition,
        settings,
        expected: facts.expected,
        surroundings: facts.surroundings,
        scripts,
        explain: facts.explain,
    });
    discovered.mentions.retain(|mention| mention.condition != Condition::Exists || can_exist(mention));
    keep_each_once(&mut discovered.mentions);
    // Where the half character stands in a text that names no place, nothing hangs on how it is read.
    let torn = |mention: &Mention| mention.condition == Condition::Always && mention.raw.contains(char::REPLACEMENT_CHARACTER);
    if call.lossy() && discovered.mentions.iter().any(torn) {
        discovered.unparsed.push(half_character());
    }
    discovered
}
