//! From an expanded word to mentions: joins it to the directories, leaves out free devices, asks where a part decides that is not known.
use super::frames::{Directory, Frames};
use super::sink::MentionSink;
use crate::analyse::Form;
use crate::analyse::shell::programs::{Use, has_drive, is_absolute};
use crate::analyse::shell::values::{Field, MARK, Unknown, escaped};
use crate::policy::{Platform, Shell};

/// Where words are read: the directories, and whose rules paths follow.
pub struct Places<'i, 'a> {
    pub sink: &'i mut MentionSink<'a>,
    pub frames: &'i Frames,
    pub shell: Shell,
}

impl Places<'_, '_> {
    /// The word is a path.
    pub fn path(&mut self, field: &Field, how: &Use) {
        if field.text.is_empty() || self.sink.spend(1 + field.text.len() / 64) || is_free(&field.text) {
            return;
        }
        if field.text.starts_with("/dev/tcp/") || field.text.starts_with("/dev/udp/") {
            let raw = self.sink.raw(field);
            let why = self.sink.placed("the shell opens a network connection");
            return self.sink.certain(&raw, &why);
        }
        if let Some(text) = field.text.strip_suffix('\r').filter(|text| !text.contains(is_deceptive)) {
            // The end of a line as another system writes it.
            return self.path(&field.before(text.len()), how);
        }
        if field.text.contains(is_deceptive) {
            let certain = !self.sink.in_script();
            self.sink.unparsed(field, "a path holds characters that cannot be seen or that look like a blank");
            for part in field.text.split(is_deceptive).filter(|part| !part.is_empty() && certain) {
                self.spelled(&Field { span: field.span, ..Field::known(part) }, &Use { guess: true, ..how.clone() });
            }
            return;
        }
        match field.worst() {
            None => self.spelled(field, how),
            Some(_) if self.sink.in_script() => self.certain_part(field, how),
            Some(Unknown::Computed) => {
                self.sink.unparsed(field, "a path is computed when the command runs");
                self.known_part(field, how);
            }
            Some(Unknown::Environment(name)) if field.text.starts_with(MARK) => {
                self.sink.unparsed(field, &format!("the variable `{name}` decides a path and its value is not known"));
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
    fn known_part(&mut self, field: &Field, how: &Use) {
        let known = field.text.split(MARK).next().unwrap_or_default();
        if let Some(slash) = known.rfind('/') {
            self.spelled(&field.before(slash + 1), how);
        }
        // The part may be empty, so what is left must not lead out either.
        self.spelled(&fill(field, ""), &Use { guess: true, ..how.clone() });
    }

    fn spelled(&mut self, field: &Field, how: &Use) {
        if self.shell == Shell::Posix { self.posix_path(field, how) } else { self.windows_path(field, how) }
    }

    fn posix_path(&mut self, field: &Field, how: &Use) {
        if field.text.is_empty() {
            return;
        }
        if field.text.starts_with('/') || field.of_user {
            return self.sink.mention(field, as_form(field.pattern.as_deref(), &field.text), how);
        }
        for directory in self.frames.directories() {
            let form = join(directory, field);
            self.sink.mention(field, form, how);
        }
    }

    /// A path as a Windows shell spells it. Where the machine is none, drives and shares cannot be looked up.
    fn windows_path(&mut self, field: &Field, how: &Use) {
        if field.pattern.is_some() || matches!(field.text.to_ascii_lowercase().as_str(), "nul" | "$null" | "con") {
            return self.windows_pattern(field, how);
        }
        if self.sink.at().surroundings.platform != Platform::Windows {
            if has_drive(&field.text) || field.text.starts_with("\\\\") {
                return self.sink.unparsed(field, "a path with a drive or a share cannot be looked up on this machine");
            }
            let text = field.text.replace('\\', "/");
            return self.posix_path(&Field { text, ..field.clone() }, how);
        }
        if is_absolute(self.shell, &field.text) {
            return self.sink.mention(field, Form::Path(field.text.clone()), how);
        }
        for directory in self.frames.directories() {
            self.sink.mention(field, Form::Path(format!("{}\\{}", directory.path, field.text)), how);
        }
    }

    fn windows_pattern(&mut self, field: &Field, how: &Use) {
        let Some(star) = field.text.find(['*', '?']) else { return };
        // Only the directory that the pattern lies in is looked at; names are matched by the tool.
        let end = field.text.get(..star).and_then(|before| before.rfind(['\\', '/'])).map_or(0, |slash| slash + 1);
        let directory = Field { span: field.span, ..Field::known(field.text.get(..end).unwrap_or_default()) };
        let name = field.text.get(end..).unwrap_or_default().to_owned();
        if !directory.text.is_empty() {
            self.windows_path(&directory, how);
        }
        self.sink.mention(field, Form::NameOnly(name), how);
    }

    /// In a script only the directory counts in which something not known lies, and only if nothing permitted can be meant by it.
    fn certain_part(&mut self, field: &Field, how: &Use) {
        let known = field.text.split(MARK).next().unwrap_or_default();
        let Some(slash) = known.rfind('/') else { return };
        let directory = known.get(..slash).unwrap_or_default();
        let Some(cleaned) = self.frames.absolute(directory).filter(|_| !directory.is_empty()) else { return };
        let permitted = &self.sink.at().surroundings.allowed_directories;
        let spelled = std::iter::once(&self.sink.at().surroundings.spelled_root);
        if !permitted.iter().chain(spelled).any(|permitted| permitted.starts_with(&cleaned)) {
            self.posix_path(&field.before(slash + 1), how);
        }
    }
}

/// The field with every unknown replaced; `*` stands for any one name.
fn fill(field: &Field, by: &str) -> Field {
    let mut filled = Field { span: field.span, of_user: field.of_user, ..Field::default() };
    let pattern = field.pattern.clone();
    filled.text = field.text.replace(MARK, by);
    filled.pattern = match pattern {
        Some(pattern) => Some(pattern.replace(MARK, by)),
        None if by == "*" => {
            let mut escaped = Field::default();
            for (at, part) in field.text.split(MARK).enumerate() {
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
        let tail = field.pattern.clone().unwrap_or_else(|| escaped(&field.text));
        return Form::Glob(format!("{base}/{tail}"));
    }
    match (&field.pattern, &directory.unless) {
        (Some(pattern), _) => Form::Glob(format!("{}/{pattern}", escaped(base))),
        (None, None) => Form::Path(format!("{base}/{}", field.text)),
        (None, Some(unless)) => Form::Unless { path: format!("{base}/{}", field.text), directory: unless.clone() },
    }
}

/// Devices that hold nothing and keep nothing, and the process's own streams.
fn is_free(text: &str) -> bool {
    let Some(name) = text.strip_prefix("/dev/") else { return false };
    let descriptor = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(name, "null" | "zero" | "full" | "tty" | "stdin" | "stdout" | "stderr" | "random" | "urandom")
        || name.strip_prefix("fd/").is_some_and(descriptor)
}

/// Blanks that no shell splits at, direction marks and characters of no width: they make a path read as another.
pub fn is_deceptive(character: char) -> bool {
    matches!(character, '\u{A0}' | '\u{AD}' | '\u{1680}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{206F}' | '\u{3000}' | '\u{FEFF}')
        || character.is_control() && character != '\n' && character != '\t'
}
