//! A simple command: assignments, then a function, a builtin or a program.
use std::rc::Rc;

use super::interpreter::Interpreter;
use super::limits::Depth;
use super::places::is_deceptive;
use super::script::Start;
use super::variables::Values;
use crate::analyse::shell::grammar::{Assignment, Command, Simple, Value};
use crate::analyse::shell::programs::{TABLE, Use};
use crate::analyse::shell::values::{Field, Stream, Unknown};
use crate::policy::Direction;

/// Longest text that a variable is followed to by appending.
const LONGEST_VALUE: usize = 64 * 1024;

impl Interpreter<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, input: &Stream) -> Stream {
        let words: Vec<Field> = simple.words.iter().flat_map(|word| self.word(word)).collect();
        self.sink.at_line(words.first());
        let before = self.state.variables.clone();
        for assignment in &simple.assignments {
            self.assign(assignment);
            if !words.is_empty() {
                self.state.variables.export(&assignment.name);
            }
        }
        if words.is_empty() {
            return match input {
                // `$(< file)` gives what the file holds.
                Stream::Text(_) if simple.assignments.is_empty() => input.clone(),
                _ if simple.assignments.is_empty() => Stream::Unknown(Unknown::Computed),
                _ => Stream::None,
            };
        }
        let output = self.run(&words, input);
        if !simple.assignments.is_empty() {
            self.state.variables.restore(&before);
        }
        output
    }

    /// Sets a variable; a few names also say what runs.
    pub(super) fn assign(&mut self, assignment: &Assignment) {
        let mut fields = match &assignment.value {
            Value::Word(word) => self.word_unsplit(word),
            Value::Array(words) => words.iter().flat_map(|word| self.word(word)).collect(),
        };
        self.meaning(&assignment.name, &fields);
        let several = matches!(assignment.value, Value::Word(_));
        if assignment.append
            && let Some(before) = self.named(&assignment.name)
        {
            fields = appended(&before, &fields, several);
        }
        let values =
            if several { fields.into_iter().map(|field| vec![Field { alternative: false, ..field }]).collect() } else { vec![fields] };
        self.state.variables.set_values(&assignment.name, values);
    }

    /// A variable whose value is run or read by programs later on.
    pub(super) fn meaning(&mut self, name: &str, fields: &[Field]) {
        let lists = &TABLE.variables;
        if lists.commands.contains(&name) {
            for field in fields {
                match field.literal() {
                    Some(text) => drop(self.text(text.trim_start_matches(['|', '!']), &Stream::None)),
                    None => self.sink.unparsed(field, "a variable that names a program is computed"),
                }
            }
        }
        if lists.paths.contains(&name) {
            for field in fields {
                self.path(field, &Use::new(Direction::Read, "loaded through a variable"));
            }
        }
    }

    /// Runs a command of expanded words.
    pub(super) fn run(&mut self, words: &[Field], input: &Stream) -> Stream {
        let Some(first) = words.first() else { return Stream::None };
        if self.sink.spend(words.len()) {
            return Stream::Unknown(Unknown::Computed);
        }
        // Other possible values of the command word run too.
        let others = words.iter().skip(1).take_while(|word| word.alternative).count();
        let arguments = words.get(1 + others..).unwrap_or_default();
        let mut output = self.named_command(first, arguments, input);
        for other in words.iter().skip(1).take(others) {
            output = output.or(self.named_command(other, arguments, input));
        }
        output
    }

    fn named_command(&mut self, first: &Field, arguments: &[Field], input: &Stream) -> Stream {
        self.sink.note(first, "command");
        if first.text.is_empty() && first.unknowns.is_empty() {
            return Stream::None;
        }
        let Some(name) = first.literal() else {
            self.sink.unparsed(first, "the program is named by something computed");
            self.path(first, &Use::run());
            self.guess_all(arguments);
            return Stream::Unknown(Unknown::Computed);
        };
        if let Some(body) = self.state.frames.functions().get(name).cloned() {
            return self.call(name, &body, arguments, input);
        }
        if let Some(output) = self.builtin(name, first, arguments, input) {
            return output;
        }
        if name.contains('/') || name.starts_with('~') {
            self.path(first, &Use::run());
            self.run_script(first, arguments, Start::Itself);
        } else if name.contains(is_deceptive) {
            self.sink.unparsed(first, "the command word holds characters that cannot be seen or that look like a blank");
        }
        let short = name.rsplit('/').next().unwrap_or(name);
        self.program(short, arguments, input)
    }

    fn call(&mut self, name: &str, body: &Command, arguments: &[Field], input: &Stream) -> Stream {
        self.functions.call(name);
        if self.sink.limits().nested() > 24 || self.sink.spend(1) {
            self.sink.unparsed_text(name, "a function calls itself without an end that can be seen");
            return Stream::Unknown(Unknown::Computed);
        }
        let before = self.state.frames.set_positional(Rc::new(arguments.to_vec()));
        let script = self.functions.script_of(name);
        let output = self.deeper(Depth::Call, |inner| match script {
            Some(place) => inner.inside(place, |inside| inside.command(body, input)),
            None => inner.command(body, input),
        });
        self.state.frames.set_positional(before);
        self.state.frames.revive();
        output
    }
}

fn appended(before: &Values, fields: &[Field], several: bool) -> Vec<Field> {
    let mut all = Vec::new();
    for value in before.iter().take(16) {
        if !several {
            all.extend(value.iter().cloned());
            continue;
        }
        for field in fields {
            let mut joined = value.first().cloned().unwrap_or_default();
            if joined.text.len() + field.text.len() > LONGEST_VALUE {
                joined = Field::unknown(Unknown::Computed);
            } else {
                joined.push_field(field);
            }
            all.push(joined);
        }
    }
    if !several {
        all.extend(fields.iter().cloned());
    }
    all.truncate(256);
    all
}
