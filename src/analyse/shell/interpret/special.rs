//! Programs with rules of their own: shells, `env`, `xargs`, `echo`, `printf`, `mktemp`, `make`, interpreters fed by a pipe.
use super::interpreter::Interpreter;
use crate::analyse::shell::programs::{
    COMMAND_WORDS, EnvStep, Program, ReadArguments, Special, Use, WordRole, env_steps, mark_of_xargs, read_arguments, replace,
};
use crate::analyse::shell::values::{Field, Stream, Unknown};
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Runs a program with rules of its own; nothing if the table's roles are enough.
    pub(super) fn special(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Option<Stream> {
        let consumed = self.consumed;
        let computed = Stream::Unknown(Unknown::Computed);
        Some(match program.special? {
            Special::Shell => self.shell(program, name, arguments, input),
            Special::Env => self.env(arguments, input),
            Special::Xargs => self.xargs(program, arguments, input),
            Special::Joined => self.joined(program, arguments, input),
            Special::Make => self.make_targets(program, name, arguments, input),
            Special::Temporary => self.temporary(program, arguments),
            Special::Printf => self.printf(arguments),
            Special::Gate => self.own_gate(program, name, arguments, input),
            Special::Echo => self.act(input, |acts| acts.echo(arguments)),
            Special::NamePart => {
                let (read, _) = read_arguments(program, arguments);
                let here = self.state.frames.here().map(str::to_owned);
                self.act(input, |acts| acts.name_part(name, &read, here.as_deref()))
            }
            Special::Find => {
                self.act(input, |acts| acts.find(arguments, consumed));
                Stream::Unknown(Unknown::Inside)
            }
            Special::Tar => {
                self.act(input, |acts| acts.tar(program, arguments));
                computed
            }
            Special::Test => {
                self.act(input, |acts| acts.test(arguments));
                Stream::None
            }
            Special::Link => {
                let (read, _) = read_arguments(program, arguments);
                self.act(input, |acts| acts.link(&read));
                Stream::None
            }
            Special::PipedCode => {
                let (read, _) = read_arguments(program, arguments);
                self.act(input, |acts| acts.interpreter(program, name, &read, input));
                computed
            }
            Special::WindowsShell => {
                self.windows_shell(name, arguments);
                computed
            }
            Special::Seq => Stream::Unknown(Unknown::Token),
            Special::GitConfig => return None,
        })
    }

    /// `sh -c text`, `sh script`, `… | sh`.
    fn shell(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = read_arguments(program, arguments);
        self.act(&Stream::None, |acts| {
            read.words.iter().filter(|(_, role)| *role != WordRole::Exists).for_each(|(field, role)| acts.apply(field, *role, name));
        });
        let from_text = read.options.iter().any(|option| option == "-c" || option == "--command");
        match read.command.split_first() {
            Some((text, rest)) if from_text => self.nested_shells(text, rest, input),
            Some((script, rest)) => {
                if script.text != "-" {
                    self.script_operand(script, rest, name);
                }
                Stream::Unknown(Unknown::Computed)
            }
            None => self.piped_shell(input),
        }
    }

    /// A shell for each possible value of the text.
    fn nested_shells(&mut self, text: &Field, rest: &[Field], input: &Stream) -> Stream {
        self.sink.note(text, "command");
        let others = rest.iter().take_while(|word| word.alternative).count();
        let (others, rest) = rest.split_at_checked(others).unwrap_or((&[], rest));
        let mut output = self.nested_shell(text, rest, input);
        for other in others {
            output = output.or(self.nested_shell(other, rest, input));
        }
        output
    }

    /// A shell of its own: `$0` and the parameters come from its operands; its changes stay inside.
    fn nested_shell(&mut self, text: &Field, rest: &[Field], input: &Stream) -> Stream {
        let before = self.state.clone();
        self.state.variables.enter_program();
        if let Some(zero) = rest.first() {
            self.state.variables.set("0", vec![zero.clone()]);
        }
        let output = self.shell_text(text, rest.get(1..).unwrap_or_default(), input);
        self.state.restore(&before);
        output
    }

    fn piped_shell(&mut self, input: &Stream) -> Stream {
        match input {
            Stream::Text(text) => {
                let before = self.state.clone();
                self.state.variables.enter_program();
                let output = self.text(text, &Stream::None);
                self.state = before;
                output
            }
            Stream::Unknown(_) => {
                self.sink.unparsed_line("a shell runs text that is computed");
                Stream::Unknown(Unknown::Computed)
            }
            Stream::None => Stream::None,
        }
    }

    fn env(&mut self, arguments: &[Field], input: &Stream) -> Stream {
        let before = self.state.clone();
        let mut output = Stream::Unknown(Unknown::Computed);
        for step in env_steps(arguments) {
            match step {
                EnvStep::Enter(directory) => self.enter(&[directory]),
                EnvStep::Set(name, value) => {
                    self.meaning(&name, std::slice::from_ref(&value));
                    self.state.variables.set(&name, vec![value]);
                    self.state.variables.export(&name);
                }
                EnvStep::Split(line) => output = self.shell_text(&line, &[], input),
                EnvStep::Run(words) => output = self.run(&words, input),
            }
        }
        self.state.restore(&before);
        output
    }

    /// The words of the input become arguments.
    fn xargs(&mut self, program: &Program, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = read_arguments(program, arguments);
        self.words_of("xargs", &read);
        let from_file = read.has(["-a", "--arg-file"]);
        let words = match input {
            _ if from_file => vec![Field::unknown(Unknown::Computed)],
            Stream::Text(text) => {
                text.split(['\0', '\n', ' ', '\t']).filter(|word| !word.is_empty()).take(4096).map(Field::known).collect()
            }
            Stream::Unknown(unknown) => vec![Field::unknown(unknown.clone())],
            Stream::None => Vec::new(),
        };
        let command: Vec<Field> = if read.command.is_empty() { vec![Field::known("echo")] } else { read.command.clone() };
        match mark_of_xargs(arguments) {
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

    /// Words with their roles, in the order they stand in.
    fn words_of(&mut self, name: &str, read: &ReadArguments) {
        self.act(&Stream::None, |acts| read.words.iter().for_each(|(field, role)| acts.apply(field, *role, name)));
    }

    /// Programs that hand their words, joined, to a shell; what follows `:::` are operands of that.
    fn joined(&mut self, program: &Program, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = read_arguments(program, arguments);
        self.words_of("watch", &read);
        let end = read.command.iter().position(|field| field.text.starts_with(":::")).unwrap_or(read.command.len());
        let (command, operands) = read.command.split_at_checked(end).unwrap_or((&read.command, &[]));
        let mut line = Field { span: command.first().and_then(|field| field.span), ..Field::default() };
        for field in command.iter().chain(operands.iter().filter(|field| !field.text.starts_with(":::"))) {
            line.push_field(field);
            line.push_quoted(" ");
        }
        if let Stream::Unknown(unknown) = input {
            line.push_unknown(unknown.clone());
        } else if let Stream::Text(text) = input {
            line.push_quoted(&text.replace('\n', " "));
        }
        self.shell_text(&line, &[], &Stream::None)
    }

    /// `mktemp` makes a file whose name it writes.
    fn temporary(&mut self, program: &Program, arguments: &[Field]) -> Stream {
        let (read, _) = read_arguments(program, arguments);
        self.apply_all(&read, "mktemp");
        let named = read.words.iter().find(|(_, role)| *role == WordRole::Write).map(|(field, _)| field.clone());
        if named.is_none() && self.sink.in_script() {
            // A new file of its own, which nothing else had a name for.
            return Stream::Unknown(Unknown::Computed);
        }
        let file = named.unwrap_or_else(|| {
            let mut file = self.first_value("TMPDIR").unwrap_or_else(|| Field::known("/tmp"));
            file.push_quoted("/tmp.XXXXXXXXXX");
            file
        });
        self.path(&file, &Use::new(Direction::Write, "temporary file of `mktemp`"));
        Stream::of(&[file], "", "\n")
    }

    fn printf(&mut self, arguments: &[Field]) -> Stream {
        let (output, variable) = self.act(&Stream::None, |acts| acts.printf(arguments));
        let Some(variable) = variable else { return output };
        self.state.variables.set(&variable, vec![output.field()]);
        Stream::None
    }

    /// `make` runs what its file says; that is followed if this command line wrote it.
    fn make_targets(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let output = self.by_table(program, name, arguments, input);
        for file in COMMAND_WORDS.shells.rules.iter() {
            let Some(text) = self.state.written_text(file) else { continue };
            for line in text.lines().filter(|line| line.starts_with(['\t', ' '])) {
                self.text(line.trim_start().trim_start_matches(['@', '-', '+']), &Stream::None);
            }
        }
        output
    }

    /// The gate's own command: whether that may be started, the files it is given, and behind `--` a server that it starts.
    fn own_gate(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let end = arguments.iter().position(|field| field.literal() == Some("--")).unwrap_or(arguments.len());
        let (own, server) = arguments.split_at_checked(end).unwrap_or((arguments, &[]));
        self.act(&Stream::None, |acts| acts.own_command(own));
        self.by_table(program, name, own, input);
        if let Some(server) = server.get(1..) {
            self.run(server, &Stream::Unknown(Unknown::Computed));
        }
        Stream::Unknown(Unknown::Computed)
    }
}
