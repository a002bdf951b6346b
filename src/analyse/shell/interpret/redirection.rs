//! Redirections as they are made: what a command reads and writes through its descriptors.
use super::interpreter::Interpreter;
use crate::analyse::shell::grammar::{Redirect, Redirection, Word};
use crate::analyse::shell::programs::Use;
use crate::analyse::shell::values::{Field, Stream, Unknown};
use crate::policy::Direction;

/// What the redirections of one command come to.
#[derive(Debug, Default)]
pub struct Plumbing {
    /// Its standard input, if that is redirected.
    pub input: Option<Stream>,
    /// The files its standard output goes to.
    pub output: Option<Vec<Field>>,
}

impl Interpreter<'_> {
    pub(super) fn redirections(&mut self, redirections: &[Redirection]) -> Plumbing {
        let mut plumbing = Plumbing::default();
        for redirection in redirections {
            self.redirection(redirection, &mut plumbing);
        }
        plumbing
    }

    fn redirection(&mut self, redirection: &Redirection, plumbing: &mut Plumbing) {
        match &redirection.kind {
            Redirect::Read(word) => {
                let fields = self.target(word, Direction::Read, "read by `<`");
                plumbing.input = Some(self.file_text(&fields));
            }
            Redirect::Write(word) => {
                let fields = self.target(word, Direction::Write, "written by `>`");
                if matches!(redirection.descriptor, None | Some(1)) {
                    plumbing.output = Some(fields);
                }
            }
            Redirect::Both(word) => {
                self.target(word, Direction::Unknown, "opened by `<>`");
                plumbing.input = Some(Stream::Unknown(Unknown::Computed));
            }
            Redirect::Duplicate(word, output) => self.duplicate(word, *output, plumbing),
            Redirect::Text(word) => {
                let fields = self.word_unsplit(word);
                plumbing.input = Some(Stream::of(fields.get(..1).unwrap_or_default(), "", "\n"));
            }
            Redirect::Document(body) => {
                if let Some(body) = body.get() {
                    let fields = self.word_unsplit(body);
                    plumbing.input = Some(Stream::of(fields.get(..1).unwrap_or_default(), "", ""));
                }
            }
        }
    }

    fn target(&mut self, word: &Word, direction: Direction, because: &str) -> Vec<Field> {
        let fields = self.word_unsplit(word);
        for field in &fields {
            self.sink.note(field, because);
            self.path(field, &Use::new(direction, because));
            // `>!name` overwrites `name` in zsh and csh.
            if let Some(after) = field.text.strip_prefix('!') {
                let skipped = field.skip(field.text.len() - after.len());
                self.path(&skipped, &Use::new(direction, because));
            }
        }
        fields
    }

    /// `>&word`: a descriptor, or a file.
    fn duplicate(&mut self, word: &Word, output: bool, plumbing: &mut Plumbing) {
        let fields = self.word_unsplit(word);
        for field in &fields {
            let descriptor = field.text.trim_end_matches('-');
            if descriptor.bytes().all(|byte| byte.is_ascii_digit()) || field.worst() == Some(Unknown::Token) {
                continue;
            }
            let direction = if output { Direction::Write } else { Direction::Read };
            self.sink.note(field, "redirection");
            self.path(field, &Use::new(direction, "written by `>&`"));
            if output {
                plumbing.output = Some(fields.clone());
            }
        }
    }

    /// What a file holds, as far as this command line wrote it.
    pub(super) fn file_text(&self, fields: &[Field]) -> Stream {
        let known = fields.first().and_then(Field::literal);
        match known {
            Some("/dev/null") => Stream::Text(String::new()),
            Some(name) => match self.state.written_text(name) {
                Some(text) => Stream::Text(text),
                None => Stream::Unknown(Unknown::Computed),
            },
            None => Stream::Unknown(Unknown::Computed),
        }
    }

    /// Remembers the text that was written to a file; what is redirected does not come out.
    pub(super) fn keep_written(&mut self, plumbing: &Plumbing, output: Stream) -> Stream {
        let Some(targets) = &plumbing.output else { return output };
        if let Stream::Text(text) = output {
            for target in targets {
                self.remember(target, &text);
            }
        }
        Stream::None
    }

    /// Remembers that a file holds a text, beside what was written to it before.
    pub(super) fn remember(&mut self, target: &Field, text: &str) {
        let Some(path) = target.literal().and_then(|name| self.state.frames.absolute(name)) else { return };
        let known = self.state.files.text(&path).map_or(0, |known| known.len());
        if !self.sink.spend((known + text.len()) / 64) {
            self.state.files.append(path, text);
        }
    }
}
