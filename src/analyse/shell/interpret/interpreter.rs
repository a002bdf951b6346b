//! The interpreter: walks the tree of a command line and keeps the state of the shell before each command.
use std::rc::Rc;

use super::CommandAt;
use super::functions::Functions;
use super::limits::{DEEPEST_TEXT, Depth};
use super::places::Places;
use super::sink::MentionSink;
use super::state::State;
use super::variables::Values;
use crate::analyse::Discovered;
use crate::analyse::shell::grammar::{Command, Fault, Item, Joint, Node, Script, Word, parse};
use crate::analyse::shell::programs::{Acts, COMMAND_WORDS, Use};
use crate::analyse::shell::values::{Field, Stream, Unknown};
use crate::policy::Shell;

/// Its parts, and what the command that runs stands in.
pub struct Interpreter<'a> {
    pub(super) sink: MentionSink<'a>,
    pub(super) state: State,
    pub(super) functions: Functions,
    /// The state if the command that ran last failed, where that differs from `state`.
    pub(super) failed: Option<State>,
    /// Whether something reads the output of the command that runs.
    pub(super) consumed: bool,
    /// Whose rules the text follows that runs now; a Windows shell may be started by another one.
    pub(super) shell: Shell,
}

impl<'a> Interpreter<'a> {
    pub fn new(at: &'a CommandAt<'a>, source: &'a str) -> Self {
        Self {
            sink: MentionSink::new(at, source),
            state: State::new(at.directories),
            functions: Functions::default(),
            failed: None,
            consumed: false,
            shell: at.shell,
        }
    }

    pub fn into_found(self) -> Discovered {
        self.sink.into_found()
    }

    /// The word is a path.
    pub(super) fn path(&mut self, field: &Field, how: &Use) {
        Places { sink: &mut self.sink, frames: &self.state.frames, shell: self.shell }.path(field, how);
    }

    /// The values of a name, if anything is known of it.
    pub(super) fn named(&self, name: &str) -> Option<Values> {
        self.state.named(name, self.sink.at().surroundings)
    }

    /// The first value of a name, if it is one word.
    pub(super) fn first_value(&self, name: &str) -> Option<Field> {
        self.named(name).and_then(|values| values.first()?.first().cloned())
    }

    /// Runs something that lies deeper than this.
    pub(super) fn deeper<R>(&mut self, depth: Depth, run: impl FnOnce(&mut Self) -> R) -> R {
        self.sink.enter(depth);
        let result = run(self);
        self.sink.leave(depth);
        result
    }

    /// Walks the whole command line.
    pub fn posix_text(&mut self, text: &str) {
        match parse(text, 0) {
            Ok(script) => {
                self.script(&script, &Stream::None);
                self.uncalled();
            }
            Err(fault) => self.without_grammar(text, fault),
        }
    }

    /// A text that is no command line: it is asked about, and what looks like a path in it is named all the same.
    fn without_grammar(&mut self, text: &str, fault: Fault) {
        let rest = text.get(fault.at..).filter(|rest| !rest.trim().is_empty()).unwrap_or(text);
        self.sink.unparsed_text(rest, fault.why);
        let blank =
            |character: char| character.is_whitespace() || matches!(character, '\'' | '"' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`');
        let words = text.split(blank).filter(|word| !word.is_empty()).take(2000).map(Field::known);
        let mut acts = Acts::new(self.sink.setting(self.shell));
        words.for_each(|word| acts.guess(&word, "a text that is no command line"));
        self.carry_out(acts, &Stream::None);
    }

    /// Parses and follows a text that the command line runs.
    pub(super) fn text(&mut self, text: &str, input: &Stream) -> Stream {
        if self.sink.limits().nested() >= DEEPEST_TEXT || self.sink.spend(text.len() / 16) {
            self.sink.unparsed_text(text, "commands are nested too deeply");
            return Stream::Unknown(Unknown::Computed);
        }
        self.deeper(Depth::Text, |inner| match parse(text, inner.sink.limits().nested()) {
            Ok(script) => inner.script(&script, input),
            Err(fault) => {
                inner.sink.unparsed_text(text, fault.why);
                Stream::Unknown(Unknown::Computed)
            }
        })
    }

    pub(super) fn script(&mut self, script: &Script, input: &Stream) -> Stream {
        let mut output = Stream::None;
        let mut success = self.state.clone();
        let mut failure: Option<State> = None;
        for item in &script.items {
            if self.sink.spend(3) {
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
            if self.state.frames.is_ended() {
                continue;
            }
            output = output.then(self.item(item, input));
            self.sink.spend(success.distance(&self.state));
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
        if !success.frames.stops_on_error() {
            self.join(success, Some(&failure));
        }
        if success.frames.overflows() {
            self.sink.unparsed_line("it can run in too many directories");
        }
    }

    /// Joins two states; what has to be compared and copied for that counts as steps.
    pub(super) fn join(&mut self, state: &mut State, other: Option<&State>) {
        if let Some(other) = other {
            self.sink.spend(state.distance(other));
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
            self.state.restore(&before);
        }
        self.consumed = outer;
        self.failed = None;
        stream
    }

    pub(super) fn subshell(&mut self, script: &Script, input: &Stream) -> Stream {
        let before = self.state.clone();
        let output = self.script(script, input);
        self.state.restore(&before);
        self.failed = None;
        output
    }

    pub(super) fn command(&mut self, command: &Command, input: &Stream) -> Stream {
        let plumbing = self.redirections(&command.redirections);
        let input = plumbing.input.as_ref().unwrap_or(input);
        let output = match &command.node {
            Node::Simple(simple) => self.simple(simple, input),
            Node::Group(script) => self.script(script, input),
            Node::Subshell(script) => self.subshell(script, input),
            Node::If(parts) => self.branches(parts, input),
            Node::While(condition, body) => self.repeat(|inner| {
                inner.script(condition, input);
                inner.script(body, input)
            }),
            Node::For(name, words, body) => self.for_each(name, words.as_deref(), body, input),
            Node::Case(subject, arms) => self.case(subject, arms, input),
            Node::Function(name, body) => {
                self.define(name, body);
                Stream::None
            }
            Node::Test(words) => {
                let fields: Vec<Field> = words.iter().flat_map(|word| self.word_unsplit(word)).collect();
                self.act(input, |acts| acts.test(&fields));
                Stream::None
            }
            Node::Arithmetic(word, body) => {
                self.word_unsplit(word);
                body.as_ref().map_or(Stream::None, |body| self.repeat(|inner| inner.script(body, input)))
            }
        };
        self.keep_written(&plumbing, output)
    }

    fn define(&mut self, name: &str, body: &Rc<Command>) {
        self.state.frames.define(name, body);
        self.functions.define(name, self.sink.script());
    }

    /// Functions that were defined but not called may still run, from a trap or another program.
    fn uncalled(&mut self) {
        let functions = Rc::clone(self.state.frames.functions());
        for (name, body) in functions.iter() {
            if !self.functions.was_called(name) {
                self.deeper(Depth::Inner, |inner| drop(inner.command(body, &Stream::None)));
            }
        }
    }
}

/// Whether a stage of a pipeline shows the lines it reads and opens none of the files they name.
fn only_shows(stage: &Command) -> bool {
    let Node::Simple(simple) = &stage.node else { return false };
    let name = simple.words.first().and_then(Word::literal);
    name.is_some_and(|name| COMMAND_WORDS.shells.viewers.has(&name))
}
