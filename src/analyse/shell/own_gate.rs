//! `callgate` itself on a command line.
use super::field::{Field, Unknown};
use super::interpreter::Interpreter;
use super::programs::Program;
use super::stream::Stream;

impl Interpreter<'_> {
    /// The gate's own command: what it widens, the files it is given, and behind `--` a server that it starts.
    pub(super) fn own_gate(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let end = arguments.iter().position(|field| field.literal() == Some("--")).unwrap_or(arguments.len());
        let (own, server) = arguments.split_at_checked(end).unwrap_or((arguments, &[]));
        self.widens(own);
        self.by_table(program, name, own, input);
        if let Some(server) = server.get(1..) {
            self.run(server, &Stream::Unknown(Unknown::Computed));
        }
        Stream::Unknown(Unknown::Computed)
    }

    /// The gate's own commands that widen what is permitted: an agent that may run them could answer its own questions
    /// (`clients.md` 3.4).
    fn widens(&mut self, arguments: &[Field]) {
        const WIDEN: [&str; 4] = ["approve", "lock", "paths", "trust"];
        let named = arguments.iter().find(|field| field.literal().is_none_or(|text| !text.starts_with('-')));
        if let Some(field) = named.filter(|field| field.literal().is_none_or(|text| WIDEN.contains(&text))) {
            let raw = self.raw(field);
            self.certain(&raw, "the command changes what the gate itself permits");
        }
    }
}
