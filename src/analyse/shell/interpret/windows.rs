//! What `cmd.exe` and PowerShell share: paths with drives and backslashes, and running a command of read words.
use super::interpreter::Interpreter;
use crate::analyse::shell::programs::{COMMAND_WORDS, TABLE, Use, read_arguments};
use crate::analyse::shell::values::{Field, Stream};
use crate::policy::{Direction, Shell};

/// One command of a Windows shell: its words and the files its streams go to.
#[derive(Debug, Default)]
pub struct WindowsCommand {
    pub words: Vec<Field>,
    pub targets: Vec<(Field, Direction)>,
}

impl Interpreter<'_> {
    /// Runs one command of a Windows shell.
    pub(super) fn windows_line(&mut self, line: &WindowsCommand) {
        for (target, direction) in &line.targets {
            self.sink.note(target, "redirection");
            self.path(target, &Use::new(*direction, "redirection"));
        }
        let Some((first, arguments)) = line.words.split_first() else { return };
        if self.sink.spend(line.words.len()) {
            return;
        }
        self.sink.note(first, "command");
        let Some(name) = first.literal() else {
            self.sink.unparsed(first, "the program is named by something computed");
            return self.guess_all(arguments);
        };
        let lower = name.to_ascii_lowercase();
        if name.contains(['/', '\\']) {
            self.path(first, &Use::run());
        }
        let short = lower.rsplit(['/', '\\']).next().unwrap_or(&lower);
        let short = [".exe", ".cmd", ".bat", ".ps1"].iter().find_map(|suffix| short.strip_suffix(suffix)).unwrap_or(short);
        self.windows_command(short, first, arguments);
    }

    fn windows_command(&mut self, name: &str, first: &Field, arguments: &[Field]) {
        let switch = |flags: &[&str]| arguments.iter().position(|field| flags.iter().any(|flag| field.text.eq_ignore_ascii_case(flag)));
        match name {
            "cmd" => {
                // A POSIX shell that starts it may pass the switch with two slashes.
                if let Some(at) = switch(&["/c", "/k", "/r", "//c"]) {
                    self.cmd_text(&joined(arguments.get(at + 1..).unwrap_or_default()));
                }
            }
            "powershell" | "pwsh" => self.powershell_program(arguments),
            "invoke-expression" | "iex" => match arguments.first().and_then(Field::literal).map(str::to_owned) {
                Some(text) => self.powershell_text(&text),
                None => self.sink.unparsed(first, "a text that is computed is run"),
            },
            name if COMMAND_WORDS.windows.not_followed.has(name) => {
                self.sink.unparsed(first, "this command is not followed");
                self.guess_all(arguments);
            }
            name if COMMAND_WORDS.windows.before_commands.has(name) => {
                let rest = arguments.iter().skip_while(|field| field.text.starts_with('/') || field.text.is_empty());
                let rest: Vec<Field> = rest.cloned().collect();
                self.windows_line(&WindowsCommand { words: rest, targets: Vec::new() });
            }
            _ => self.windows_program(name, first, arguments),
        }
    }

    fn windows_program(&mut self, name: &str, first: &Field, arguments: &[Field]) {
        let table = if self.shell == Shell::PowerShell { TABLE.cmdlet(name) } else { TABLE.command(name) };
        let Some(program) = table else {
            if self.builtin(name, first, arguments, &Stream::None).is_none() {
                self.program(name, arguments, &Stream::None);
            }
            return;
        };
        let lowered: Vec<Field> = arguments.iter().map(|field| self.lowered(field)).filter(|field| !field.text.is_empty()).collect();
        let (read, _) = read_arguments(program, &lowered);
        self.apply_all(&read, name);
        if matches!(name, "cd" | "chdir" | "set-location" | "sl" | "pushd" | "push-location") {
            self.enter(&read.operands);
        }
    }

    /// Options of Windows shells have no case; switches such as `/q` are dropped.
    fn lowered(&self, field: &Field) -> Field {
        let option = field.text.starts_with('-');
        let switch = self.shell == Shell::Cmd && field.text.starts_with('/') && field.text.len() <= 3;
        match (switch, option) {
            (true, _) => Field::default(),
            (_, true) => {
                let end = field.text.find([':', '=']).unwrap_or(field.text.len());
                let (head, tail) = field.text.split_at_checked(end).unwrap_or((&field.text, ""));
                let tail = tail.replacen(':', "=", 1);
                Field { text: format!("{}{tail}", head.to_ascii_lowercase()), ..field.clone() }
            }
            _ => field.clone(),
        }
    }

    /// A Windows shell that another shell starts: what it runs is read by its own grammar.
    pub(super) fn windows_shell(&mut self, name: &str, arguments: &[Field]) {
        if name == "cmd" {
            self.windows_command("cmd", &Field::known(name), arguments);
        } else {
            self.powershell_program(arguments);
        }
    }

    fn powershell_program(&mut self, arguments: &[Field]) {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let option = argument.text.to_ascii_lowercase();
            let is = |full: &str, least: usize| option.len() > least && full.starts_with(&option);
            if is("-encodedcommand", 1) && !is("-executionpolicy", 2) || option == "-ec" {
                return self.sink.unparsed(argument, "an encoded command is run");
            }
            if is("-command", 1) {
                return self.powershell_text(&joined(&rest.cloned().collect::<Vec<_>>()));
            }
            if is("-file", 1) {
                if let Some(script) = rest.next() {
                    self.path(script, &Use::new(Direction::Read, "script that is run"));
                }
                return;
            }
            if is("-executionpolicy", 2) || is("-version", 2) || is("-windowstyle", 1) {
                rest.next();
            } else if !option.starts_with('-') {
                return self.powershell_text(&joined(&std::iter::once(argument).chain(rest).cloned().collect::<Vec<_>>()));
            }
        }
    }
}

/// Words as one text again.
fn joined(words: &[Field]) -> String {
    words.iter().map(|field| field.text.as_str()).collect::<Vec<_>>().join(" ")
}
