//! Words of a command line: quoting, escapes, line joins, here-documents. One pass, bounded depth.
//!
//! The grammar is our own because the gate must stay linear on hostile text: the shell parser crate that was tried takes
//! time exponential in the nesting of `case` and `(` (20 seconds for 330 bytes), which an agent can send.
use std::cell::OnceCell;
use std::rc::Rc;

use super::syntax::{Piece, Span, Word};

/// Deepest nesting. A compound or a substitution counts twice, as a list and as a command, so this is 100 of them.
const DEEPEST: usize = 200;

/// Most words of one text: what runs them would not get further anyway.
pub const MOST_WORDS: usize = 60_000;

/// Why a text is not a command line that we follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub why: &'static str,
    /// Byte offset in the text.
    pub at: usize,
}

/// A here-document whose body stands after the end of the line.
pub struct Pending {
    pub delimiter: String,
    pub literal: bool,
    pub strip_tabs: bool,
    pub body: Rc<OnceCell<Word>>,
}

/// A position in a text, with what is still to be read.
pub struct Scanner<'a> {
    pub text: &'a str,
    pub at: usize,
    pub depth: usize,
    pub pending: Vec<Pending>,
    /// Words read so far.
    words: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, pending: Vec::new(), words: 0 }
    }

    pub fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    pub fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.0..span.1).unwrap_or_default()
    }

    pub fn fault<T>(&self, why: &'static str) -> Result<T, Fault> {
        Err(Fault { why, at: self.at })
    }

    /// Steps over `expected` if it comes next.
    pub fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEEPEST { self.fault("it is nested too deeply") } else { Ok(()) }
    }

    /// Steps over blanks, line joins and a comment.
    pub fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => return self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// A word up to the next blank or operator.
    pub fn word(&mut self) -> Result<Word, Fault> {
        self.words += 1;
        if self.words > MOST_WORDS {
            return self.fault("it is too long or too repetitive to be followed");
        }
        let start = self.at;
        let pieces = self.pieces(is_word_end)?;
        Ok(Word { pieces, span: (start, self.at) })
    }

    /// Pieces up to the first unquoted byte that `ends` names, or the end of the text.
    pub fn pieces(&mut self, ends: fn(u8) -> bool) -> Result<Vec<Piece>, Fault> {
        let mut pieces = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.byte(1) == Some(b'(') => pieces.push(self.process()?),
                b'?' | b'*' | b'+' | b'@' | b'!' if self.byte(1) == Some(b'(') => pieces.push(self.extended_glob()?),
                byte if ends(byte) => break,
                b'\\' => self.escape(&mut pieces),
                b'\'' => pieces.push(self.single()?),
                b'"' => self.double(&mut pieces)?,
                b'$' if self.byte(1) == Some(b'\'') => pieces.push(self.ansi()?),
                b'$' if self.byte(1) == Some(b'"') => {
                    self.at += 1;
                    self.double(&mut pieces)?;
                }
                b'$' => pieces.push(self.dollar(false)?),
                b'`' => pieces.push(self.backquoted(false)?),
                _ => pieces.push(self.run(ends)),
            }
        }
        Ok(pieces)
    }

    fn run(&mut self, ends: fn(u8) -> bool) -> Piece {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            let glob = matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!') && self.byte(1) == Some(b'(');
            if ends(byte) || glob || matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`') {
                break;
            }
            self.at += 1;
        }
        Piece::Text(self.slice((start, self.at)).to_owned())
    }

    fn escape(&mut self, pieces: &mut Vec<Piece>) {
        self.at += 1;
        let Some(next) = self.rest().chars().next() else { return pieces.push(Piece::Quoted("\\".to_owned())) };
        self.at += next.len_utf8();
        if next != '\n' {
            pieces.push(Piece::Quoted(next.to_string()));
        }
    }

    fn single(&mut self) -> Result<Piece, Fault> {
        let start = self.at + 1;
        let Some(length) = self.text.get(start..).and_then(|rest| rest.find('\'')) else {
            return self.fault("a single quote is not closed");
        };
        self.at = start + length + 1;
        Ok(Piece::Quoted(self.slice((start, start + length)).to_owned()))
    }

    fn ansi(&mut self) -> Result<Piece, Fault> {
        let start = self.at + 2;
        self.at = start;
        loop {
            match self.peek() {
                None => return self.fault("a quote is not closed"),
                Some(b'\'') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        let inner = self.slice((start, self.at));
        self.at += 1;
        Ok(Piece::Quoted(super::escapes::ansi(inner)))
    }

    fn double(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        self.at += 1;
        self.deeper()?;
        pieces.push(Piece::Quoted(String::new()));
        self.quoted(pieces, Some(b'"'))?;
        self.depth -= 1;
        if self.take("\"") { Ok(()) } else { self.fault("a double quote is not closed") }
    }

    /// The inside of double quotes, or of a here-document when nothing closes it.
    pub fn quoted(&mut self, pieces: &mut Vec<Piece>, close: Option<u8>) -> Result<(), Fault> {
        while let Some(byte) = self.peek() {
            match byte {
                byte if Some(byte) == close => break,
                b'$' => pieces.push(self.dollar(true)?),
                b'`' => pieces.push(self.backquoted(true)?),
                b'\\' => self.quoted_escape(pieces, close.is_some()),
                _ => {
                    let start = self.at;
                    let stop = |byte: &u8| matches!(byte, b'$' | b'`' | b'\\') || Some(*byte) == close;
                    self.at += self.rest().bytes().position(|byte| stop(&byte)).unwrap_or(self.rest().len());
                    pieces.push(Piece::Quoted(self.slice((start, self.at)).to_owned()));
                }
            }
        }
        Ok(())
    }

    fn quoted_escape(&mut self, pieces: &mut Vec<Piece>, in_quotes: bool) {
        let next = self.byte(1);
        match next {
            Some(b'\n') => self.at += 2,
            Some(byte @ (b'$' | b'`' | b'\\')) => {
                self.at += 2;
                pieces.push(Piece::Quoted(char::from(byte).to_string()));
            }
            Some(b'"') if in_quotes => {
                self.at += 2;
                pieces.push(Piece::Quoted("\"".to_owned()));
            }
            _ => {
                self.at += 1;
                pieces.push(Piece::Quoted("\\".to_owned()));
            }
        }
    }

    /// The bodies of the here-documents that were announced on the line that just ended.
    pub fn documents(&mut self) -> Result<(), Fault> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut end = start;
            let mut body = String::new();
            while end < self.text.len() {
                let line = self.text.get(end..).and_then(|rest| rest.split_inclusive('\n').next()).unwrap_or_default();
                end += line.len();
                let shown = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
                if shown.strip_suffix('\n').unwrap_or(shown) == pending.delimiter {
                    break;
                }
                body.push_str(shown);
            }
            self.at = end;
            let pieces = if pending.literal { vec![Piece::Quoted(body)] } else { document(&body, self.depth)? };
            // The cell is set once: each pending document is taken out of the list.
            let _ = pending.body.set(Word { pieces, span: (start, end) });
        }
        Ok(())
    }
}

/// The pieces of a text in which only `$`, backquotes and backslashes are special.
pub fn document(text: &str, depth: usize) -> Result<Vec<Piece>, Fault> {
    let mut scanner = Scanner::new(text, depth);
    scanner.deeper()?;
    let mut pieces = Vec::new();
    scanner.quoted(&mut pieces, None)?;
    Ok(pieces)
}

/// Whether an unquoted byte ends a word.
pub fn is_word_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
