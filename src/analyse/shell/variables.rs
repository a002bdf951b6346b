//! Builtins that set variables and options of the shell.
use std::rc::Rc;

use super::field::Field;
use super::interpreter::Interpreter;
use super::stream::Stream;
use super::syntax::{Piece, Word};

impl Interpreter<'_> {
    /// `export name=value` and its like.
    pub(super) fn declare(&mut self, builtin: &str, arguments: &[Field]) {
        let exports = builtin == "export" || arguments.iter().any(|field| field.text.starts_with('-') && field.text.contains('x'));
        let mut array = None;
        for argument in arguments {
            if exports {
                self.state.export(argument.text.split('=').next().unwrap_or_default());
            }
            let Some((name, mut value)) = argument.split_once('=') else {
                // The elements of `a=(…)` follow its name as words.
                if let Some(values) = array.as_ref().and_then(|name| Rc::make_mut(&mut self.state.variables).get_mut(name))
                    && let Some(elements) = values.first_mut()
                {
                    elements.push(argument.clone());
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
            self.state.set(name.text.trim_end_matches('+'), values);
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
            self.state.set(&argument.text, Vec::new());
        }
    }

    pub(super) fn set_options(&mut self, arguments: &[Field]) {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.text.as_str() {
                "--" | "-" => return self.state.positional = Rc::new(rest.cloned().collect()),
                "-o" => match rest.next().map(|name| name.text.as_str()) {
                    Some("errexit") => self.state.stops_on_error = true,
                    Some("allexport") => self.state.exports_all = true,
                    _ => {}
                },
                text if text.starts_with('-') => {
                    self.state.stops_on_error |= text.contains('e');
                    self.state.exports_all |= text.contains('a');
                    if text.ends_with('o') {
                        // `-euo pipefail`: the name of the option is no parameter.
                        self.state.exports_all |= rest.next().is_some_and(|name| name.text == "allexport");
                    }
                }
                text if text.starts_with('+') => self.state.stops_on_error &= !text.contains('e'),
                _ => return self.state.positional = Rc::new(std::iter::once(argument).chain(rest).cloned().collect()),
            }
        }
    }
}
