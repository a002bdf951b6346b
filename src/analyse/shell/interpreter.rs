//! The walk over the tree: runs each command in the mind, with the state of the shell before it.
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::CommandAt;
use super::field::Unknown;
use super::script::Within;
use super::state::{State, overflows};
use super::stream::Stream;
use super::syntax::{Command, Item, Joint, Node, Script};
use crate::analyse::{Condition, Discovered, Form};
use crate::policy::{Direction, Shell};

/// Most steps (words, values, loop rounds) of one command line; past it the rest is not followed.
pub(super) const MOST_STEPS: usize = 60_000;
/// Deepest nesting of commands that are read from text: `eval`, `sh -c`, functions.
pub(super) const DEEPEST_TEXT: usize = 24;

/// One walk.
pub(super) struct Interpreter<'a> {
    pub(super) at: &'a CommandAt<'a>,
    /// Whose rules the text follows that is walked now; a Windows shell may be started by another one.
    pub(super) shell: Shell,
    pub(super) found: Discovered,
    pub(super) state: State,
    pub(super) seen: HashSet<(Form, Direction, Condition)>,
    /// The state if the command that ran last failed, where that differs from `state`.
    pub(super) failed: Option<State>,
    /// The text that spans refer to.
    pub(super) source: &'a str,
    /// How many texts within texts lead here; spans count only at 0.
    pub(super) nested: usize,
    pub(super) called: HashSet<String>,
    /// Whether something reads the output of the command that runs.
    pub(super) consumed: bool,
    /// How many loops lead here.
    pub(super) loops: usize,
    /// How many calls of functions lead here.
    pub(super) calls: usize,
    /// How many parsed texts lead here, functions not counted.
    pub(super) texts: usize,
    /// The script file that is walked now.
    pub(super) within: Option<Within>,
    /// Functions that a script file defined, with where they stand.
    pub(super) script_functions: HashMap<String, Within>,
    pub(super) budget: Budget,
    /// What is left for the texts of script files.
    pub(super) script_budget: Budget,
}

/// Steps that were made.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Budget {
    steps: usize,
    spent: bool,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(at: &'a CommandAt<'a>, source: &'a str) -> Self {
        Self {
            at,
            shell: at.shell,
            found: Discovered::default(),
            state: State::new(at.directories),
            seen: HashSet::new(),
            failed: None,
            source,
            nested: 0,
            called: HashSet::new(),
            consumed: false,
            loops: 0,
            calls: 0,
            texts: 0,
            within: None,
            script_functions: HashMap::new(),
            budget: Budget::default(),
            script_budget: Budget::default(),
        }
    }

    /// Counts `cost` steps; says whether the budget is spent, and asks once when it is.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        self.budget.steps = self.budget.steps.saturating_add(cost);
        if self.budget.steps > MOST_STEPS && !self.budget.spent {
            self.budget.spent = true;
            self.unparsed_text(self.source, "it is too long or too repetitive to be followed");
        }
        self.budget.spent
    }

    /// Walks the whole command line.
    pub(super) fn posix_text(&mut self, text: &str) {
        match super::parse::parse(text, 0) {
            Ok(script) => {
                self.script(&script, &Stream::None);
                self.uncalled();
            }
            Err(fault) => self.without_grammar(text, fault),
        }
    }

    /// Parses and walks a text that the command line runs.
    pub(super) fn text(&mut self, text: &str, input: &Stream) -> Stream {
        if self.nested >= DEEPEST_TEXT || self.spend(text.len() / 16) {
            self.unparsed_text(text, "commands are nested too deeply");
            return Stream::Unknown(Unknown::Computed);
        }
        self.nested += 1;
        self.texts += 1;
        let output = match super::parse::parse(text, self.nested) {
            Ok(script) => self.script(&script, input),
            Err(fault) => {
                self.unparsed_text(text, fault.why);
                Stream::Unknown(Unknown::Computed)
            }
        };
        self.texts -= 1;
        self.nested -= 1;
        output
    }

    pub(super) fn script(&mut self, script: &Script, input: &Stream) -> Stream {
        let mut output = Stream::None;
        let mut success = self.state.clone();
        let mut failure: Option<State> = None;
        for item in &script.items {
            if self.spend(3) {
                break;
            }
            match item.joint {
                Joint::Next => self.settle(&mut success, failure.take()),
                Joint::And => failure = Some(failure.unwrap_or_else(|| success.clone())),
                Joint::Or => {}
            }
            let skipped = (item.joint == Joint::Or).then(|| success.clone());
            self.state = match item.joint {
                Joint::Or => failure.clone().unwrap_or_else(|| success.clone()),
                _ => success.clone(),
            };
            if self.state.dead {
                continue;
            }
            output = output.then(self.item(item, input));
            self.spend(success.distance(&self.state));
            let failed = self.failed.take();
            success = self.state.clone();
            match item.joint {
                Joint::Next => failure = failed,
                Joint::And => {
                    if let Some(before) = failure.as_mut() {
                        self.join(before, Some(failed.as_ref().unwrap_or(&success)));
                    }
                }
                Joint::Or => {
                    failure = failed.or_else(|| Some(success.clone()));
                    self.join(&mut success, skipped.as_ref());
                }
            }
        }
        self.settle(&mut success, failure);
        self.state = success;
        output
    }

    /// After a chain the shell is in either state.
    fn settle(&mut self, success: &mut State, failure: Option<State>) {
        let Some(failure) = failure else { return };
        if !success.stops_on_error {
            self.join(success, Some(&failure));
        }
        if overflows(&success.directories) {
            self.unparsed_text(self.source, "it can run in too many directories");
            success.directories.truncate(1);
        }
    }

    /// Joins two states; what has to be compared and copied for that counts as steps.
    pub(super) fn join(&mut self, state: &mut State, other: Option<&State>) {
        if let Some(other) = other {
            self.spend(state.distance(other));
            state.join(other);
        }
    }

    fn item(&mut self, item: &Item, input: &Stream) -> Stream {
        if let ([only], false) = (item.stages.as_slice(), item.background) {
            return self.command(only, input);
        }
        let before = self.state.clone();
        let mut stream = input.clone();
        let outer = self.consumed;
        let last = item.stages.iter().rposition(|stage| !only_shows(stage));
        for (at, stage) in item.stages.iter().enumerate() {
            self.consumed = outer || last.is_some_and(|last| last > at);
            stream = self.command(stage, &stream);
            self.restore(&before);
        }
        self.consumed = outer;
        self.failed = None;
        stream
    }

    /// Back to the state before a subshell; what it wrote and made stays.
    pub(super) fn restore(&mut self, before: &State) {
        let (written, made) = (Rc::clone(&self.state.written), Rc::clone(&self.state.made));
        self.state = State { written, made, ..before.clone() };
    }

    pub(super) fn subshell(&mut self, script: &Script, input: &Stream) -> Stream {
        let before = self.state.clone();
        let output = self.script(script, input);
        self.restore(&before);
        self.failed = None;
        output
    }

    pub(super) fn command(&mut self, command: &Command, input: &Stream) -> Stream {
        let plumbing = self.redirections(&command.redirections, input);
        let input = plumbing.input.as_ref().unwrap_or(input);
        let output = match &command.node {
            Node::Simple(simple) => self.simple(simple, input),
            Node::Group(script) => self.script(script, input),
            Node::Subshell(script) => self.subshell(script, input),
            Node::If(parts) => self.branches(parts, input),
            Node::While(condition, body) => self.repeat(|walk| {
                walk.script(condition, input);
                walk.script(body, input)
            }),
            Node::For(name, words, body) => self.for_each(name, words.as_deref(), body, input),
            Node::Case(subject, arms) => self.case(subject, arms, input),
            Node::Function(name, body) => {
                self.define(name, body);
                Stream::None
            }
            Node::Test(words) => self.test(words),
            Node::Arithmetic(word, body) => {
                self.word_unsplit(word);
                body.as_ref().map_or(Stream::None, |body| self.repeat(|walk| walk.script(body, input)))
            }
        };
        self.keep_written(&plumbing, output)
    }

    /// A function of a script file may well never be called, so it counts only where it is.
    fn define(&mut self, name: &str, body: &Rc<Command>) {
        Rc::make_mut(&mut self.state.functions).insert(name.to_owned(), Rc::clone(body));
        match self.within.clone() {
            Some(within) => {
                self.called.insert(name.to_owned());
                self.script_functions.insert(name.to_owned(), within);
            }
            None => drop(self.script_functions.remove(name)),
        }
    }

    /// Functions that were defined but not called may still run, from a trap or another program.
    pub(super) fn uncalled(&mut self) {
        let functions = Rc::clone(&self.state.functions);
        for (name, body) in functions.iter() {
            if !self.called.contains(name) {
                self.nested += 1;
                self.command(body, &Stream::None);
                self.nested -= 1;
            }
        }
    }
}

/// Whether a stage of a pipeline shows the lines it reads and opens none of the files they name.
fn only_shows(stage: &Command) -> bool {
    let Node::Simple(simple) = &stage.node else { return false };
    let name = simple.words.first().and_then(super::syntax::Word::literal);
    name.is_some_and(|name| matches!(name.as_str(), "head" | "tail" | "wc" | "sort" | "uniq" | "grep" | "less" | "more" | "cat" | "column"))
}
