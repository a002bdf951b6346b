//! Commands that change the shell itself: directories, variables, what runs next.
use std::rc::Rc;

use super::interpreter::Interpreter;
use super::script::Start;
use super::state::State;
use crate::analyse::shell::programs::Use;
use crate::analyse::shell::values::{Field, MARK, Stream, Unknown};
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Runs a builtin; nothing if `name` is none.
    pub(super) fn builtin(&mut self, name: &str, first: &Field, arguments: &[Field], input: &Stream) -> Option<Stream> {
        match name {
            "cd" | "chdir" | "pushd" | "popd" => self.change(name, first, arguments),
            "eval" => return Some(self.eval(arguments, input)),
            "source" | "." => self.source_file(arguments, input),
            "local" if !self.sink.limits().in_call() => {}
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(name, arguments),
            "alias" => self.alias(arguments),
            "unset" => self.unset(arguments),
            "set" => self.set_options(arguments),
            "shift" => {
                let count = arguments.first().and_then(|field| field.text.parse().ok()).unwrap_or(1);
                self.state.frames.shift(count);
            }
            "read" | "mapfile" | "readarray" => self.read_into(name, arguments, input),
            "getopts" => self.set_all(arguments.get(1..2).unwrap_or_default(), &Unknown::Token),
            "exec" => return Some(self.exec(arguments, input)),
            "builtin" | "command" if !arguments.first().is_some_and(|field| matches!(field.text.as_str(), "-v" | "-V")) => {
                let skip = usize::from(arguments.first().is_some_and(|field| field.text == "-p"));
                return Some(self.run(arguments.get(skip..).unwrap_or_default(), input));
            }
            "command" => return Some(Stream::Unknown(Unknown::Token)),
            "exit" | "return" | "logout" => self.state.frames.end(),
            "trap" => {
                if let Some(action) = arguments.iter().find(|field| field.text != "--" && !field.text.starts_with('-')) {
                    self.shell_text(action, &[], input);
                }
            }
            "pwd" => {
                return Some(Stream::of(&[self.first_value("PWD").unwrap_or_default()], "", "\n"));
            }
            _ => return None,
        }
        Some(Stream::None)
    }

    fn change(&mut self, name: &str, first: &Field, arguments: &[Field]) {
        let targets: Vec<&Field> = arguments.iter().filter(|field| field.text == "-" || !field.text.starts_with('-')).collect();
        if self.state.variables.get("CDPATH").is_some_and(|values| values.iter().flatten().any(|field| !field.text.is_empty())) {
            self.sink.unparsed(first, "`CDPATH` decides where `cd` goes");
        }
        let before = self.state.clone();
        if name == "pushd" {
            self.state.frames.push();
        }
        match (name, targets.first().map(|field| field.text.as_str())) {
            ("popd", _) => {
                if !self.state.frames.pop() {
                    self.sink.unparsed(first, "`popd` goes to a directory that is not known");
                }
            }
            ("pushd", Some(text)) if text.starts_with('+') => self.sink.unparsed(first, "`pushd` goes to a directory that is not known"),
            (_, Some("-")) => self.change_back(first),
            (_, None) => {
                let home = self.first_value("HOME");
                let home = home.unwrap_or_else(|| Field::unknown(Unknown::Environment("HOME".to_owned())));
                self.enter(&[Field { span: first.span, ..home }]);
            }
            _ => {
                let targets: Vec<Field> = targets.into_iter().cloned().collect();
                self.enter(&targets);
            }
        }
        self.after_change(before);
    }

    fn change_back(&mut self, first: &Field) {
        if !self.state.frames.previous().is_empty() {
            let previous = self.state.frames.previous().to_vec();
            return self.state.frames.go(previous);
        }
        match self.first_value("OLDPWD") {
            Some(field) => self.enter(&[Field { span: first.span, ..field }]),
            None => self.sink.unparsed(first, "`cd -` goes to a directory that is not known"),
        }
    }

    /// If the command fails, the shell stays; and it comes back with `cd -`.
    fn after_change(&mut self, mut before: State) {
        self.state.frames.left(&before.frames);
        let first = self.state.frames.directories().first();
        let entered = first.filter(|directory| !directory.pattern).map(|directory| directory.path.clone());
        let Some(entered) = entered else { return };
        if self.state.files.is_made(path_clean::clean(&entered).to_string_lossy().as_ref()) {
            return;
        }
        before.frames.stays_unless(&entered);
        self.failed = Some(before);
    }

    fn eval(&mut self, arguments: &[Field], input: &Stream) -> Stream {
        let mut joined = Field { span: arguments.first().and_then(|field| field.span), ..Field::default() };
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                joined.push_quoted(" ");
            }
            joined.push_field(argument);
        }
        let positional = Rc::clone(self.state.frames.positional());
        self.shell_text(&joined, &positional, input)
    }

    fn source_file(&mut self, arguments: &[Field], input: &Stream) {
        let Some(file) = arguments.first() else { return };
        if file.text.starts_with("/dev/") && file.text != "/dev/null" {
            return match (file.text.as_str(), input) {
                ("/dev/stdin", Stream::Text(text)) => drop(self.text(text, &Stream::None)),
                _ => self.sink.unparsed(file, "the shell runs text that is computed"),
            };
        }
        self.sink.note(file, "script that is run");
        self.path(file, &Use::new(Direction::Read, "script that is run"));
        self.run_script(file, arguments.get(1..).unwrap_or_default(), Start::Sourced);
    }

    fn read_into(&mut self, name: &str, arguments: &[Field], input: &Stream) {
        let names: Vec<Field> = {
            let mut names = Vec::new();
            let mut rest = arguments.iter();
            while let Some(argument) = rest.next() {
                match argument.text.as_str() {
                    "-a" => names.extend(rest.next().cloned()),
                    "-p" | "-d" | "-n" | "-N" | "-t" | "-u" | "-i" | "-c" | "-C" | "-O" | "-s"
                        if name != "read" || argument.text != "-s" =>
                    {
                        rest.next();
                    }
                    text if text.starts_with('-') => {}
                    _ => names.push(argument.clone()),
                }
            }
            names
        };
        match input {
            Stream::Text(text) => {
                let words: Vec<Field> = text.split_whitespace().take(256).map(Field::known).collect();
                for target in &names {
                    let line = Field::known(text.trim_end_matches('\n'));
                    let values = std::iter::once(line).chain(words.iter().cloned()).take(16).map(|field| vec![field]).collect();
                    self.state.variables.set_values(&target.text, values);
                }
            }
            Stream::Unknown(unknown) => self.set_all(&names, unknown),
            Stream::None => self.set_all(&names, &Unknown::Computed),
        }
    }

    fn set_all(&mut self, names: &[Field], unknown: &Unknown) {
        for name in names {
            self.state.variables.set(&name.text, vec![Field::unknown(unknown.clone())]);
        }
    }

    fn exec(&mut self, arguments: &[Field], input: &Stream) -> Stream {
        let mut rest = arguments;
        while let Some(option) = rest.first().filter(|field| field.text.starts_with('-')) {
            let used = if option.text.ends_with('a') { 2 } else { 1 };
            rest = rest.get(used..).unwrap_or_default();
        }
        if rest.is_empty() {
            return Stream::None;
        }
        let output = self.run(rest, input);
        self.state.frames.end();
        output
    }

    /// The text of a command line in which only harmless parts are not known; each of those becomes a variable of its own.
    fn runnable(&mut self, field: &Field) -> Option<String> {
        if field.worst() == Some(Unknown::Computed) {
            return None;
        }
        let mut text = String::new();
        let mut unknowns = field.unknowns.clone().into_iter();
        for (at, part) in field.text.split(MARK).enumerate() {
            if at > 0 {
                let name = self.state.variables.free_name();
                self.state.variables.set(&name, vec![Field::unknown(unknowns.next()?)]);
                text.push_str(&format!("${{{name}}}"));
            }
            text.push_str(part);
        }
        Some(text)
    }

    /// Runs a word as a command line, with positional parameters after it.
    pub(super) fn shell_text(&mut self, field: &Field, positional: &[Field], input: &Stream) -> Stream {
        let Some(text) = self.runnable(field) else {
            self.sink.unparsed(field, "a command is computed when it runs");
            return Stream::Unknown(Unknown::Computed);
        };
        let before = self.state.frames.set_positional(Rc::new(positional.to_vec()));
        let output = self.text(&text, input);
        self.state.frames.set_positional(before);
        output
    }
}
