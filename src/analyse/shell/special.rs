//! Programs whose arguments have rules of their own: shells, `env`, `xargs`, `echo`, `printf`, `ln`, `make`, interpreters fed by a pipe.
use super::arguments::Arguments;
use super::emit::Use;
use super::field::{Field, HOLE, Unknown};
use super::interpreter::Interpreter;
use super::programs::{Program, Role, Special};
use super::stream::Stream;
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Runs a program with rules of its own; nothing if the table's roles are enough.
    pub(super) fn special(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Option<Stream> {
        Some(match program.special? {
            Special::Shell => self.shell(program, name, arguments, input),
            Special::Env => self.env(arguments, input),
            Special::Xargs => self.xargs(program, arguments, input),
            Special::Find => self.find(arguments, input),
            Special::Tar => self.tar(program, arguments, input),
            Special::Test => self.test_fields(arguments),
            Special::Echo => self.echo(arguments),
            Special::Printf => self.printf(arguments),
            Special::Link => self.link(program, arguments),
            Special::PipedCode => self.interpreter(program, name, arguments, input),
            Special::Make => self.make_targets(program, name, arguments, input),
            Special::Joined => self.joined(program, arguments, input),
            Special::WindowsShell => {
                self.windows_shell(name, arguments);
                Stream::Unknown(Unknown::Computed)
            }
            Special::Temporary => self.temporary(program, arguments),
            Special::NamePart => self.name_part(program, name, arguments),
            Special::Seq => Stream::Unknown(Unknown::Token),
            Special::Gate => self.own_gate(program, name, arguments, input),
            Special::GitConfig => return None,
        })
    }

    /// Rules of a subcommand, beside its roles.
    pub(super) fn special_sub(&mut self, program: &Program, read: &Arguments) {
        if program.special == Some(Special::GitConfig) {
            self.git_config(read);
        }
    }

    /// `sh -c text`, `sh script`, `… | sh`.
    fn shell(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        for (field, role) in read.words.iter().filter(|(_, role)| !matches!(role, Role::Exists)) {
            self.apply(field, *role, name);
        }
        let operands: &[Field] = &read.command;
        let from_text = read.options.iter().any(|option| option == "-c" || option == "--command");
        match operands.split_first() {
            Some((text, rest)) if from_text => {
                self.note(text, "command");
                let others = rest.iter().take_while(|word| word.alternative).count();
                let (others, rest) = rest.split_at_checked(others).unwrap_or((&[], rest));
                let mut output = self.nested_shell(text, rest, input);
                for other in others {
                    output = output.or(self.nested_shell(other, rest, input));
                }
                output
            }
            Some((script, rest)) => {
                if script.text != "-" {
                    self.script_operand(script, rest, name);
                }
                Stream::Unknown(Unknown::Computed)
            }
            None => self.piped_shell(input),
        }
    }

    /// A shell of its own: `$0` and the parameters come from its operands; its changes stay inside.
    fn nested_shell(&mut self, text: &Field, rest: &[Field], input: &Stream) -> Stream {
        let before = self.state.clone();
        self.state.enter_program();
        if let Some(zero) = rest.first() {
            self.state.set("0", vec![zero.clone()]);
        }
        let output = self.shell_text(text, rest.get(1..).unwrap_or_default(), input);
        let (written, made) = (self.state.written.clone(), self.state.made.clone());
        self.state = super::state::State { written, made, ..before };
        output
    }

    fn piped_shell(&mut self, input: &Stream) -> Stream {
        match input {
            Stream::Text(text) => {
                let text = text.clone();
                let before = self.state.clone();
                self.state.enter_program();
                let output = self.text(&text, &Stream::None);
                self.state = before;
                output
            }
            Stream::Unknown(_) => {
                self.unparsed_text(self.source, "a shell runs text that is computed");
                Stream::Unknown(Unknown::Computed)
            }
            Stream::None => Stream::None,
        }
    }

    fn env(&mut self, arguments: &[Field], input: &Stream) -> Stream {
        let before = self.state.clone();
        let mut rest = arguments;
        let mut output = Stream::Unknown(Unknown::Computed);
        while let Some((first, after)) = rest.split_first() {
            let text = first.text.as_str();
            if let Some(value) = option_value(first, after, "-S", "--split-string") {
                let mut line = value.0;
                for field in after.get(value.1..).unwrap_or_default() {
                    line.push_quoted(" ");
                    line.push_field(field);
                }
                output = self.shell_text(&line, &[], input);
                break;
            }
            if let Some((value, used)) = option_value(first, after, "-C", "--chdir") {
                self.enter(&[value]);
                rest = after.get(used..).unwrap_or_default();
            } else if let Some((_, used)) = option_value(first, after, "-u", "--unset") {
                rest = after.get(used..).unwrap_or_default();
            } else if text.starts_with('-') {
                rest = after;
            } else if let Some((name, value)) = first.split_once('=').filter(|(name, _)| !name.text.contains('/')) {
                self.meaning(&name.text, std::slice::from_ref(&value));
                self.state.set(&name.text, vec![value]);
                self.state.export(&name.text);
                rest = after;
            } else {
                output = self.run(rest, input);
                break;
            }
        }
        let (written, made) = (self.state.written.clone(), self.state.made.clone());
        self.state = super::state::State { written, made, ..before };
        output
    }

    /// The words of the input become arguments.
    fn xargs(&mut self, program: &Program, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        for (field, role) in &read.words {
            self.apply(field, *role, "xargs");
        }
        let from_file = read.has("-a --arg-file");
        let words = match input {
            _ if from_file => vec![Field::unknown(Unknown::Computed)],
            Stream::Text(text) => {
                text.split(['\0', '\n', ' ', '\t']).filter(|word| !word.is_empty()).take(4096).map(Field::known).collect()
            }
            Stream::Unknown(hole) => vec![Field::unknown(hole.clone())],
            Stream::None => Vec::new(),
        };
        let command: Vec<Field> = if read.command.is_empty() { vec![Field::known("echo")] } else { read.command.clone() };
        match replacement(arguments) {
            Some(mark) => {
                let mut output = Stream::None;
                for word in words.iter().take(64) {
                    let replaced: Vec<Field> = command.iter().map(|field| replace(field, &mark, word)).collect();
                    output = output.then(self.run(&replaced, &Stream::None));
                }
                output
            }
            None => self.run(&[command, words].concat(), &Stream::None),
        }
    }

    /// Programs that hand their words, joined, to a shell; what follows `:::` are operands of that.
    fn joined(&mut self, program: &Program, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        for (field, role) in &read.words {
            self.apply(field, *role, "watch");
        }
        let end = read.command.iter().position(|field| field.text.starts_with(":::")).unwrap_or(read.command.len());
        let (command, operands) = read.command.split_at_checked(end).unwrap_or((&read.command, &[]));
        let mut line = Field { span: command.first().and_then(|field| field.span), ..Field::default() };
        for field in command.iter().chain(operands.iter().filter(|field| !field.text.starts_with(":::"))) {
            line.push_field(field);
            line.push_quoted(" ");
        }
        if let Stream::Unknown(hole) = input {
            line.push_hole(hole.clone());
        } else if let Stream::Text(text) = input {
            line.push_quoted(&text.replace('\n', " "));
        }
        self.shell_text(&line, &[], &Stream::None)
    }

    /// `mktemp` makes a file whose name it writes.
    fn temporary(&mut self, program: &Program, arguments: &[Field]) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        self.apply_all(&read, "mktemp");
        let named = read.words.iter().find(|(_, role)| *role == Role::Write).map(|(field, _)| field.clone());
        if named.is_none() && self.within.is_some() {
            // A new file of its own, which nothing else had a name for.
            return Stream::Unknown(Unknown::Computed);
        }
        let file = named.unwrap_or_else(|| {
            let directory = self.named("TMPDIR").and_then(|values| values.first()?.first().cloned());
            let mut file = directory.unwrap_or_else(|| Field::known("/tmp"));
            file.push_quoted("/tmp.XXXXXXXXXX");
            file
        });
        self.path(&file, Use::new(Direction::Write, "temporary file of `mktemp`"));
        Stream::of(&[file], "", "\n")
    }

    /// `ln -s target link`: a relative target is read from where the link stands.
    fn link(&mut self, program: &Program, arguments: &[Field]) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        let symbolic = read.has("-s --symbolic") && !read.has("-r --relative");
        let (Some(last), true) = (read.operands.last().filter(|_| read.operands.len() > 1), symbolic) else {
            self.apply_all(&read, "ln");
            return Stream::None;
        };
        let directory = last.text.rsplit_once('/').map(|(directory, _)| directory.len() + 1);
        for (field, role) in &read.words {
            let relative = *role == Role::Read && !field.text.starts_with(['/', '~', HOLE]);
            match directory {
                Some(length) if relative => {
                    let mut target = last.before(length);
                    target.push_field(field);
                    target.span = field.span;
                    self.apply(&target, *role, "ln");
                }
                _ => self.apply(field, *role, "ln"),
            }
        }
        Stream::None
    }

    /// `make` runs what its file says; that is followed if this command line wrote it.
    fn make_targets(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let output = self.by_table(program, name, arguments, input);
        for file in ["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "package.json", "build.rs", "Taskfile.yml"] {
            let Some(text) = self.written_text(file) else { continue };
            for line in text.lines().filter(|line| line.starts_with(['\t', ' '])) {
                self.text(line.trim_start().trim_start_matches(['@', '-', '+']), &Stream::None);
            }
        }
        output
    }
}

/// The value of an option, attached or the next word, and how many further words it took.
fn option_value(first: &Field, after: &[Field], short: &str, long: &str) -> Option<(Field, usize)> {
    if first.text == short || first.text == long {
        return after.first().map(|value| (value.clone(), 1));
    }
    if first.text.starts_with(long) && first.text.get(long.len()..).is_some_and(|rest| rest.starts_with('=')) {
        return Some((first.skip(long.len() + 1), 0));
    }
    let glued = first.text.starts_with(short) && !first.text.starts_with("--");
    glued.then(|| (first.skip(short.len()), 0))
}

/// The mark that `xargs -I` replaces.
fn replacement(arguments: &[Field]) -> Option<String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        match text {
            "-I" => return rest.next().map(|mark| mark.text.clone()),
            "-i" | "--replace" => return Some("{}".to_owned()),
            _ if text.starts_with("-I") => return text.get(2..).map(str::to_owned),
            _ if text.starts_with("--replace=") => return text.get(10..).map(str::to_owned),
            _ if text.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}

/// The field with every `mark` replaced by `word`.
pub(super) fn replace(field: &Field, mark: &str, word: &Field) -> Field {
    if mark.is_empty() || !field.text.contains(mark) {
        return field.clone();
    }
    let mut replaced = Field { span: field.span, ..Field::default() };
    let mut holes = field.holes.iter();
    for (at, part) in field.text.split(mark).enumerate() {
        if at > 0 {
            replaced.push_field(word);
        }
        for (at, run) in part.split(HOLE).enumerate() {
            if at > 0 {
                replaced.push_hole(holes.next().cloned().unwrap_or(Unknown::Computed));
            }
            replaced.push_quoted(run);
        }
    }
    replaced
}
