//! `callgate` itself on a command line.
use super::act::{Act, Acts};
use crate::analyse::shell::values::Field;

/// The gate's own commands that widen what is permitted: an agent that may run them could answer its own questions.
const WIDEN: [&str; 4] = ["approve", "lock", "paths", "trust"];

impl Acts {
    /// Asks about a command of the gate that changes what it permits.
    pub fn widens(&mut self, arguments: &[Field]) {
        let named = arguments.iter().find(|field| field.literal().is_none_or(|text| !text.starts_with('-')));
        if let Some(field) = named.filter(|field| field.literal().is_none_or(|text| WIDEN.contains(&text))) {
            self.push(Act::Certain(field.clone(), "the command changes what the gate itself permits"));
        }
    }
}
