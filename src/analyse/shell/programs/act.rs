//! What a program's arguments come to, found without any state of the shell: acts for the interpreter to carry out in order.
use std::rc::Rc;

use crate::analyse::shell::grammar::MOST_WORDS;
use crate::analyse::shell::values::Field;
use crate::analyse::{Condition, Form};
use crate::policy::{Direction, Shell};

/// Most acts of one program. Each costs at least one step, so that more of them would not be carried out.
const MOST_ACTS: usize = 2 * MOST_WORDS;

/// How a word becomes a mention.
#[derive(Debug, Clone)]
pub struct Use {
    pub direction: Direction,
    pub condition: Condition,
    /// Whether it is only a guess that the word is a path.
    pub guess: bool,
    /// Whether the file is only run.
    pub runs: bool,
    /// Why it is a mention, in words for a person.
    pub because: Rc<str>,
}

impl Use {
    /// The word is a path.
    pub fn new(direction: Direction, because: impl Into<Rc<str>>) -> Self {
        Self { direction, condition: Condition::Always, guess: false, runs: false, because: because.into() }
    }

    /// The word may be a path; it counts under `condition`.
    pub fn guess(direction: Direction, condition: Condition, because: impl Into<Rc<str>>) -> Self {
        Self { condition, guess: true, ..Self::new(direction, because) }
    }

    /// The word names a program that is run.
    pub fn run() -> Self {
        Self { runs: true, ..Self::new(Direction::Read, "program that is run") }
    }
}

/// One thing that running a program does.
#[derive(Debug)]
pub enum Act {
    /// It touches the path that the word names.
    Path(Field, Use),
    /// It touches a place below the home directory (an empty text is the directory itself). The word is the one that says so.
    BelowHome(Field, String, Use),
    /// It touches what is named in a form that is no path of the shell.
    Mention(Field, Form, Use),
    /// It runs the word as a command line; the flag says whether that reads the program's own input.
    Shell(Field, bool),
    /// It runs this text as a command line.
    Text(String),
    /// It runs a command of these words, and stays where it is.
    Run(Vec<Field>),
    /// It goes to a directory.
    Enter(Field),
    /// It makes a directory.
    Make(Field),
    /// It runs the file as program text.
    Code(Field),
    /// The word decides something and cannot be followed.
    Unparsed(Field, String),
    /// Something of the whole command line cannot be followed.
    UnparsedLine(&'static str),
    /// The word must be asked about wherever it stands.
    Certain(Field, &'static str),
    /// The role of a word, for `explain`.
    Note(Field, String),
    /// Steps that the reading took.
    Spend(usize),
}

/// What the reading of arguments must know of the place where the command stands.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Whose rules words follow.
    pub shell: Shell,
    /// Whether the command stands in a script file.
    pub in_script: bool,
    /// Whether roles of words are noted.
    pub explain: bool,
}

/// The acts found so far.
#[derive(Debug)]
pub struct Acts {
    setting: Setting,
    list: Vec<Act>,
}

impl Acts {
    pub fn new(setting: Setting) -> Self {
        Self { setting, list: Vec::new() }
    }

    /// The acts in order.
    pub fn into_list(self) -> Vec<Act> {
        self.list
    }

    pub(super) fn setting(&self) -> Setting {
        self.setting
    }

    pub(super) fn push(&mut self, act: Act) {
        match self.list.len() {
            ..MOST_ACTS => self.list.push(act),
            // INVARIANT: what is left out is asked about, because the budget ends here.
            MOST_ACTS => self.list.push(Act::Spend(MOST_ACTS)),
            _ => {}
        }
    }

    pub(super) fn path(&mut self, field: &Field, how: Use) {
        self.push(Act::Path(field.clone(), how));
    }

    pub(super) fn mention(&mut self, field: &Field, form: Form, how: Use) {
        self.push(Act::Mention(field.clone(), form, how));
    }

    pub(super) fn shell_text(&mut self, field: &Field) {
        self.push(Act::Shell(field.clone(), false));
    }

    pub(super) fn unparsed(&mut self, field: &Field, why: impl Into<String>) {
        self.push(Act::Unparsed(field.clone(), why.into()));
    }

    /// Notes the role of a word, when the caller wants to explain.
    pub fn note(&mut self, field: &Field, role: impl Into<String>) {
        if self.setting.explain {
            self.push(Act::Note(field.clone(), role.into()));
        }
    }
}
