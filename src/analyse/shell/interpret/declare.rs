//! Builtins that set variables and options of the shell.
use std::rc::Rc;

use super::interpreter::Interpreter;
use crate::analyse::shell::grammar::{Piece, Word};
use crate::analyse::shell::values::{Field, Stream};

impl Interpreter<'_> {
    /// `export name=value` and its like.
    pub(super) fn declare(&mut self, builtin: &str, arguments: &[Field]) {
        let exports = builtin == "export" || arguments.iter().any(|field| field.text.starts_with('-') && field.text.contains('x'));
        let mut array: Option<String> = None;
        for argument in arguments {
            if exports {
                self.state.variables.export(argument.text.split('=').next().unwrap_or_default());
            }
            let Some((name, mut value)) = argument.split_once('=') else {
                // The elements of `a=(…)` follow its name as words.
                if let Some(name) = &array {
                    self.state.variables.push_element(name, argument);
                }
                continue;
            };
            array = value.text.is_empty().then(|| name.text.clone());
            // A tilde after `=` counts here as it does in an assignment.
            if value.text.starts_with('~') && value.literal().is_some() {
                let word = Word { pieces: vec![Piece::Text(value.text.clone())], span: (0, 0) };
                value = self.word_unsplit(&word).into_iter().next().unwrap_or_default();
            }
            self.meaning(&name.text, std::slice::from_ref(&value));
            let values = if value.text.is_empty() { Vec::new() } else { vec![value] };
            self.state.variables.set(name.text.trim_end_matches('+'), values);
        }
    }

    pub(super) fn alias(&mut self, arguments: &[Field]) {
        for argument in arguments {
            if let Some((_, value)) = argument.split_once('=') {
                self.shell_text(&value, &[], &Stream::None);
            }
        }
    }

    pub(super) fn unset(&mut self, arguments: &[Field]) {
        for argument in arguments {
            self.state.variables.set(&argument.text, Vec::new());
        }
    }

    pub(super) fn set_options(&mut self, arguments: &[Field]) {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.text.as_str() {
                "--" | "-" => return self.set_parameters(rest.cloned().collect()),
                "-o" => match rest.next().map(|name| name.text.as_str()) {
                    Some("errexit") => self.state.frames.set_stops_on_error(true),
                    Some("allexport") => self.state.variables.export_all(),
                    _ => {}
                },
                text if text.starts_with('-') => {
                    if text.contains('e') {
                        self.state.frames.set_stops_on_error(true);
                    }
                    // `-euo pipefail`: the name of the option is no parameter.
                    let named = text.ends_with('o') && rest.next().is_some_and(|name| name.text == "allexport");
                    if named || text.contains('a') {
                        self.state.variables.export_all();
                    }
                }
                text if text.starts_with('+') => {
                    if text.contains('e') {
                        self.state.frames.set_stops_on_error(false);
                    }
                }
                _ => return self.set_parameters(std::iter::once(argument).chain(rest).cloned().collect()),
            }
        }
    }

    fn set_parameters(&mut self, fields: Vec<Field>) {
        self.state.frames.set_positional(Rc::new(fields));
    }
}
