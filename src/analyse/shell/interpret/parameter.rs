//! The value of `$name` and `${…}`.
use super::interpreter::Interpreter;
use super::limits::Depth;
use super::variables::Values;
use crate::analyse::shell::grammar::{Operation, Parameter, Word, document};
use crate::analyse::shell::values::{Field, MARK, Unknown, escaped};

/// Longest text that a pattern is cut from.
const LONGEST_CUT: usize = 2048;

impl Interpreter<'_> {
    /// The possible values of a parameter expansion.
    pub(super) fn parameter(&mut self, parameter: &Parameter) -> Values {
        let mut values = self.lookup(parameter);
        match &parameter.operation {
            Operation::Plain => values,
            Operation::Length => vec![vec![Field::unknown(Unknown::Token)]],
            Operation::Default(word, assigns) => self.default(parameter, values, word, *assigns),
            Operation::Alternative(word) => {
                let alternative = self.operand(word);
                if values.iter().all(Vec::is_empty) {
                    return vec![Vec::new()];
                }
                if values.iter().any(Vec::is_empty) || values.iter().flatten().any(|field| !field.unknowns.is_empty()) {
                    return vec![alternative, Vec::new()];
                }
                vec![alternative]
            }
            Operation::Required(word) => {
                self.operand(word);
                values
            }
            Operation::Cut(word, from_end, longest) => {
                let pattern = self.operand(word).first().cloned().unwrap_or_default();
                for field in values.iter_mut().flatten() {
                    *field = cut(field, &pattern, *from_end, *longest);
                }
                values
            }
            Operation::Computed(words, adds) => {
                for word in words {
                    self.operand(word);
                }
                for field in values.iter_mut().flatten() {
                    *field = Field::unknown(if *adds { Unknown::Computed } else { recomputed(field) });
                }
                values
            }
            Operation::Prompt => {
                for field in values.iter().flatten() {
                    self.prompt(field);
                }
                vec![vec![Field::unknown(Unknown::Computed)]]
            }
        }
    }

    fn operand(&mut self, word: &Word) -> Vec<Field> {
        self.word_unsplit(word).into_iter().map(|field| Field { alternative: false, ..field }).collect()
    }

    /// A value that is expanded like a prompt runs the substitutions in it.
    fn prompt(&mut self, field: &Field) {
        let Some(text) = field.literal() else { return self.sink.unparsed(field, "a computed text is expanded as a prompt") };
        match document(text, self.sink.limits().nested()) {
            Ok(pieces) => {
                let word = Word { pieces, span: (0, 0) };
                self.deeper(Depth::Inner, |inner| drop(inner.word_unsplit(&word)));
            }
            Err(fault) => self.sink.unparsed(field, fault.why),
        }
    }

    fn default(&mut self, parameter: &Parameter, values: Values, word: &Word, assigns: bool) -> Values {
        let empty = |value: &Vec<Field>| value.iter().all(|field| field.text.is_empty() || is_environment(field));
        if !values.iter().any(empty) {
            // A value that cannot be empty hides the default, but not what the default would run.
            if values.iter().flatten().all(|field| field.unknowns.is_empty()) {
                return values;
            }
        }
        let default = self.operand(word);
        if assigns {
            self.state.variables.set(&parameter.name, default.clone());
        }
        let mut kept: Values = values.into_iter().filter(|value| !empty(value)).collect();
        kept.push(default);
        kept
    }

    fn lookup(&mut self, parameter: &Parameter) -> Values {
        let values = self.named_or_unknown(&parameter.name);
        if !parameter.indirect {
            return values;
        }
        let name = match values.as_slice() {
            [one] => one.first().and_then(Field::literal).map(str::to_owned),
            _ => None,
        };
        name.map_or_else(|| vec![vec![Field::unknown(Unknown::Computed)]], |name| self.named_or_unknown(&name))
    }

    fn named_or_unknown(&mut self, name: &str) -> Values {
        self.named(name).unwrap_or_else(|| vec![vec![Field::unknown(Unknown::Environment(name.to_owned()))]])
    }
}

fn is_environment(field: &Field) -> bool {
    field.text == MARK.to_string() && matches!(field.unknowns.as_slice(), [Unknown::Environment(_)])
}

/// What is left to know of a value after a computation that is not followed.
fn recomputed(field: &Field) -> Unknown {
    match field.worst() {
        Some(unknown @ (Unknown::Token | Unknown::Environment(_))) => unknown,
        None if field.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) && !field.text.is_empty() => {
            Unknown::Token
        }
        _ => Unknown::Computed,
    }
}

/// `${x#pattern}` and its like.
fn cut(field: &Field, pattern: &Field, from_end: bool, longest: bool) -> Field {
    let shape = pattern.pattern.clone().unwrap_or_else(|| escaped(&pattern.text));
    if !pattern.unknowns.is_empty() {
        return Field::unknown(Unknown::Computed);
    }
    if let Some(text) = field.literal() {
        return cut_text(text, &shape, from_end, longest).map_or_else(|| Field::unknown(Unknown::Computed), Field::known);
    }
    let whole_directory = !from_end && longest && shape == "*/";
    match field.worst() {
        Some(Unknown::Computed) => Field::unknown(Unknown::Computed),
        // What is not set stays empty whatever is cut off.
        Some(Unknown::Environment(name)) if whole_directory => Field::unknown(Unknown::Environment(name)),
        _ if whole_directory => Field::unknown(Unknown::Token),
        Some(_) => field.clone(),
        // A glob: what it matches lies where the glob lies, and a shorter name does not climb.
        None if field.text.starts_with('/') || field.text.contains("..") => field.clone(),
        None => Field::unknown(Unknown::Inside),
    }
}

fn cut_text(text: &str, pattern: &str, from_end: bool, longest: bool) -> Option<String> {
    if text.len() > LONGEST_CUT {
        return None;
    }
    let glob = globset::GlobBuilder::new(pattern).literal_separator(false).backslash_escape(true).build().ok()?.compile_matcher();
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if from_end != longest {
        cuts.reverse();
    }
    for at in cuts {
        let (head, tail) = text.split_at_checked(at)?;
        let (gone, kept) = if from_end { (tail, head) } else { (head, tail) };
        if glob.is_match(gone) {
            return Some(kept.to_owned());
        }
    }
    Some(text.to_owned())
}
