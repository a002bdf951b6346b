//! Carrying out what the reading of a program's arguments found.
use super::frames::Directory;
use super::interpreter::Interpreter;
use crate::analyse::shell::programs::is_absolute;
use crate::analyse::shell::programs::{Act, Acts, ReadArguments, Use};
use crate::analyse::shell::values::{Field, MARK, Stream, Unknown, escaped};
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Reads the arguments of a program and does what that comes to.
    pub(super) fn act<R>(&mut self, input: &Stream, read: impl FnOnce(&mut Acts) -> R) -> R {
        let mut acts = Acts::new(self.sink.setting(self.shell));
        let result = read(&mut acts);
        self.carry_out(acts, input);
        result
    }

    /// Every word gets what its role says.
    pub(super) fn apply_all(&mut self, read: &ReadArguments, title: &str) {
        self.act(&Stream::None, |acts| acts.apply_all(read, title));
    }

    /// All words of a program that is not known.
    pub(super) fn guess_all(&mut self, arguments: &[Field]) {
        self.act(&Stream::None, |acts| acts.guess_all(arguments));
    }

    /// Does what was found, in order; `input` is what the program reads.
    pub(super) fn carry_out(&mut self, acts: Acts, input: &Stream) {
        for act in acts.into_list() {
            if self.sink.spend(0) {
                return;
            }
            self.do_one(act, input);
        }
    }

    fn do_one(&mut self, act: Act, input: &Stream) {
        match act {
            Act::Path(field, how) => self.path(&field, &how),
            Act::BelowHome(field, below, how) => self.below_home(&field, &below, &how),
            Act::Mention(field, form, how) => self.sink.mention(&field, form, &how),
            Act::Shell(field, fed) => drop(self.shell_text(&field, &[], if fed { input } else { &Stream::None })),
            Act::Text(text) => drop(self.text(&text, &Stream::None)),
            Act::Run(words) => {
                let directories = self.state.frames.directories().to_vec();
                self.run(&words, &Stream::None);
                self.state.frames.go(directories);
            }
            Act::Enter(field) => self.enter(std::slice::from_ref(&field)),
            Act::Make(field) => {
                if let Some(path) = field.literal().and_then(|name| self.state.frames.absolute(name)) {
                    self.state.files.make(path);
                }
            }
            Act::Code(field) => {
                if let Some(text) = field.literal().and_then(|path| self.state.written_text(path)) {
                    self.act(&Stream::None, |acts| acts.code(&text, &field));
                }
            }
            Act::Unparsed(field, why) => self.sink.unparsed(&field, &why),
            Act::UnparsedLine(why) => self.sink.unparsed_line(why),
            Act::Certain(field, why) => {
                let raw = self.sink.raw(&field);
                self.sink.certain(&raw, why);
            }
            Act::Note(field, role) => self.sink.note(&field, &role),
            Act::Spend(steps) => drop(self.sink.spend(steps)),
        }
    }

    fn below_home(&mut self, field: &Field, below: &str, how: &Use) {
        let home = self.first_value("HOME");
        if home.is_none() && below.is_empty() {
            return;
        }
        let mut path = home.unwrap_or_else(|| Field::known("~"));
        path.push_quoted(below);
        path.span = field.span;
        self.path(&path, how);
    }

    /// Goes to a directory; several are possible ones. Every one is a mention.
    pub(super) fn enter(&mut self, targets: &[Field]) {
        let mut entered: Vec<Directory> = Vec::new();
        for target in targets {
            self.sink.note(target, "directory that is entered");
            self.path(target, &Use::new(Direction::Read, "directory that is entered"));
            let in_script = self.sink.in_script();
            let is_unknown = |unknown: &Unknown| *unknown == Unknown::Computed || in_script && matches!(unknown, Unknown::Environment(_));
            if target.unknowns.iter().any(is_unknown) || target.text.is_empty() {
                continue;
            }
            if is_absolute(self.shell, &target.text) {
                entered.push(below(&Directory::at(String::new()), target, true));
            } else {
                entered.extend(self.state.frames.directories().iter().map(|base| below(base, target, false)));
            }
        }
        if !entered.is_empty() {
            entered.dedup();
            self.state.frames.go(entered);
        } else if self.sink.in_script() {
            // Nothing relative is certain from here on.
            self.state.frames.go(Vec::new());
        }
    }
}

/// The directory that `target` names when it is read in `base`.
fn below(base: &Directory, target: &Field, absolute: bool) -> Directory {
    let filled = target.text.replace(MARK, "*");
    let pattern = target.pattern.is_some() || !target.unknowns.is_empty() || base.pattern && !absolute;
    let tail = match (&target.pattern, pattern) {
        (Some(tail), _) => tail.replace(MARK, "*"),
        (None, true) => filled,
        (None, false) => target.text.clone(),
    };
    if absolute || target.of_user {
        return Directory { path: tail, unless: None, pattern };
    }
    let own = if pattern && !base.pattern { escaped(&base.path) } else { base.path.clone() };
    Directory { path: format!("{}/{tail}", own.trim_end_matches('/')), unless: base.unless.clone(), pattern }
}
