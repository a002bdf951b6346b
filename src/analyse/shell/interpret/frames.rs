//! Where a shell stands: its directories, functions and parameters, and whether it goes on.
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::analyse::shell::grammar::Command;
use crate::analyse::shell::values::Field;

/// Most directories that are kept side by side.
const MOST_DIRECTORIES: usize = 16;

/// A directory a command may run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Absolute, as spelled.
    pub path: String,
    /// Counts only if this is not an existing directory: the shell is still here if it could not go there.
    pub unless: Option<String>,
    /// Whether `path` is a glob with what is literal in it escaped.
    pub pattern: bool,
}

impl Directory {
    pub fn at(path: String) -> Self {
        Self { path, unless: None, pattern: false }
    }

    /// The directory as a word.
    pub fn field(&self) -> Field {
        let pattern = self.pattern.then(|| self.path.clone());
        Field { pattern, ..Field::known(self.path.as_str()) }
    }
}

/// The frame of a shell or of a subshell.
#[derive(Debug, Clone)]
pub struct Frames {
    directories: Vec<Directory>,
    /// Where `cd -` goes; empty if that is not known.
    previous: Vec<Directory>,
    /// What `popd` goes back to.
    stack: Vec<Vec<Directory>>,
    positional: Rc<Vec<Field>>,
    functions: Rc<BTreeMap<String, Rc<Command>>>,
    /// Nothing after this place runs (`exit`, `return`).
    ended: bool,
    /// `set -e` is on.
    stops_on_error: bool,
}

impl Frames {
    pub fn new(directories: &[String]) -> Self {
        Self {
            directories: directories.iter().cloned().map(Directory::at).collect(),
            previous: Vec::new(),
            stack: Vec::new(),
            positional: Rc::default(),
            functions: Rc::default(),
            ended: false,
            stops_on_error: false,
        }
    }

    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    pub fn go(&mut self, directories: Vec<Directory>) {
        self.directories = directories;
    }

    /// The only directory it can be in, if that is certain.
    pub fn here(&self) -> Option<&str> {
        match self.directories.as_slice() {
            [only] if !only.pattern => Some(&only.path),
            _ => None,
        }
    }

    /// Where `cd -` goes.
    pub fn previous(&self) -> &[Directory] {
        &self.previous
    }

    /// `cd`: comes from `before`.
    pub fn left(&mut self, before: &Self) {
        self.previous.clone_from(&before.directories);
    }

    /// `pushd`.
    pub fn push(&mut self) {
        self.stack.push(self.directories.clone());
    }

    /// `popd`; says whether it is known where that goes.
    pub fn pop(&mut self) -> bool {
        let top = self.stack.pop();
        let known = top.is_some();
        self.directories = top.unwrap_or_else(|| std::mem::take(&mut self.directories));
        known
    }

    /// The shell is still here unless it could go to `directory`.
    pub fn stays_unless(&mut self, directory: &str) {
        for here in &mut self.directories {
            here.unless.get_or_insert_with(|| directory.to_owned());
        }
    }

    /// Keeps one directory if more are possible than are followed; says whether that was so.
    pub fn overflows(&mut self) -> bool {
        let over = self.directories.len() > MOST_DIRECTORIES;
        if over {
            self.directories.truncate(1);
        }
        over
    }

    /// The lexically cleaned absolute path of a name in the first working directory.
    pub fn absolute(&self, name: &str) -> Option<String> {
        let base = self.directories.first()?;
        let joined = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", base.path) };
        Some(path_clean::clean(joined).to_string_lossy().into_owned())
    }

    pub fn positional(&self) -> &Rc<Vec<Field>> {
        &self.positional
    }

    /// Sets the parameters `$1`, `$2`, …; gives back those from before.
    pub fn set_positional(&mut self, fields: Rc<Vec<Field>>) -> Rc<Vec<Field>> {
        std::mem::replace(&mut self.positional, fields)
    }

    /// `shift`.
    pub fn shift(&mut self, count: usize) {
        self.positional = Rc::new(self.positional.iter().skip(count).cloned().collect());
    }

    pub fn functions(&self) -> &Rc<BTreeMap<String, Rc<Command>>> {
        &self.functions
    }

    pub fn define(&mut self, name: &str, body: &Rc<Command>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), Rc::clone(body));
    }

    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Goes on after what ended only a function, a script or one way.
    pub fn revive(&mut self) {
        self.ended = false;
    }

    pub fn is_ended(&self) -> bool {
        self.ended
    }

    pub fn stops_on_error(&self) -> bool {
        self.stops_on_error
    }

    pub fn set_stops_on_error(&mut self, stops: bool) {
        self.stops_on_error = stops;
    }

    /// How many names have to be compared or copied to join both.
    pub fn distance(&self, other: &Self) -> usize {
        if Rc::ptr_eq(&self.functions, &other.functions) { 0 } else { self.functions.len() + other.functions.len() }
    }

    /// What may hold after a part that may or may not have run.
    pub fn join(&mut self, other: &Self) {
        merge(&mut self.directories, &other.directories);
        merge(&mut self.previous, &other.previous);
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let missing = other.functions.iter().filter(|(name, _)| !self.functions.contains_key(*name));
            let missing: Vec<_> = missing.map(|(name, body)| (name.clone(), Rc::clone(body))).collect();
            Rc::make_mut(&mut self.functions).extend(missing);
        }
        self.stops_on_error &= other.stops_on_error;
    }
}

fn merge(own: &mut Vec<Directory>, other: &[Directory]) {
    for directory in other {
        if !own.contains(directory) {
            own.push(directory.clone());
        }
    }
    // INVARIANT: one more than are followed is kept, so that the overflow is seen and asked about.
    own.truncate(MOST_DIRECTORIES + 1);
}
