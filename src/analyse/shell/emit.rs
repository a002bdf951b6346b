//! From an expanded word to mentions: joins it to the directories, leaves out free devices, asks where a part decides that is not known.
use super::field::{Field, HOLE, Unknown};
use super::interpreter::Interpreter;
use super::state::Directory;
use crate::analyse::{Condition, Confidence, Form, Mention, RoleNote, Unparsed};
use crate::policy::{Direction, Shell};

/// How a word becomes a mention.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'w> {
    pub(super) direction: Direction,
    pub(super) condition: Condition,
    /// Whether it is only a guess that the word is a path.
    pub(super) guess: bool,
    pub(super) runs: bool,
    pub(super) because: &'w str,
}

impl<'w> Use<'w> {
    pub(super) fn new(direction: Direction, because: &'w str) -> Self {
        Self { direction, condition: Condition::Always, guess: false, runs: false, because }
    }

    pub(super) fn guess(direction: Direction, condition: Condition, because: &'w str) -> Self {
        Self { direction, condition, guess: true, runs: false, because }
    }
}

impl Interpreter<'_> {
    /// The word is a path.
    pub(super) fn path(&mut self, field: &Field, how: Use) {
        if field.text.is_empty() || self.spend(1 + field.text.len() / 64) || is_free(&field.text) {
            return;
        }
        if field.text.starts_with("/dev/tcp/") || field.text.starts_with("/dev/udp/") {
            let raw = self.raw(field);
            return self.certain(&raw, &self.placed("the shell opens a network connection"));
        }
        if let Some(text) = field.text.strip_suffix('\r').filter(|text| !text.contains(is_deceptive)) {
            // The end of a line as another system writes it.
            return self.path(&field.before(text.len()), how);
        }
        if field.text.contains(is_deceptive) {
            let certain = self.within.is_none();
            self.unparsed(field, "a path holds characters that cannot be seen or that look like a blank");
            for part in field.text.split(is_deceptive).filter(|part| !part.is_empty() && certain) {
                self.spelled(&Field { span: field.span, ..Field::known(part) }, Use { guess: true, ..how });
            }
            return;
        }
        match field.worst() {
            None => self.spelled(field, how),
            Some(_) if self.within.is_some() => self.certain_part(field, how),
            Some(Unknown::Computed) => {
                self.unparsed(field, "a path is computed when the command runs");
                self.known_part(field, how);
            }
            Some(Unknown::Environment(name)) if field.text.starts_with(HOLE) => {
                self.unparsed(field, &format!("the variable `{name}` decides a path and its value is not known"));
                self.spelled(&fill(field, ""), how);
            }
            Some(Unknown::Environment(_)) => {
                self.spelled(&fill(field, ""), how);
                self.spelled(&fill(field, "*"), how);
            }
            Some(Unknown::Inside) => self.spelled(&fill(field, "_"), how),
            Some(Unknown::Token) => self.spelled(&fill(field, "*"), how),
        }
    }

    /// The directories that stand before the first part which is not known.
    fn known_part(&mut self, field: &Field, how: Use) {
        let known = field.text.split(HOLE).next().unwrap_or_default();
        if let Some(slash) = known.rfind('/') {
            self.spelled(&field.before(slash + 1), how);
        }
        // The part may be empty, so what is left must not lead out either.
        self.spelled(&fill(field, ""), Use { guess: true, ..how });
    }

    fn spelled(&mut self, field: &Field, how: Use) {
        if self.shell == Shell::Posix { self.posix_path(field, how) } else { self.windows_path(field, how) }
    }

    pub(super) fn posix_path(&mut self, field: &Field, how: Use) {
        if field.text.is_empty() {
            return;
        }
        if field.text.starts_with('/') || field.of_user {
            return self.mention(field, as_form(field.pattern.as_deref(), &field.text), how);
        }
        for directory in self.state.directories.clone() {
            let form = join(&directory, field);
            self.mention(field, form, how);
        }
    }

    /// Adds a mention, once.
    pub(super) fn mention(&mut self, field: &Field, form: Form, how: Use) {
        // Many long paths cost more than as many words: they are looked at name by name.
        let length = form.text().len();
        if self.spend(length.saturating_mul(length) / 8192) || !self.seen.insert((form.clone(), how.direction, how.condition)) {
            return;
        }
        let raw = self.raw(field);
        self.found.mentions.push(Mention {
            argument: self.at.argument.to_owned(),
            raw,
            form,
            direction: how.direction,
            confidence: if how.guess { Confidence::Guess } else { self.at.confidence },
            condition: how.condition,
            runs: how.runs,
            because: self.placed(how.because),
        });
    }

    /// A reason, with the place in the script file where it stands.
    fn placed(&self, because: &str) -> String {
        match &self.within {
            Some(script) => format!("{because}, in line {} of `{}`", script.line, script.name.escape_debug()),
            None => because.to_owned(),
        }
    }

    /// The word as it stood in the argument.
    pub(super) fn raw(&self, field: &Field) -> String {
        match field.span.and_then(|(start, end)| self.source.get(start..end)) {
            Some(text) if self.nested == 0 => text.to_owned(),
            _ => field.text.replace(HOLE, "…"),
        }
    }

    /// The word decides something and cannot be followed.
    pub(super) fn unparsed(&mut self, field: &Field, why: &str) {
        let raw = self.raw(field);
        self.unparsed_text(&raw, why);
    }

    /// A text cannot be followed.
    pub(super) fn unparsed_text(&mut self, raw: &str, why: &str) {
        if self.within.is_none() {
            return self.certain(raw, why);
        }
        if self.at.explain {
            self.note(&Field::known(raw.chars().take(400).collect::<String>()), &format!("not followed: {why}"));
        }
    }

    /// A text must be asked about, even where it stands in a script file.
    pub(super) fn certain(&mut self, raw: &str, why: &str) {
        let raw: String = raw.chars().take(400).collect();
        let unparsed = Unparsed { argument: self.at.argument.to_owned(), raw, why: why.to_owned() };
        if !self.found.unparsed.contains(&unparsed) {
            self.found.unparsed.push(unparsed);
        }
    }

    /// Notes the role of a word for `explain`.
    pub(super) fn note(&mut self, field: &Field, role: &str) {
        if self.at.explain {
            let span = field.span.filter(|_| self.nested == 0);
            let (argument, text) = (self.at.argument.to_owned(), self.raw(field));
            let source = self.placed("programs table");
            self.found.notes.push(RoleNote { argument, text, role: role.to_owned(), source, span });
        }
    }
}

/// The field with every hole replaced; `*` stands for any one name.
fn fill(field: &Field, by: &str) -> Field {
    let mut filled = Field { span: field.span, of_user: field.of_user, ..Field::default() };
    let pattern = field.pattern.clone();
    filled.text = field.text.replace(HOLE, by);
    filled.pattern = match pattern {
        Some(pattern) => Some(pattern.replace(HOLE, by)),
        None if by == "*" => {
            let mut escaped = Field::default();
            for (at, part) in field.text.split(HOLE).enumerate() {
                if at > 0 {
                    escaped.push_active("*");
                }
                escaped.push_quoted(part);
            }
            escaped.pattern
        }
        None => None,
    };
    filled
}

fn as_form(pattern: Option<&str>, text: &str) -> Form {
    match pattern {
        Some(pattern) => Form::Glob(pattern.to_owned()),
        None => Form::Path(text.to_owned()),
    }
}

/// A relative field below a directory. Not cleaned: `locate` reads `..` after a link in both ways.
fn join(directory: &Directory, field: &Field) -> Form {
    let base = directory.path.trim_end_matches('/');
    if directory.pattern {
        let tail = field.pattern.clone().unwrap_or_else(|| super::field::escaped(&field.text));
        return Form::Glob(format!("{base}/{tail}"));
    }
    match (&field.pattern, &directory.unless) {
        (Some(pattern), _) => Form::Glob(format!("{}/{pattern}", super::field::escaped(base))),
        (None, None) => Form::Path(format!("{base}/{}", field.text)),
        (None, Some(unless)) => Form::Unless { path: format!("{base}/{}", field.text), directory: unless.clone() },
    }
}

/// Devices that hold nothing and keep nothing, and the process's own streams.
pub(super) fn is_free(text: &str) -> bool {
    let Some(name) = text.strip_prefix("/dev/") else { return false };
    let descriptor = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(name, "null" | "zero" | "full" | "tty" | "stdin" | "stdout" | "stderr" | "random" | "urandom")
        || name.strip_prefix("fd/").is_some_and(descriptor)
}

/// Blanks that no shell splits at, direction marks and characters of no width: they make a path read as another.
pub(super) fn is_deceptive(character: char) -> bool {
    matches!(character, '\u{A0}' | '\u{AD}' | '\u{1680}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{206F}' | '\u{3000}' | '\u{FEFF}')
        || character.is_control() && character != '\n' && character != '\t'
}
