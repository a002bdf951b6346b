//! Parsing redirections.
use std::cell::OnceCell;
use std::rc::Rc;

use super::scan::{Fault, Pending, Scanner};
use super::syntax::{Piece, Redirect, Redirection, Word};

impl Scanner<'_> {
    /// The redirections after a compound command.
    pub fn redirections(&mut self) -> Result<Vec<Redirection>, Fault> {
        let mut found = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirection()? {
                Some(redirection) => found.push(redirection),
                None => return Ok(found),
            }
        }
    }

    /// The redirection at this place, if there is one.
    pub fn redirection(&mut self) -> Result<Option<Redirection>, Fault> {
        let prefix = self.descriptor_length();
        let (first, second) = (self.byte(prefix), self.byte(prefix + 1));
        let process = prefix == 0 && second == Some(b'(');
        let both = prefix == 0 && first == Some(b'&') && second == Some(b'>');
        if !both && (process || !matches!(first, Some(b'<' | b'>'))) {
            return Ok(None);
        }
        let descriptor = self.slice((self.at, self.at + prefix)).parse().ok();
        self.at += prefix;
        Ok(Some(Redirection { descriptor, kind: self.redirect()? }))
    }

    /// How many bytes of `2` or `{name}` stand before a redirection operator.
    fn descriptor_length(&self) -> usize {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if self.peek() != Some(b'{') {
            return digits;
        }
        let name = self.rest().bytes().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let closed = self.byte(name + 1) == Some(b'}') && matches!(self.byte(name + 2), Some(b'<' | b'>'));
        if closed && name > 0 { name + 2 } else { 0 }
    }

    fn redirect(&mut self) -> Result<Redirect, Fault> {
        if self.take("<<<") {
            return Ok(Redirect::Text(self.target()?));
        }
        if self.take("<<-") {
            return self.here(true);
        }
        if self.take("<<") {
            return self.here(false);
        }
        if self.take("<>") {
            return Ok(Redirect::Both(self.target()?));
        }
        if self.take(">&") {
            return Ok(Redirect::Duplicate(self.target()?, true));
        }
        if self.take("<&") {
            return Ok(Redirect::Duplicate(self.target()?, false));
        }
        if self.take("<") {
            return Ok(Redirect::Read(self.target()?));
        }
        let _ = self.take("&>>") || self.take("&>") || self.take(">>") || self.take(">|") || self.take(">");
        // `>!` overwrites in zsh and csh; glued to the name it is a part of the name in other shells.
        if self.peek() == Some(b'!') && matches!(self.byte(1), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        Ok(Redirect::Write(self.target()?))
    }

    fn target(&mut self) -> Result<Word, Fault> {
        self.skip_blanks();
        let word = self.word()?;
        if word.span.0 == word.span.1 { self.fault("a redirection has no target") } else { Ok(word) }
    }

    fn here(&mut self, strip_tabs: bool) -> Result<Redirect, Fault> {
        let word = self.target()?;
        let Some(delimiter) = word.literal() else { return self.fault("the end mark of a here-document is computed") };
        let literal = word.pieces.iter().any(|piece| matches!(piece, Piece::Quoted(_)));
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { delimiter, literal, strip_tabs, body: Rc::clone(&body) });
        Ok(Redirect::Document(body))
    }
}
