//! What begins with `$` or a backquote, process substitutions and extended globs.
use std::rc::Rc;

use super::scan::{Fault, Scanner, document};
use super::syntax::{Operation, Parameter, Piece, Word};

impl Scanner<'_> {
    /// What begins with `$`; `quoted` is said within double quotes and here-documents.
    pub fn dollar(&mut self, quoted: bool) -> Result<Piece, Fault> {
        if self.rest().starts_with("$((")
            && let Some(end) = self.arithmetic_end(self.at + 1)
        {
            let pieces = document(self.slice((self.at + 3, end - 2)), self.depth)?;
            let span = (self.at, end);
            self.at = end;
            return Ok(Piece::Arithmetic(Word { pieces, span }));
        }
        if self.take("$(") {
            let script = self.enclosed(")")?;
            return Ok(Piece::Command(Rc::new(script), quoted));
        }
        if self.take("${") {
            self.deeper()?;
            let parameter = self.parameter(quoted)?;
            self.depth -= 1;
            return Ok(Piece::Parameter(Box::new(parameter), quoted));
        }
        if self.take("$[") {
            let start = self.at;
            let Some(length) = self.rest().find(']') else { return self.fault("`$[` is not closed") };
            self.at += length + 1;
            let pieces = document(self.slice((start, start + length)), self.depth)?;
            return Ok(Piece::Arithmetic(Word { pieces, span: (start, start + length) }));
        }
        self.at += 1;
        let Some(name) = self.name() else { return Ok(Piece::Quoted("$".to_owned())) };
        Ok(Piece::Parameter(Box::new(plain(name)), quoted))
    }

    /// The name of a parameter at this place, stepped over.
    fn name(&mut self) -> Option<String> {
        let first = self.peek()?;
        let length = match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                self.rest().bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => 1,
            _ => return None,
        };
        let name = self.rest().get(..length)?.to_owned();
        self.at += length;
        Some(name)
    }

    fn parameter(&mut self, quoted: bool) -> Result<Parameter, Fault> {
        let length = self.peek() == Some(b'#') && !matches!(self.byte(1), Some(b'}' | b'#' | b'%' | b':' | b'-'));
        let indirect = self.peek() == Some(b'!') && self.byte(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if length || indirect {
            self.at += 1;
        }
        let Some(mut name) = self.name() else { return self.fault("a parameter has no name") };
        while name.starts_with(|first: char| first.is_ascii_digit()) && self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            name.push_str(&self.name().unwrap_or_default());
        }
        let mut index = Vec::new();
        let indexed = self.take("[");
        if indexed {
            index = self.pieces(|byte| byte == b']')?;
            if !self.take("]") {
                return self.fault("an index is not closed");
            }
        }
        let mut operation = if length { Operation::Length } else { self.operation(quoted)? };
        if index.iter().any(|piece| matches!(piece, Piece::Command(..) | Piece::Parameter(..))) && matches!(operation, Operation::Plain) {
            operation = Operation::Computed(vec![Word { pieces: index, span: (self.at, self.at) }], false);
        }
        if !self.take("}") {
            return self.fault("`${` is not closed");
        }
        Ok(Parameter { name, indirect, operation })
    }

    fn operation(&mut self, quoted: bool) -> Result<Operation, Fault> {
        let colon = self.peek() == Some(b':') && matches!(self.byte(1), Some(b'-' | b'=' | b'+' | b'?'));
        if colon {
            self.at += 1;
        }
        let Some(first) = self.peek() else { return self.fault("`${` is not closed") };
        if first == b'}' {
            return Ok(Operation::Plain);
        }
        if first == b'@' && self.byte(1) == Some(b'P') {
            self.at += 2;
            return Ok(Operation::Prompt);
        }
        self.at += 1;
        let twice = matches!(first, b'#' | b'%') && self.peek() == Some(first);
        if twice {
            self.at += 1;
        }
        // What is cut off is a pattern even within double quotes.
        let word = self.operand(quoted && !matches!(first, b'#' | b'%'))?;
        Ok(match first {
            b'-' => Operation::Default(word, false),
            b'=' => Operation::Default(word, true),
            b'+' => Operation::Alternative(word),
            b'?' => Operation::Required(word),
            b'#' => Operation::Cut(word, false, twice),
            b'%' => Operation::Cut(word, true, twice),
            b'/' => {
                let added = word
                    .literal()
                    .is_none_or(|text| text.rsplit('/').next().is_some_and(|by| by.contains('.')) || text.matches('/').count() > 2);
                Operation::Computed(vec![word], added)
            }
            _ => Operation::Computed(vec![word], false),
        })
    }

    fn operand(&mut self, quoted: bool) -> Result<Word, Fault> {
        let start = self.at;
        let mut pieces = self.pieces(|byte| byte == b'}')?;
        if quoted {
            pieces = pieces.into_iter().map(into_quoted).collect();
        }
        Ok(Word { pieces, span: (start, self.at) })
    }

    /// A command in backquotes. Backslashes before `\`, `$` and a backquote go first, then the rest is a text of its own.
    pub fn backquoted(&mut self, quoted: bool) -> Result<Piece, Fault> {
        self.at += 1;
        let mut inner = String::new();
        loop {
            let Some(next) = self.rest().chars().next() else { return self.fault("a backquote is not closed") };
            self.at += next.len_utf8();
            match next {
                '`' => break,
                '\\' if matches!(self.peek(), Some(b'\\' | b'$' | b'`')) || quoted && self.peek() == Some(b'"') => {
                    inner.extend(self.rest().chars().next());
                    self.at += 1;
                }
                other => inner.push(other),
            }
        }
        self.deeper()?;
        let script = Scanner::new(&inner, self.depth).whole()?;
        self.depth -= 1;
        Ok(Piece::Command(Rc::new(script), quoted))
    }

    /// `<(…)` and `>(…)`.
    pub fn process(&mut self) -> Result<Piece, Fault> {
        self.at += 2;
        Ok(Piece::Process(Rc::new(self.enclosed(")")?)))
    }

    /// `@(…)` and its like, stepped over: what it matches is not followed.
    pub fn extended_glob(&mut self) -> Result<Piece, Fault> {
        self.at += 1;
        match self.balanced(self.at) {
            Some(end) => {
                self.at = end;
                Ok(Piece::ExtendedGlob)
            }
            None => self.fault("a parenthesis is not closed"),
        }
    }

    /// The end of `((…))` that begins at `start`, if its two closing parentheses stand together.
    pub fn arithmetic_end(&self, start: usize) -> Option<usize> {
        let end = self.balanced(start)?;
        let inner = self.balanced(start + 1)?;
        (inner + 1 == end).then_some(end)
    }

    /// The place after the parenthesis that closes the one at `start`; quotes and escapes are stepped over.
    fn balanced(&self, start: usize) -> Option<usize> {
        let mut open = 0usize;
        let mut quote = None;
        let mut bytes = self.text.as_bytes().iter().enumerate().skip(start);
        while let Some((at, byte)) = bytes.next() {
            match (quote, *byte) {
                (Some(b'\''), b'\\') => {}
                (_, b'\\') => drop(bytes.next()),
                (Some(open_quote), byte) if byte == open_quote => quote = None,
                (None, byte @ (b'\'' | b'"')) => quote = Some(byte),
                (None, b'(') => open += 1,
                (None, b')') => {
                    open = open.checked_sub(1)?;
                    if open == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// `$name` without an operation.
fn plain(name: String) -> Parameter {
    Parameter { name, indirect: false, operation: Operation::Plain }
}

fn into_quoted(piece: Piece) -> Piece {
    match piece {
        Piece::Text(text) => Piece::Quoted(text),
        Piece::Parameter(parameter, _) => Piece::Parameter(parameter, true),
        Piece::Command(script, _) => Piece::Command(script, true),
        other => other,
    }
}
