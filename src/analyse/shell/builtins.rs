//! Commands that change the shell itself: directories, variables, what runs next.
use std::rc::Rc;

use super::emit::Use;
use super::field::{Field, Unknown};
use super::interpreter::Interpreter;
use super::script::Start;
use super::state::Directory;
use super::stream::Stream;
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Runs a builtin; nothing if `name` is none.
    pub(super) fn builtin(&mut self, name: &str, first: &Field, arguments: &[Field], input: &Stream) -> Option<Stream> {
        match name {
            "cd" | "chdir" | "pushd" | "popd" => self.change(name, first, arguments),
            "eval" => return Some(self.eval(arguments, input)),
            "source" | "." => self.source_file(arguments, input),
            "local" if self.calls == 0 => {}
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(name, arguments),
            "alias" => self.alias(arguments),
            "unset" => self.unset(arguments),
            "set" => self.set_options(arguments),
            "shift" => {
                let count = arguments.first().and_then(|field| field.text.parse().ok()).unwrap_or(1);
                self.state.positional = Rc::new(self.state.positional.iter().skip(count).cloned().collect());
            }
            "read" | "mapfile" | "readarray" => self.read_into(name, arguments, input),
            "getopts" => self.set_all(arguments.get(1..2).unwrap_or_default(), &Unknown::Token),
            "exec" => return Some(self.exec(arguments, input)),
            "builtin" | "command" if !arguments.first().is_some_and(|field| matches!(field.text.as_str(), "-v" | "-V")) => {
                let skip = usize::from(arguments.first().is_some_and(|field| field.text == "-p"));
                return Some(self.run(arguments.get(skip..).unwrap_or_default(), input));
            }
            "command" => return Some(Stream::Unknown(Unknown::Token)),
            "exit" | "return" | "logout" => self.state.dead = true,
            "trap" => {
                if let Some(action) = arguments.iter().find(|field| field.text != "--" && !field.text.starts_with('-')) {
                    self.shell_text(action, &[], input);
                }
            }
            "pwd" => {
                return Some(Stream::of(
                    &[self.named("PWD").and_then(|values| values.first()?.first().cloned()).unwrap_or_default()],
                    "",
                    "\n",
                ));
            }
            _ => return None,
        }
        Some(Stream::None)
    }

    fn change(&mut self, name: &str, first: &Field, arguments: &[Field]) {
        let targets: Vec<&Field> = arguments.iter().filter(|field| field.text == "-" || !field.text.starts_with('-')).collect();
        if self.state.variables.get("CDPATH").is_some_and(|values| values.iter().flatten().any(|field| !field.text.is_empty())) {
            self.unparsed(first, "`CDPATH` decides where `cd` goes");
        }
        let before = self.state.clone();
        if name == "pushd" {
            self.state.stack.push(before.directories.clone());
        }
        match (name, targets.first().map(|field| field.text.as_str())) {
            ("popd", _) => match self.state.stack.pop() {
                Some(directories) => self.state.directories = directories,
                None => self.unparsed(first, "`popd` goes to a directory that is not known"),
            },
            ("pushd", Some(text)) if text.starts_with('+') => self.unparsed(first, "`pushd` goes to a directory that is not known"),
            (_, Some("-")) => self.change_back(first),
            (_, None) => {
                let home = self.named("HOME").and_then(|values| values.first()?.first().cloned());
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
        if self.state.previous.is_empty() {
            match self.named("OLDPWD").and_then(|values| values.first()?.first().cloned()) {
                Some(field) => self.enter(&[Field { span: first.span, ..field }]),
                None => self.unparsed(first, "`cd -` goes to a directory that is not known"),
            }
        } else {
            self.state.directories = self.state.previous.clone();
        }
    }

    /// If the command fails, the shell stays; and it comes back with `cd -`.
    fn after_change(&mut self, mut before: super::state::State) {
        self.state.previous = before.directories.clone();
        let first = self.state.directories.first();
        let entered = first.filter(|directory| !directory.pattern).map(|directory| directory.path.clone());
        let Some(entered) = entered else { return };
        if self.state.made.contains(&path_clean::clean(&entered).to_string_lossy().into_owned()) {
            return;
        }
        for directory in &mut before.directories {
            directory.unless.get_or_insert_with(|| entered.clone());
        }
        self.failed = Some(before);
    }

    /// Goes to a directory; several are possible ones. Every one is a mention.
    pub(super) fn enter(&mut self, targets: &[Field]) {
        let mut entered: Vec<Directory> = Vec::new();
        for target in targets {
            self.note(target, "directory that is entered");
            self.path(target, Use::new(Direction::Read, "directory that is entered"));
            let is_unknown =
                |hole: &Unknown| *hole == Unknown::Computed || self.within.is_some() && matches!(hole, Unknown::Environment(_));
            if target.holes.iter().any(is_unknown) || target.text.is_empty() {
                continue;
            }
            if self.is_absolute(&target.text) {
                entered.push(below(&Directory::at(String::new()), target, true));
            } else {
                entered.extend(self.state.directories.iter().map(|base| below(base, target, false)));
            }
        }
        if !entered.is_empty() {
            entered.dedup();
            self.state.directories = entered;
        } else if self.within.is_some() {
            // Nothing relative is certain from here on.
            self.state.directories.clear();
        }
    }

    fn eval(&mut self, arguments: &[Field], input: &Stream) -> Stream {
        let mut joined = Field { span: arguments.first().and_then(|field| field.span), ..Field::default() };
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                joined.push_quoted(" ");
            }
            joined.push_field(argument);
        }
        let positional = Rc::clone(&self.state.positional);
        self.shell_text(&joined, &positional, input)
    }

    fn source_file(&mut self, arguments: &[Field], input: &Stream) {
        let Some(file) = arguments.first() else { return };
        if file.text.starts_with("/dev/") && file.text != "/dev/null" {
            return match (file.text.as_str(), input) {
                ("/dev/stdin", Stream::Text(text)) => drop(self.text(text, &Stream::None)),
                _ => self.unparsed(file, "the shell runs text that is computed"),
            };
        }
        self.note(file, "script that is run");
        self.path(file, Use::new(Direction::Read, "script that is run"));
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
                    Rc::make_mut(&mut self.state.variables).insert(target.text.clone(), values);
                }
            }
            Stream::Unknown(hole) => self.set_all(&names, hole),
            Stream::None => self.set_all(&names, &Unknown::Computed),
        }
    }

    fn set_all(&mut self, names: &[Field], hole: &Unknown) {
        for name in names {
            self.state.set(&name.text, vec![Field::unknown(hole.clone())]);
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
        self.state.dead = true;
        output
    }

    /// The text of a command line in which only harmless parts are not known; each of those becomes a variable of its own.
    fn runnable(&mut self, field: &Field) -> Option<String> {
        if field.worst() == Some(Unknown::Computed) {
            return None;
        }
        let mut text = String::new();
        let mut holes = field.holes.clone().into_iter();
        for (at, part) in field.text.split(super::field::HOLE).enumerate() {
            if at > 0 {
                let name = format!("__part_{}", self.state.variables.len());
                self.state.set(&name, vec![Field::unknown(holes.next()?)]);
                text.push_str(&format!("${{{name}}}"));
            }
            text.push_str(part);
        }
        Some(text)
    }

    /// Runs a word as a command line, with positional parameters after it.
    pub(super) fn shell_text(&mut self, field: &Field, positional: &[Field], input: &Stream) -> Stream {
        let Some(text) = self.runnable(field) else {
            self.unparsed(field, "a command is computed when it runs");
            return Stream::Unknown(Unknown::Computed);
        };
        let before = std::mem::replace(&mut self.state.positional, Rc::new(positional.to_vec()));
        let output = self.text(&text, input);
        self.state.positional = before;
        output
    }
}

/// The directory that `target` names when it is read in `base`.
fn below(base: &Directory, target: &Field, absolute: bool) -> Directory {
    let filled = target.text.replace(super::field::HOLE, "*");
    let pattern = target.pattern.is_some() || !target.holes.is_empty() || base.pattern && !absolute;
    let tail = match (&target.pattern, pattern) {
        (Some(tail), _) => tail.replace(super::field::HOLE, "*"),
        (None, true) => filled,
        (None, false) => target.text.clone(),
    };
    if absolute || target.of_user {
        return Directory { path: tail, unless: None, pattern };
    }
    let own = if pattern && !base.pattern { super::field::escaped(&base.path) } else { base.path.clone() };
    Directory { path: format!("{}/{tail}", own.trim_end_matches('/')), unless: base.unless.clone(), pattern }
}
