//! Programs of `sed`: the commands that read, write and run.
use super::act::{Act, Acts, Use};
use crate::analyse::shell::values::Field;
use crate::policy::Direction;

/// A position in a `sed` program.
struct SedProgram<'t> {
    rest: &'t str,
}

impl<'t> SedProgram<'t> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn line(&mut self) -> &'t str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim_start()
    }

    /// Steps over text up to an unescaped `delimiter`.
    fn delimited(&mut self, delimiter: char) {
        let mut class = false;
        while let Some(next) = self.next() {
            match next {
                '\\' => drop(self.next()),
                '[' if !class => class = true,
                ']' => class = false,
                '\n' => return,
                // A class may hold the delimiter; if it never closes, the first one ends.
                next if next == delimiter && (!class || !self.rest.split(delimiter).next().unwrap_or_default().contains(']')) => return,
                _ => {}
            }
        }
    }

    fn skip_address(&mut self) {
        loop {
            let Some(next) = self.rest.chars().next() else { return };
            match next {
                '0'..='9' | '$' | ',' | '!' | '~' | '+' | ' ' | '\t' | '\n' | ';' | '{' | '}' | 'I' | 'M' => drop(self.next()),
                '/' => {
                    self.next();
                    self.delimited('/');
                }
                '\\' => {
                    self.next();
                    if let Some(delimiter) = self.next() {
                        self.delimited(delimiter);
                    }
                }
                _ => return,
            }
        }
    }
}

impl Acts {
    /// A program of `sed` (GNU sed manual, Commands).
    pub fn sed(&mut self, field: &Field) {
        let text = field.text.clone();
        let mut program = SedProgram { rest: &text };
        loop {
            program.skip_address();
            let Some(command) = program.next() else { return };
            match command {
                '#' | 'a' | 'i' | 'c' => drop(program.line()),
                'b' | 't' | 'T' | ':' => {
                    let end = program.rest.find([';', '\n', '}']).unwrap_or(program.rest.len());
                    program.rest = program.rest.get(end..).unwrap_or_default();
                }
                'r' | 'R' => self.sed_file(program.line(), Direction::Read, field),
                'w' | 'W' => self.sed_file(program.line(), Direction::Write, field),
                'e' => self.sed_run(program.line(), field),
                's' => self.substitute(&mut program, field),
                'y' => {
                    if let Some(delimiter) = program.next() {
                        program.delimited(delimiter);
                        program.delimited(delimiter);
                    }
                }
                _ => {}
            }
        }
    }

    fn substitute(&mut self, program: &mut SedProgram<'_>, field: &Field) {
        let Some(delimiter) = program.next() else { return };
        program.delimited(delimiter);
        program.delimited(delimiter);
        while let Some(flag) = program.rest.chars().next().filter(|flag| !matches!(flag, ';' | '\n' | '}')) {
            program.next();
            match flag {
                'w' => return self.sed_file(program.line(), Direction::Write, field),
                'e' => self.unparsed(field, "`sed` runs the text that it makes"),
                _ => {}
            }
        }
    }

    fn sed_file(&mut self, name: &str, direction: Direction, field: &Field) {
        let file = Field { span: field.span, ..Field::known(name.trim_end()) };
        self.path(&file, Use::new(direction, "file named in a program of `sed`"));
    }

    fn sed_run(&mut self, command: &str, field: &Field) {
        if command.trim().is_empty() {
            self.unparsed(field, "`sed` runs the text that it reads");
        } else {
            self.push(Act::Text(command.to_owned()));
        }
    }
}
