//! `env`: variables, a directory, then a command.
use crate::analyse::shell::values::Field;

/// What `env` does before it runs something.
#[derive(Debug)]
pub enum EnvStep {
    /// It goes to a directory.
    Enter(Field),
    /// It sets a variable.
    Set(String, Field),
    /// It runs a text that it splits into words (`-S`).
    Split(Field),
    /// It runs a command of these words.
    Run(Vec<Field>),
}

/// The steps of `env` in order; what it runs is the last.
pub fn env_steps(arguments: &[Field]) -> Vec<EnvStep> {
    let mut steps = Vec::new();
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        if let Some((mut line, used)) = option_value(first, after, "-S", "--split-string") {
            for field in after.get(used..).unwrap_or_default() {
                line.push_quoted(" ");
                line.push_field(field);
            }
            steps.push(EnvStep::Split(line));
            break;
        }
        if let Some((value, used)) = option_value(first, after, "-C", "--chdir") {
            steps.push(EnvStep::Enter(value));
            rest = after.get(used..).unwrap_or_default();
        } else if let Some((_, used)) = option_value(first, after, "-u", "--unset") {
            rest = after.get(used..).unwrap_or_default();
        } else if first.text.starts_with('-') {
            rest = after;
        } else if let Some((name, value)) = first.split_once('=').filter(|(name, _)| !name.text.contains('/')) {
            steps.push(EnvStep::Set(name.text, value));
            rest = after;
        } else {
            steps.push(EnvStep::Run(rest.to_vec()));
            break;
        }
    }
    steps
}

/// The value of an option, attached or the next word, and how many further words it took.
fn option_value(first: &Field, after: &[Field], short: &str, long: &str) -> Option<(Field, usize)> {
    if first.text == short || first.text == long {
        return after.first().map(|value| (value.clone(), 1));
    }
    if first.text.starts_with(long) && first.text.get(long.len()..).is_some_and(|rest| rest.starts_with('=')) {
        return Some((first.skip(long.len() + 1), 0));
    }
    let glued = first.text.starts_with(short) && !first.text.starts_with("--");
    glued.then(|| (first.skip(short.len()), 0))
}
