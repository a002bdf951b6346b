//! Marks in the words of a command that a program replaces: `{}` of `find -exec`, the mark of `xargs -I`.
use crate::analyse::shell::values::{Field, MARK, Unknown};

/// The field with every `mark` replaced by `word`.
pub fn replace(field: &Field, mark: &str, word: &Field) -> Field {
    if mark.is_empty() || !field.text.contains(mark) {
        return field.clone();
    }
    let mut replaced = Field { span: field.span, ..Field::default() };
    let mut unknowns = field.unknowns.iter();
    for (at, part) in field.text.split(mark).enumerate() {
        if at > 0 {
            replaced.push_field(word);
        }
        for (at, run) in part.split(MARK).enumerate() {
            if at > 0 {
                replaced.push_unknown(unknowns.next().cloned().unwrap_or(Unknown::Computed));
            }
            replaced.push_quoted(run);
        }
    }
    replaced
}

/// The mark that `xargs -I` replaces.
pub fn mark_of_xargs(arguments: &[Field]) -> Option<String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.text.as_str();
        match text {
            "-I" => return rest.next().map(|mark| mark.text.clone()),
            "-i" | "--replace" => return Some("{}".to_owned()),
            _ if text.starts_with("-I") => return text.get(2..).map(str::to_owned),
            _ if text.starts_with("--replace=") => return text.get(10..).map(str::to_owned),
            _ if text.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}
