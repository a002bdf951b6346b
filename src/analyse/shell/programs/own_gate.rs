//! `callgate` itself on a command line.
use super::act::{Act, Acts};
use super::own_commands::OWN_COMMANDS;
use crate::analyse::shell::values::Field;

impl Acts {
    /// Asks about a command of the gate's own, unless it is harmless with these options: an agent that may run the others could answer
    /// its own questions, or reach what is asked about here past the gate.
    pub fn own_command(&mut self, arguments: &[Field]) {
        if let Some((field, why)) = OWN_COMMANDS.asked_about(arguments) {
            self.push(Act::Certain(field.clone(), why));
        }
    }
}
