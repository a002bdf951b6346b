//! `callgate` itself on a command line.
use super::field::Field;
use super::walk::Walk;

impl Walk<'_> {
    /// The gate's own commands that widen what is permitted: an agent that may run them could answer its own questions
    /// (`clients.md` 3.4).
    pub(super) fn own_gate(&mut self, arguments: &[Field]) {
        const WIDEN: [&str; 3] = ["approve", "paths", "trust"];
        let named = arguments.iter().find(|field| field.literal().is_none_or(|text| !text.starts_with('-')));
        if let Some(field) = named.filter(|field| field.literal().is_none_or(|text| WIDEN.contains(&text))) {
            let raw = self.raw(field);
            self.certain(&raw, "the command changes what the gate itself permits");
        }
    }
}
