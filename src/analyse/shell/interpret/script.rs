//! Script files that a command line runs: their text is followed like the line itself, in a state and with a budget of its own.
//!
//! A script that lies in the project is the user's, so what cannot be followed in it is not asked about: loops, functions and computed
//! names are everyday there. What it does name for certain counts as if the command line named it.
use std::rc::Rc;
use std::sync::Arc;

use super::interpreter::Interpreter;
use super::limits::{DEEPEST_TEXT, Depth};
use super::sink::ScriptPlace;
use crate::analyse::shell::grammar::leading;
use crate::analyse::shell::programs::{COMMAND_WORDS, Use};
use crate::analyse::shell::values::{Field, Stream};
use crate::policy::Direction;

/// How a script file comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// `./x`: its first line says what reads it.
    Itself,
    /// `sh x`.
    Shell,
    /// `. x`: it changes the shell that reads it.
    Sourced,
}

impl Interpreter<'_> {
    /// A script file that a shell runs.
    pub(super) fn script_operand(&mut self, script: &Field, rest: &[Field], name: &str) {
        self.sink.note(script, "script that is run");
        if script.text.starts_with("/dev/fd/") {
            return self.sink.unparsed(script, "a program runs text that is computed");
        }
        self.path(script, &Use::new(Direction::Read, format!("script run by `{name}`")));
        self.run_script(script, rest, Start::Shell);
        self.guess_all(rest);
    }

    /// Walks the text of a script file: one that this command line wrote, or one that lies in the project.
    pub(super) fn run_script(&mut self, script: &Field, arguments: &[Field], start: Start) {
        let Some(name) = script.literal() else { return };
        let written = self.state.written_text(name);
        let texts = if written.is_none() { self.texts_at(name) } else { Vec::new() };
        let before = self.state.clone();
        if start != Start::Sourced {
            self.state.variables.enter_program();
            self.state.variables.set("0", vec![script.clone()]);
        }
        self.state.variables.set("BASH_SOURCE", vec![script.clone()]);
        if start != Start::Sourced || !arguments.is_empty() {
            self.state.frames.set_positional(Rc::new(arguments.to_vec()));
        }
        if let Some(text) = written {
            self.text(&text, &Stream::None);
        }
        for text in texts.iter().filter(|text| start != Start::Itself || is_shell_script(text)) {
            self.follow_script(name, text);
        }
        if start == Start::Sourced {
            self.state.frames.set_positional(Rc::clone(before.frames.positional()));
            self.state.frames.revive();
        } else {
            self.state.restore(&before);
        }
    }

    /// The texts of the file `name` in each directory the command may run in; what was not looked at yet is asked for.
    pub(super) fn texts_at(&mut self, name: &str) -> Vec<Arc<str>> {
        let mut texts = Vec::new();
        let directories: Vec<String> =
            self.state.frames.directories().iter().filter(|one| !one.pattern).map(|one| one.path.clone()).collect();
        for directory in directories {
            let path = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", directory.trim_end_matches('/')) };
            match self.sink.at().scripts.get(&path) {
                Some(text) => texts.extend(text),
                None => self.sink.want_script(path),
            }
        }
        texts.dedup();
        texts
    }

    /// Walks the text of the script `name`. A shell runs a script line by line, so what stands before a fault in it has run.
    fn follow_script(&mut self, name: &str, text: &str) {
        let place = self.sink.place_of_script(name, text);
        self.inside(place, |inside| {
            if inside.sink.spend(1 + text.len() / 16) || inside.sink.limits().nested() >= DEEPEST_TEXT {
                return;
            }
            inside.deeper(Depth::Text, |inner| {
                let script = leading(text, inner.sink.limits().nested());
                inner.script(&script, &Stream::None);
            });
        });
    }

    /// Does something as a part of a script.
    pub(super) fn inside<R>(&mut self, place: ScriptPlace, run: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.sink.go_to_script(Some(place));
        let result = run(self);
        self.sink.go_to_script(outer);
        result
    }
}

/// Whether a file that is started by its own name is read by a shell: its first line says so, or says nothing.
fn is_shell_script(text: &str) -> bool {
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else { return true };
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
    program.is_some_and(|program| COMMAND_WORDS.shells.readers.has(program))
}
