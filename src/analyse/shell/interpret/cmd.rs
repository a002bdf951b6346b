//! Command lines of `cmd.exe`: quotes, `^`, `%NAME%`, operators and redirections; what is more is asked about.
use super::interpreter::Interpreter;
use super::limits::Depth;
use super::windows::WindowsCommand;
use crate::analyse::shell::values::{Field, Unknown};
use crate::policy::{Direction, Shell};

/// Where the reader of a command line stands.
#[derive(Default)]
struct CmdReading {
    line: WindowsCommand,
    word: Option<Field>,
    redirect: Option<Direction>,
}

impl CmdReading {
    fn push(&mut self, character: char) {
        let mut buffer = [0; 4];
        self.word.get_or_insert_default().push_quoted(character.encode_utf8(&mut buffer));
    }

    fn push_active(&mut self, character: char) {
        let mut buffer = [0; 4];
        self.word.get_or_insert_default().push_active(character.encode_utf8(&mut buffer));
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirect.take() {
            Some(direction) => self.line.targets.push((word, direction)),
            None => self.line.words.push(word),
        }
    }

    fn redirect(&mut self, direction: Direction) {
        // A digit right before the operator is the stream that is redirected.
        if self.word.as_ref().is_some_and(|word| word.text.len() == 1 && word.text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.redirect = Some(direction);
    }
}

impl Interpreter<'_> {
    /// Walks a command line of `cmd.exe`.
    pub(super) fn cmd_text(&mut self, text: &str) {
        if self.sink.limits().nested() > 16 || self.sink.spend(1 + text.len() / 16) {
            return self.sink.unparsed_text(text, "commands are nested too deeply");
        }
        self.sink.enter(Depth::Inner);
        let outer = std::mem::replace(&mut self.shell, Shell::Cmd);
        let mut reading = CmdReading::default();
        let mut quoted = false;
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '"' => {
                    quoted = !quoted;
                    reading.word.get_or_insert_default();
                }
                '%' => rest = self.cmd_variable(rest.as_str(), &mut reading).chars(),
                '^' if !quoted => reading.push(rest.next().unwrap_or('^')),
                _ if quoted => reading.push(character),
                ' ' | '\t' | ',' | ';' => reading.end_word(),
                '&' if reading.redirect.is_some() && reading.word.is_none() => {
                    // `>&1`: another stream, not a file.
                    rest.next();
                    reading.redirect = None;
                }
                '&' | '|' | '\n' | '\r' | '(' | ')' => self.end_line(&mut reading),
                '@' if reading.line.words.is_empty() && reading.word.is_none() => {}
                '>' => reading.redirect(Direction::Write),
                '<' => reading.redirect(Direction::Read),
                _ => reading.push_active(character),
            }
        }
        if quoted {
            self.sink.unparsed_text(text, "a double quote is not closed");
        }
        self.end_line(&mut reading);
        self.shell = outer;
        self.sink.leave(Depth::Inner);
    }

    fn end_line(&mut self, reading: &mut CmdReading) {
        reading.end_word();
        let line = std::mem::take(&mut reading.line);
        reading.redirect = None;
        self.windows_line(&line);
    }

    /// What stands after `%`: a variable, or a sign that is no variable. Gives back what follows.
    fn cmd_variable<'t>(&mut self, rest: &'t str, reading: &mut CmdReading) -> &'t str {
        let Some((name, after)) = rest.split_once('%') else {
            reading.word.get_or_insert_default().push_unknown(Unknown::Computed);
            return rest.get(1..).unwrap_or_default();
        };
        if name.is_empty() || name.contains([' ', '\\', '/', '"']) {
            reading.word.get_or_insert_default().push_unknown(Unknown::Token);
            return rest.trim_start_matches('%');
        }
        let value = match name.to_ascii_uppercase().as_str() {
            "CD" => self.named("PWD"),
            "USERPROFILE" | "HOMEPATH" => self.named("HOME"),
            upper => self.named(upper),
        };
        let value = value.and_then(|values| values.first()?.first().cloned());
        reading.word.get_or_insert_default().push_field(&value.unwrap_or_else(|| Field::unknown(Unknown::Environment(name.to_owned()))));
        after
    }
}
