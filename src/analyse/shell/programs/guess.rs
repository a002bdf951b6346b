//! Words of programs that the table does not know: what looks like a path is one; URLs.
use std::rc::Rc;

use super::act::{Acts, Use};
use super::by_role::climbs_or_absolute;
use super::command_words::COMMAND_WORDS;
use crate::analyse::shell::values::{Field, MARK, Unknown};
use crate::analyse::{Condition, Form};
use crate::policy::{Direction, Shell};

impl Acts {
    /// All words of a program that is not known.
    pub fn guess_all(&mut self, arguments: &[Field]) {
        for argument in arguments {
            self.note(argument, "argument");
            self.guess(argument, "a program that is not in the table");
        }
    }

    /// A word of a program that is known but takes words of many kinds: an absolute one counts only if it can be a path.
    pub fn guess_known(&mut self, field: &Field, program: &str) {
        if field.text.starts_with('/') && field.worst() != Some(Unknown::Computed) {
            return self.option_value(field, &format!("argument of `{program}`").into());
        }
        self.guess(field, program);
    }

    /// A word that is a path if it looks like one, or if an entry of that name exists.
    pub fn guess(&mut self, field: &Field, program: &str) {
        if field.text.is_empty() {
            return;
        }
        let because: Rc<str> = format!("argument of `{program}`").into();
        let because = &because;
        if is_network(&field.text) || field.text.starts_with("file:") {
            if field.text.contains("/../") {
                self.guess_shape(field, because);
            }
            return self.url(field, because);
        }
        if field.text.starts_with('-') {
            return self.guess_option(field, because);
        }
        for mark in ['=', '@', ':'] {
            if let Some((before, value)) = field.split_once(mark)
                && !before.text.contains('/')
                && climbs_or_absolute(&value.text)
                // `name:/path` is mostly elsewhere: on another host or in a container.
                && (mark != ':' || !value.text.starts_with('/'))
            {
                return self.guess_shape(&value, because);
            }
        }
        self.guess_shape(field, because);
    }

    fn guess_shape(&mut self, field: &Field, because: &Rc<str>) {
        let shell = self.setting().shell;
        let windows = shell != Shell::Posix && (is_absolute(shell, &field.text) || climbs_or_absolute(&field.text.replace('\\', "/")));
        if self.setting().in_script && field.text.starts_with('/') {
            let plain = !field.text.contains([' ', '\n', ':']);
            return if plain {
                self.path(field, Use::guess(Direction::Unknown, Condition::Exists, Rc::clone(because)))
            };
        }
        if windows || climbs_or_absolute(&field.text) {
            return self.path(field, Use::guess(Direction::Unknown, Condition::Always, Rc::clone(because)));
        }
        match field.worst() {
            Some(Unknown::Computed) if field.text.starts_with(MARK) || field.text.contains('/') => {
                self.unparsed(field, "an argument of a program that is not known is computed")
            }
            Some(_) => {}
            None => {
                // `host:/path` and `name:path`: the part behind the mark is looked at by name.
                self.path(field, Use::guess(Direction::Unknown, Condition::Exists, Rc::clone(because)));
            }
        }
    }

    fn guess_option(&mut self, field: &Field, because: &Rc<str>) {
        if let Some((_, value)) = field.split_once('=') {
            let value = if value.text.starts_with('@') { value.skip(1) } else { value };
            if !is_network(&value.text) {
                return self.option_value(&value, because);
            }
            return self.url(&value, because);
        }
        let short = field.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        if let Some(at) = short.and_then(|rest| rest.find(['/', '~', '.', '@'])).filter(|at| *at <= 1) {
            let value = field.skip(1 + at);
            let value = if value.text.starts_with('@') { value.skip(1) } else { value };
            self.option_value(&value, because);
        }
    }

    /// The value of an option that is not known.
    pub fn option_value(&mut self, value: &Field, because: &Rc<str>) {
        let nested = value.text.split_once('=').filter(|(key, _)| !key.contains('/')).map(|(key, _)| value.skip(key.len() + 1));
        let value = nested.as_ref().unwrap_or(value);
        if value.text.starts_with('/') {
            self.path(value, Use::guess(Direction::Unknown, Condition::FirstComponentExists, Rc::clone(because)));
        } else if climbs_or_absolute(&value.text) {
            self.path(value, Use::guess(Direction::Unknown, Condition::Always, Rc::clone(because)));
        } else if value.unknowns.is_empty() {
            self.path(value, Use::guess(Direction::Unknown, Condition::Exists, Rc::clone(because)));
        }
    }

    /// A URL, or a path where it has no scheme.
    pub fn url(&mut self, field: &Field, because: &Rc<str>) {
        let text = field.text.as_str();
        if let Some(rest) = strip_scheme(text, "file:") {
            let path = rest.strip_prefix("//").map_or(rest, |rest| rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or(rest));
            let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
            let decoded = Field { span: field.span, unknowns: field.unknowns.clone(), ..Field::known(decoded) };
            return self.path(&decoded, Use::new(Direction::Unknown, Rc::clone(because)));
        }
        if text.starts_with("ext::") {
            self.unparsed(field, "a program is run as the transport of a remote");
            return self.guess_all(&text.split([' ', ':']).map(Field::known).collect::<Vec<_>>());
        }
        if is_network(text) {
            if field.literal().is_some() && (strip_scheme(text, "http").is_some() || strip_scheme(text, "ws").is_some()) {
                self.mention(field, Form::Url(text.to_owned()), Use::guess(Direction::Read, Condition::Always, Rc::clone(because)));
            }
            return;
        }
        if text.starts_with(['/', '.', '~']) {
            self.path(field, Use::new(Direction::Read, Rc::clone(because)));
        }
    }
}

fn strip_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| text.get(scheme.len()..)).flatten()
}

/// Whether a text is an address on a network, `user@host:path` of `git` and `ssh` included.
pub fn is_network(text: &str) -> bool {
    if let Some((scheme, _)) = text.split_once("://") {
        let plain = scheme.rsplit('+').next().unwrap_or(scheme).to_ascii_lowercase();
        return COMMAND_WORDS.addresses.schemes.has(&plain);
    }
    let Some((user, rest)) = text.split_once('@') else { return false };
    let name = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    name(user) && rest.split_once(':').is_some_and(|(host, _)| name(host))
}

/// Whether a text names a place by itself, without the working directory.
pub fn is_absolute(shell: Shell, text: &str) -> bool {
    text.starts_with('/') || shell != Shell::Posix && (text.starts_with('\\') || has_drive(text))
}

/// Whether a text begins with a drive letter.
pub fn has_drive(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && characters.next() == Some(':')
}
