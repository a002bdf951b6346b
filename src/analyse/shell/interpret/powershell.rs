//! Command lines of PowerShell: words, quotes, variables, blocks and pipes; expressions of .NET are asked about.
use super::interpreter::Interpreter;
use super::limits::Depth;
use super::windows::WindowsCommand;
use crate::analyse::shell::values::{Field, Stream, Unknown};
use crate::policy::{Direction, Shell};

/// A position in a text.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn while_name(&mut self) -> &'t str {
        let end = self.rest.find(|next: char| !next.is_ascii_alphanumeric() && !matches!(next, '_' | ':' | '?')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        name
    }

    /// What stands up to the bracket that closes; the opening one is passed already.
    fn enclosed(&mut self, open: char, close: char) -> &'t str {
        let mut depth = 1usize;
        let mut quote = None;
        for (at, next) in self.rest.char_indices() {
            match quote {
                Some(mark) if next == mark => quote = None,
                None if matches!(next, '\'' | '"') => quote = Some(next),
                None if next == open => depth += 1,
                None if next == close => {
                    depth -= 1;
                    if depth == 0 {
                        let inner = self.rest.get(..at).unwrap_or_default();
                        self.rest = self.rest.get(at + close.len_utf8()..).unwrap_or_default();
                        return inner;
                    }
                }
                _ => {}
            }
        }
        std::mem::take(&mut self.rest)
    }
}

impl Interpreter<'_> {
    /// Walks a command line of PowerShell.
    pub(super) fn powershell_text(&mut self, text: &str) {
        if self.sink.limits().nested() > 16 || self.sink.spend(1 + text.len() / 16) {
            return self.sink.unparsed_text(text, "commands are nested too deeply");
        }
        self.sink.enter(Depth::Inner);
        let outer = std::mem::replace(&mut self.shell, Shell::PowerShell);
        let mut reader = Reader { rest: text };
        let mut line = WindowsCommand::default();
        while let Some(next) = reader.peek() {
            match next {
                ' ' | '\t' | ',' => drop(reader.next()),
                ';' | '\n' | '\r' | '|' | '&' => {
                    reader.next();
                    self.statement(std::mem::take(&mut line));
                }
                '#' => reader.rest = reader.rest.find('\n').and_then(|end| reader.rest.get(end..)).unwrap_or_default(),
                '{' => {
                    reader.next();
                    let inner = reader.enclosed('{', '}');
                    self.powershell_text(inner);
                }
                '}' | ')' => drop(reader.next()),
                '>' => self.powershell_redirect(&mut reader, &mut line),
                '[' if line.words.is_empty() => {
                    self.expression_of_classes(reader.rest);
                    reader.rest = "";
                }
                _ => {
                    let word = self.powershell_word(&mut reader);
                    line.words.push(word);
                }
            }
        }
        self.statement(line);
        self.shell = outer;
        self.sink.leave(Depth::Inner);
    }

    fn powershell_redirect(&mut self, reader: &mut Reader, line: &mut WindowsCommand) {
        reader.rest = reader.rest.trim_start_matches('>');
        if reader.peek() == Some('&') {
            reader.next();
            reader.next();
            return;
        }
        if line.words.last().is_some_and(|word| matches!(word.text.as_str(), "1" | "2" | "3" | "4" | "5" | "6" | "*")) {
            line.words.pop();
        }
        reader.rest = reader.rest.trim_start_matches([' ', '\t']);
        let target = self.powershell_word(reader);
        line.targets.push((target, Direction::Write));
    }

    /// `$x = …` or a command.
    fn statement(&mut self, mut line: WindowsCommand) {
        let assigned =
            line.words.get(1).is_some_and(|word| word.text == "=") && line.words.first().is_some_and(|word| !word.unknowns.is_empty());
        if assigned {
            let name = match line.words.first().and_then(|word| word.unknowns.first()) {
                Some(Unknown::Environment(name)) => name.clone(),
                _ => String::new(),
            };
            line.words.drain(..2);
            let value = match line.words.as_slice() {
                [only] => only.clone(),
                _ => Field::unknown(Unknown::Computed),
            };
            self.state.variables.set(&name, vec![value]);
            if line.words.len() < 2 {
                line.words.clear();
            }
        }
        self.windows_line(&line);
    }

    fn powershell_word(&mut self, reader: &mut Reader) -> Field {
        let mut word = Field::default();
        while let Some(next) = reader.peek() {
            match next {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | ',' | '{' | '}' | ')' => break,
                '&' | '>' if !word.text.is_empty() => break,
                '\'' => {
                    reader.next();
                    let end = reader.rest.find('\'').unwrap_or(reader.rest.len());
                    word.push_quoted(reader.rest.get(..end).unwrap_or_default());
                    reader.rest = reader.rest.get(end + 1..).unwrap_or_default();
                }
                '"' => {
                    reader.next();
                    self.powershell_quoted(reader, &mut word);
                }
                '`' => {
                    reader.next();
                    push(&mut word, reader.next().unwrap_or('`'));
                }
                '$' => self.powershell_variable(reader, &mut word),
                '(' => {
                    reader.next();
                    let inner = reader.enclosed('(', ')');
                    self.powershell_text(inner);
                    word.push_unknown(Unknown::Computed);
                }
                '~' if word.text.is_empty() => {
                    reader.next();
                    let home = self.first_value("HOME");
                    word.push_field(&home.unwrap_or_else(|| Field::unknown(Unknown::Environment("HOME".to_owned()))));
                }
                other => {
                    reader.next();
                    let mut buffer = [0; 4];
                    word.push_active(other.encode_utf8(&mut buffer));
                }
            }
        }
        word
    }

    fn powershell_quoted(&mut self, reader: &mut Reader, word: &mut Field) {
        while let Some(next) = reader.peek() {
            match next {
                '"' => {
                    reader.next();
                    return;
                }
                '$' => self.powershell_variable(reader, word),
                '`' => {
                    reader.next();
                    push(word, reader.next().unwrap_or('`'));
                }
                other => {
                    reader.next();
                    push(word, other);
                }
            }
        }
        self.sink.unparsed_text(reader.rest, "a double quote is not closed");
    }

    fn powershell_variable(&mut self, reader: &mut Reader, word: &mut Field) {
        reader.next();
        match reader.peek() {
            Some('(') => {
                reader.next();
                let inner = reader.enclosed('(', ')');
                self.powershell_text(inner);
                return word.push_unknown(Unknown::Computed);
            }
            Some('{') => {
                reader.next();
                let name = reader.enclosed('{', '}');
                return word.push_field(&self.powershell_value(name));
            }
            _ => {}
        }
        let name = reader.while_name();
        if name.is_empty() {
            return push(word, '$');
        }
        word.push_field(&self.powershell_value(name));
    }

    fn powershell_value(&self, name: &str) -> Field {
        let plain = name.to_ascii_lowercase();
        let plain = plain.strip_prefix("env:").unwrap_or(&plain);
        let value = match plain {
            "null" => return Field::known("/dev/null"),
            "true" | "false" | "_" | "lastexitcode" | "pid" => {
                return Field::unknown(if plain == "_" { Unknown::Inside } else { Unknown::Token });
            }
            "pwd" => self.named("PWD"),
            "home" | "userprofile" | "homepath" => self.named("HOME"),
            upper => self.state.variables.get(name).cloned().or_else(|| self.named(&upper.to_ascii_uppercase())),
        };
        value.and_then(|values| values.first()?.first().cloned()).unwrap_or_else(|| Field::unknown(Unknown::Environment(name.to_owned())))
    }

    /// `[IO.File]::ReadAllText('…')`: its strings are searched, and it is asked about.
    fn expression_of_classes(&mut self, text: &str) {
        self.sink.unparsed_text(text, "an expression of .NET classes is not followed");
        self.act(&Stream::None, |acts| acts.code(text, &Field::known(text)));
    }
}

fn push(word: &mut Field, character: char) {
    let mut buffer = [0; 4];
    word.push_quoted(character.encode_utf8(&mut buffer));
}
