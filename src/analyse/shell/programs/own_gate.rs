//! `callgate` itself on a command line.
use super::act::{Act, Acts};
use super::command_words::COMMAND_WORDS;
use crate::analyse::shell::values::Field;

impl Acts {
    /// Asks about a command of the gate that changes what it permits.
    pub fn widens(&mut self, arguments: &[Field]) {
        let named = arguments.iter().find(|field| field.literal().is_none_or(|text| !text.starts_with('-')));
        if let Some(field) = named.filter(|field| field.literal().is_none_or(|text| COMMAND_WORDS.gate.widens.has(text))) {
            self.push(Act::Certain(field.clone(), "the command changes what the gate itself permits"));
        }
    }
}
