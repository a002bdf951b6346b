//! Script files that a command line runs: their text is walked like the line itself, in a state and with a budget of its own.
//!
//! A script that lies in the project is the user's, so what cannot be followed in it is not asked about: loops, functions and computed
//! names are everyday there. What it does name for certain counts as if the command line named it.
use std::rc::Rc;
use std::sync::Arc;

use super::emit::Use;
use super::field::{Field, HOLE};
use super::interpreter::Interpreter;
use super::stream::Stream;
use crate::policy::Direction;

/// Programs that read a script as a command line.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox"];

/// How a script file comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// `./x`: its first line says what reads it.
    Itself,
    /// `sh x`.
    Shell,
    /// `. x`: it changes the shell that reads it.
    Sourced,
}

/// The script that is walked now.
#[derive(Debug, Clone)]
pub(super) struct Within {
    /// The script as the command names it.
    pub(super) name: Rc<str>,
    /// Where each line begins.
    lines: Rc<[usize]>,
    /// How many texts within texts the script's own text is.
    texts: usize,
    /// The line that is walked, from 1.
    pub(super) line: usize,
}

impl Within {
    fn new(name: &str, text: &str, texts: usize) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), lines, texts, line: 1 }
    }
}

impl Interpreter<'_> {
    /// A script file that a shell runs.
    pub(super) fn script_operand(&mut self, script: &Field, rest: &[Field], name: &str) {
        self.note(script, "script that is run");
        if script.text.starts_with("/dev/fd/") {
            return self.unparsed(script, "a program runs text that is computed");
        }
        self.path(script, Use::new(Direction::Read, &format!("script run by `{name}`")));
        self.run_script(script, rest, Start::Shell);
        self.guess_all(rest);
    }

    /// Walks the text of a script file: one that this command line wrote, or one that lies in the project.
    pub(super) fn run_script(&mut self, script: &Field, arguments: &[Field], start: Start) {
        let Some(name) = script.literal() else { return };
        let written = self.written_text(name);
        let texts = if written.is_none() { self.texts_at(name) } else { Vec::new() };
        let before = self.state.clone();
        if start != Start::Sourced {
            self.state.enter_program();
            self.state.set("0", vec![script.clone()]);
        }
        self.state.set("BASH_SOURCE", vec![script.clone()]);
        if start != Start::Sourced || !arguments.is_empty() {
            self.state.positional = Rc::new(arguments.to_vec());
        }
        if let Some(text) = written {
            self.text(&text, &Stream::None);
        }
        for text in texts.iter().filter(|text| start != Start::Itself || is_shell_script(text)) {
            self.walk_script(name, text);
        }
        if start == Start::Sourced {
            self.state.positional = before.positional;
            self.state.dead = false;
        } else {
            self.restore(&before);
        }
    }

    /// The texts of the file `name` in each directory the command may run in; what was not looked at yet is asked for.
    pub(super) fn texts_at(&mut self, name: &str) -> Vec<Arc<str>> {
        let mut texts = Vec::new();
        let directories: Vec<String> = self.state.directories.iter().filter(|one| !one.pattern).map(|one| one.path.clone()).collect();
        for directory in directories {
            let path = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", directory.trim_end_matches('/')) };
            match self.at.scripts.get(&path) {
                Some(text) => texts.extend(text),
                None if self.found.scripts.contains(&path) => {}
                None => self.found.scripts.push(path),
            }
        }
        texts.dedup();
        texts
    }

    /// Walks the text of the script `name`. A shell runs a script line by line, so what stands before a fault in it has run.
    pub(super) fn walk_script(&mut self, name: &str, text: &str) {
        let within = Within::new(name, text, self.texts + 1);
        self.inside(within, |walk| {
            if walk.spend(1 + text.len() / 16) || walk.nested >= super::interpreter::DEEPEST_TEXT {
                return;
            }
            walk.nested += 1;
            walk.texts += 1;
            let script = super::parse::leading(text, walk.nested);
            walk.script(&script, &Stream::None);
            walk.texts -= 1;
            walk.nested -= 1;
        });
    }

    /// Does something as a part of a script; the steps of all scripts are counted together, apart from those of the command line.
    pub(super) fn inside<R>(&mut self, within: Within, run: impl FnOnce(&mut Self) -> R) -> R {
        let outermost = self.within.is_none();
        if outermost {
            std::mem::swap(&mut self.budget, &mut self.script_budget);
        }
        let outer = self.within.replace(within);
        let result = run(self);
        self.within = outer;
        if outermost {
            std::mem::swap(&mut self.budget, &mut self.script_budget);
        }
        result
    }

    /// Remembers which line of a script is walked.
    pub(super) fn at_line(&mut self, field: Option<&Field>) {
        let texts = self.texts;
        if let (Some(within), Some((start, _))) = (self.within.as_mut(), field.and_then(|field| field.span))
            && within.texts == texts
        {
            within.line = within.lines.partition_point(|line| *line <= start);
        }
    }

    /// In a script only the directory counts in which something not known lies, and only if nothing permitted can be meant by it.
    pub(super) fn certain_part(&mut self, field: &Field, how: Use) {
        let known = field.text.split(HOLE).next().unwrap_or_default();
        let Some(slash) = known.rfind('/') else { return };
        let directory = known.get(..slash).unwrap_or_default();
        let Some(cleaned) = self.absolute(directory).filter(|_| !directory.is_empty()) else { return };
        let permitted = &self.at.surroundings.allowed_directories;
        let spelled = std::iter::once(&self.at.surroundings.spelled_root);
        if !permitted.iter().chain(spelled).any(|permitted| permitted.starts_with(&cleaned)) {
            self.posix_path(&field.before(slash + 1), how);
        }
    }
}

/// Whether a file that is started by its own name is read by a shell: its first line says so, or says nothing.
fn is_shell_script(text: &str) -> bool {
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else { return true };
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
    program.is_some_and(|program| SHELLS.contains(&program))
}
