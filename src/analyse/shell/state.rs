//! What a shell knows while it runs a command line: directories, variables, functions, files it wrote.
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::field::Field;
use super::syntax::Command;

/// Most directories and most values of one variable that are kept side by side.
const MOST_READINGS: usize = 16;

/// A directory a command may run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directory {
    /// Absolute, as spelled.
    pub(super) path: String,
    /// Counts only if this is not an existing directory: the shell is still here if it could not go there.
    pub(super) unless: Option<String>,
    /// Whether `path` is a glob with what is literal in it escaped.
    pub(super) pattern: bool,
}

impl Directory {
    pub(super) fn at(path: String) -> Self {
        Self { path, unless: None, pattern: false }
    }

    /// The directory as a word.
    pub(super) fn field(&self) -> Field {
        let pattern = self.pattern.then(|| self.path.clone());
        Field { pattern, ..Field::known(self.path.as_str()) }
    }
}

/// The possible values of a variable; each is a list of fields (one, unless it is an array).
pub(super) type Values = Vec<Vec<Field>>;

#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) directories: Vec<Directory>,
    /// Where `cd -` goes; empty if that is not known.
    pub(super) previous: Vec<Directory>,
    pub(super) stack: Vec<Vec<Directory>>,
    pub(super) variables: Rc<BTreeMap<String, Values>>,
    pub(super) functions: Rc<BTreeMap<String, Rc<Command>>>,
    /// Files written by this command line whose text is known, by spelled absolute path.
    pub(super) written: Rc<BTreeMap<String, Rc<String>>>,
    /// Directories made by this command line.
    pub(super) made: Rc<BTreeSet<String>>,
    pub(super) positional: Rc<Vec<Field>>,
    /// Nothing after this place runs (`exit`, `return`).
    pub(super) dead: bool,
    /// Names that programs started from here see.
    pub(super) exported: Rc<BTreeSet<String>>,
    /// `set -a` is on.
    pub(super) exports_all: bool,
    /// `set -e` is on.
    pub(super) stops_on_error: bool,
}

impl State {
    pub(super) fn new(directories: &[String]) -> Self {
        let directories = directories.iter().cloned().map(Directory::at).collect();
        Self {
            directories,
            previous: Vec::new(),
            stack: Vec::new(),
            variables: Rc::default(),
            functions: Rc::default(),
            written: Rc::default(),
            made: Rc::default(),
            positional: Rc::default(),
            dead: false,
            exported: Rc::default(),
            exports_all: false,
            stops_on_error: false,
        }
    }

    /// Sets a variable to one list of fields.
    pub(super) fn set(&mut self, name: &str, fields: Vec<Field>) {
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), vec![fields]);
    }

    /// Marks a name as one that programs see.
    pub(super) fn export(&mut self, name: &str) {
        if !self.exported.contains(name) {
            Rc::make_mut(&mut self.exported).insert(name.to_owned());
        }
    }

    /// The state in which a shell of its own begins: a variable that is not known to be exported may as well be unset there.
    pub(super) fn enter_program(&mut self) {
        if self.exports_all {
            return;
        }
        let hidden: Vec<String> = self.variables.keys().filter(|name| !self.exported.contains(*name)).cloned().collect();
        for name in hidden {
            if let Some(values) = Rc::make_mut(&mut self.variables).get_mut(&name) {
                push_distinct(values, Vec::new());
            }
        }
    }

    /// The steps that it takes to come from one of two states to the other, or to join them: each map that differs is copied and compared.
    pub(super) fn distance(&self, other: &Self) -> usize {
        let mut names = 0;
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            names += self.variables.len() + other.variables.len();
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            names += self.functions.len() + other.functions.len();
        }
        if !Rc::ptr_eq(&self.written, &other.written) {
            names += self.written.len() + other.written.len();
        }
        if !Rc::ptr_eq(&self.made, &other.made) {
            names += self.made.len() + other.made.len();
        }
        names / 2
    }

    /// What may hold after a part that may or may not have run.
    pub(super) fn join(&mut self, other: &Self) {
        if other.dead {
            return;
        }
        if self.dead {
            *self = other.clone();
            return;
        }
        merge(&mut self.directories, &other.directories);
        merge(&mut self.previous, &other.previous);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            self.join_variables(other);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let missing = other.functions.iter().filter(|(name, _)| !self.functions.contains_key(*name));
            let missing: Vec<_> = missing.map(|(name, body)| (name.clone(), Rc::clone(body))).collect();
            Rc::make_mut(&mut self.functions).extend(missing);
        }
        if !Rc::ptr_eq(&self.written, &other.written) {
            let added: Vec<_> = other.written.iter().map(|(path, text)| (path.clone(), Rc::clone(text))).collect();
            Rc::make_mut(&mut self.written).extend(added);
        }
        if !Rc::ptr_eq(&self.made, &other.made) {
            let both: BTreeSet<String> = self.made.intersection(&other.made).cloned().collect();
            self.made = Rc::new(both);
        }
        if !Rc::ptr_eq(&self.exported, &other.exported) {
            // Only what is exported on both ways is surely seen.
            self.exported = Rc::new(self.exported.intersection(&other.exported).cloned().collect());
        }
        self.exports_all &= other.exports_all;
        self.stops_on_error &= other.stops_on_error;
    }

    fn join_variables(&mut self, other: &Self) {
        let own = Rc::make_mut(&mut self.variables);
        for (name, values) in own.iter_mut() {
            if !other.variables.contains_key(name) {
                // On the other way it keeps the value it had outside.
                push_distinct(values, Vec::new());
            }
        }
        for (name, values) in other.variables.iter() {
            let known = own.contains_key(name);
            let mine = own.entry(name.clone()).or_default();
            if !known {
                push_distinct(mine, Vec::new());
            }
            for value in values {
                push_distinct(mine, value.clone());
            }
        }
    }
}

fn push_distinct(values: &mut Values, value: Vec<Field>) {
    if values.contains(&value) {
        return;
    }
    if values.len() < MOST_READINGS {
        values.push(value);
    } else if let Some(last) = values.last_mut() {
        *last = vec![Field::unknown(super::field::Unknown::Computed)];
    }
}

fn merge(own: &mut Vec<Directory>, other: &[Directory]) {
    for directory in other {
        if !own.contains(directory) {
            own.push(directory.clone());
        }
    }
    // INVARIANT: one more than are followed is kept, so that the walk sees the overflow and asks.
    own.truncate(MOST_READINGS + 1);
}

/// Whether more directories are possible than are followed.
pub(super) fn overflows(directories: &[Directory]) -> bool {
    directories.len() > MOST_READINGS
}
