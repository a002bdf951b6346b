//! Files and directories that a command line makes before it uses them.
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most of a written file's text that is remembered, in bytes.
const LONGEST_FILE: usize = 256 * 1024;

/// What was written and made, by cleaned absolute path.
#[derive(Debug, Clone, Default)]
pub struct WrittenFiles {
    texts: Rc<BTreeMap<String, Rc<String>>>,
    made: Rc<BTreeSet<String>>,
}

impl WrittenFiles {
    /// What the file at `path` holds.
    pub fn text(&self, path: &str) -> Option<&Rc<String>> {
        self.texts.get(path)
    }

    /// A text is appended; what grows too long is not followed further.
    pub fn append(&mut self, path: String, text: &str) {
        if self.texts.get(&path).is_some_and(|known| known.len() >= LONGEST_FILE) {
            return;
        }
        let entry = Rc::make_mut(&mut self.texts).entry(path).or_default();
        Rc::make_mut(entry).push_str(text);
    }

    pub fn make(&mut self, path: String) {
        Rc::make_mut(&mut self.made).insert(path);
    }

    pub fn is_made(&self, path: &str) -> bool {
        self.made.contains(path)
    }

    /// How many names have to be compared or copied to join both.
    pub fn distance(&self, other: &Self) -> usize {
        let mut names = 0;
        if !Rc::ptr_eq(&self.texts, &other.texts) {
            names += self.texts.len() + other.texts.len();
        }
        if !Rc::ptr_eq(&self.made, &other.made) {
            names += self.made.len() + other.made.len();
        }
        names
    }

    /// What may be there after a part that may or may not have run; only what is made on both ways is surely there.
    pub fn join(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.texts, &other.texts) {
            let added: Vec<_> = other.texts.iter().map(|(path, text)| (path.clone(), Rc::clone(text))).collect();
            Rc::make_mut(&mut self.texts).extend(added);
        }
        if !Rc::ptr_eq(&self.made, &other.made) {
            self.made = Rc::new(self.made.intersection(&other.made).cloned().collect());
        }
    }
}
