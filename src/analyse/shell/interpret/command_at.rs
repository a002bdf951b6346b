//! Where a command line stands in a call.
use crate::analyse::{Confidence, Scripts, Surroundings};
use crate::policy::Shell;

/// Where a command stands in the call and where it would run.
#[derive(Debug, Clone, Copy)]
pub struct CommandAt<'a> {
    /// JSON pointer of the argument.
    pub argument: &'a str,
    /// Absolute spelled directories the command may start in: the call's own directory argument and the root.
    pub directories: &'a [String],
    /// Facts about the machine.
    pub surroundings: &'a Surroundings,
    /// Texts of script files, as far as they were read.
    pub scripts: &'a Scripts,
    /// How sure the caller is that the argument is a command.
    pub confidence: Confidence,
    pub shell: Shell,
    /// Whether to note the role of each word.
    pub explain: bool,
}
