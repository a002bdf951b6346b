//! Variables of the shell: their possible values, and which of them programs see.
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analyse::shell::values::{Field, Unknown};

/// Most values of one variable that are kept side by side.
const MOST_READINGS: usize = 16;

/// The possible values of a variable; each is a list of fields (one, unless it is an array).
pub type Values = Vec<Vec<Field>>;

/// What the command line itself sets.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    values: Rc<BTreeMap<String, Values>>,
    /// Names that programs started from here see.
    exported: Rc<BTreeSet<String>>,
    /// `set -a` is on.
    exports_all: bool,
}

impl Variables {
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.values.get(name)
    }

    /// Sets a variable to one list of fields.
    pub fn set(&mut self, name: &str, fields: Vec<Field>) {
        self.set_values(name, vec![fields]);
    }

    /// Sets a variable to several possible values.
    pub fn set_values(&mut self, name: &str, values: Values) {
        Rc::make_mut(&mut self.values).insert(name.to_owned(), values);
    }

    /// Appends an element to the first value of an array; says whether there is such a variable.
    pub fn push_element(&mut self, name: &str, element: &Field) {
        if let Some(elements) = Rc::make_mut(&mut self.values).get_mut(name).and_then(|values| values.first_mut()) {
            elements.push(element.clone());
        }
    }

    /// A name that is not in use.
    pub fn free_name(&self) -> String {
        format!("__part_{}", self.values.len())
    }

    /// Marks a name as one that programs see.
    pub fn export(&mut self, name: &str) {
        if !self.exported.contains(name) {
            Rc::make_mut(&mut self.exported).insert(name.to_owned());
        }
    }

    /// `set -a`.
    pub fn export_all(&mut self) {
        self.exports_all = true;
    }

    /// Goes back to the values from before a command that they were set for.
    pub fn restore(&mut self, before: &Self) {
        *self = Self { exports_all: self.exports_all, ..before.clone() };
    }

    /// Whether both are surely equal.
    pub fn is_unchanged(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.values, &other.values)
    }

    /// What a shell of its own sees: a variable that is not known to be exported may as well be unset there.
    pub fn enter_program(&mut self) {
        if self.exports_all {
            return;
        }
        let hidden: Vec<String> = self.values.keys().filter(|name| !self.exported.contains(*name)).cloned().collect();
        for name in hidden {
            if let Some(values) = Rc::make_mut(&mut self.values).get_mut(&name) {
                push_distinct(values, Vec::new());
            }
        }
    }

    /// What splits an unquoted value.
    pub fn separators(&self) -> String {
        match self.values.get("IFS") {
            Some(values) => values.iter().flatten().map(|field| field.text.as_str()).collect(),
            None => " \t\n".to_owned(),
        }
    }

    /// How many names have to be compared or copied to join both.
    pub fn distance(&self, other: &Self) -> usize {
        if self.is_unchanged(other) { 0 } else { self.values.len() + other.values.len() }
    }

    /// What may hold after a part that may or may not have run.
    pub fn join(&mut self, other: &Self) {
        if !self.is_unchanged(other) {
            self.join_values(other);
        }
        if !Rc::ptr_eq(&self.exported, &other.exported) {
            // Only what is exported on both ways is surely seen.
            self.exported = Rc::new(self.exported.intersection(&other.exported).cloned().collect());
        }
        self.exports_all &= other.exports_all;
    }

    fn join_values(&mut self, other: &Self) {
        let own = Rc::make_mut(&mut self.values);
        for (name, values) in own.iter_mut() {
            if !other.values.contains_key(name) {
                // On the other way it keeps the value it had outside.
                push_distinct(values, Vec::new());
            }
        }
        for (name, values) in other.values.iter() {
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
        *last = vec![Field::unknown(Unknown::Computed)];
    }
}
