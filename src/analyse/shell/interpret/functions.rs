//! Functions of the shell beyond their bodies: which were called, and which a script file defined.
use std::collections::{HashMap, HashSet};

use super::sink::ScriptPlace;

/// What is remembered of functions whatever subshell they were defined in.
#[derive(Debug, Default)]
pub struct Functions {
    called: HashSet<String>,
    /// Where those stand that a script file defined.
    in_scripts: HashMap<String, ScriptPlace>,
}

impl Functions {
    /// A function is defined. One of a script file may well never be called, so it counts only where it is.
    pub fn define(&mut self, name: &str, script: Option<&ScriptPlace>) {
        match script {
            Some(script) => {
                self.called.insert(name.to_owned());
                self.in_scripts.insert(name.to_owned(), script.clone());
            }
            None => drop(self.in_scripts.remove(name)),
        }
    }

    pub fn call(&mut self, name: &str) {
        self.called.insert(name.to_owned());
    }

    pub fn was_called(&self, name: &str) -> bool {
        self.called.contains(name)
    }

    /// Where the script stands that defined the function, if one did.
    pub fn script_of(&self, name: &str) -> Option<ScriptPlace> {
        self.in_scripts.get(name).cloned()
    }
}
