//! The grammar of a command line: lists, pipelines, compounds, simple commands. Recursive within the bound of `Scanner`.

use super::scan::{Fault, Scanner, is_word_end};
use super::syntax::{Assignment, Command, Item, Joint, Node, Piece, Redirection, Script, Simple, Value, Word};

/// The tree of `text`. A fault means that the text is no command line that we can follow.
pub fn parse(text: &str, depth: usize) -> Result<Script, Fault> {
    Scanner::new(text, depth).whole()
}

/// What stands before the first fault of `text`: a shell reads a script command by command, so that much has run.
pub fn leading(text: &str, depth: usize) -> Script {
    let mut items = Vec::new();
    // The fault itself says nothing more: what follows it cannot be followed.
    let _ = Scanner::new(text, depth).list_into(&mut items);
    Script { items }
}

pub const OPENERS: [&str; 10] = ["{", "if", "while", "until", "for", "select", "case", "[[", "function", "coproc"];
const CLOSERS: [&str; 9] = ["}", "then", "do", "done", "fi", "elif", "else", "esac", "]]"];

impl Scanner<'_> {
    /// The whole text as a list.
    pub fn whole(&mut self) -> Result<Script, Fault> {
        let script = self.list()?;
        self.documents()?;
        if self.at < self.text.len() { self.fault("something closes that was not opened") } else { Ok(script) }
    }

    /// A list up to `close`, which is stepped over.
    pub fn enclosed(&mut self, close: &'static str) -> Result<Script, Fault> {
        self.deeper()?;
        let script = self.list()?;
        self.depth -= 1;
        self.expect(close)?;
        Ok(script)
    }

    pub fn expect(&mut self, word: &'static str) -> Result<(), Fault> {
        self.skip_lines()?;
        if self.take(word) { Ok(()) } else { self.fault("a compound command is not closed") }
    }

    /// Steps over blanks and line ends; reads the here-documents that wait at a line end.
    pub fn skip_lines(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.documents()?;
        }
    }

    pub fn list(&mut self) -> Result<Script, Fault> {
        let mut items: Vec<Item> = Vec::new();
        self.list_into(&mut items)?;
        Ok(Script { items })
    }

    fn list_into(&mut self, items: &mut Vec<Item>) -> Result<(), Fault> {
        let mut joint = Joint::Next;
        loop {
            self.skip_lines()?;
            if self.at_close() || self.rest().starts_with(";;") || self.rest().starts_with(";&") {
                return Ok(());
            }
            if matches!(self.peek(), Some(b';' | b'&' | b'|')) {
                return self.fault("an operator stands without a command");
            }
            let stages = self.pipeline()?;
            self.skip_blanks();
            let next = if self.take("&&") {
                Joint::And
            } else if self.take("||") {
                Joint::Or
            } else {
                Joint::Next
            };
            let mut background = false;
            if next == Joint::Next && !self.rest().starts_with(";;") && !self.rest().starts_with(";&") && !self.take(";") {
                background = self.take("&");
            }
            items.push(Item { joint, stages, background });
            joint = next;
        }
    }

    pub fn at_close(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            _ => CLOSERS.contains(&self.reserved()),
        }
    }

    /// The bare word at this place, or nothing if it is quoted or computed.
    pub fn reserved(&self) -> &str {
        let rest = self.rest();
        // No reserved word is longer than this, so a huge word is not scanned twice.
        let length =
            rest.bytes().take(12).take_while(|byte| !is_word_end(*byte) && !matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`')).count();
        match rest.as_bytes().get(length) {
            Some(b'\\' | b'\'' | b'"' | b'$' | b'`') => "",
            _ => rest.get(..length).unwrap_or_default(),
        }
    }

    pub fn keyword(&mut self, word: &str) -> bool {
        let found = self.reserved() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    fn pipeline(&mut self) -> Result<Vec<Command>, Fault> {
        let mut stages = Vec::new();
        loop {
            self.skip_blanks();
            if self.keyword("!") {
                continue;
            }
            self.skip_time();
            stages.push(self.command()?);
            self.skip_blanks();
            let piped = !self.rest().starts_with("||") && (self.take("|&") || self.take("|"));
            if !piped {
                return Ok(stages);
            }
            self.skip_lines()?;
        }
    }

    /// Steps over `time` before a compound command; before a simple one it reads like a program that runs another.
    fn skip_time(&mut self) {
        let before = self.at;
        if self.keyword("time") {
            self.skip_blanks();
            if self.peek() != Some(b'(') && !OPENERS.contains(&self.reserved()) {
                self.at = before;
            }
        }
    }

    pub fn command(&mut self) -> Result<Command, Fault> {
        self.deeper()?;
        let compound = self.compound()?;
        let command = match compound {
            Some(node) => Command { node, redirections: self.redirections()? },
            None => self.simple()?,
        };
        self.depth -= 1;
        Ok(command)
    }

    fn simple(&mut self) -> Result<Command, Fault> {
        let mut simple = Simple::default();
        let mut redirections: Vec<Redirection> = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                redirections.push(redirection);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => return self.function_or_fault(simple),
                _ => self.simple_word(&mut simple)?,
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirections.is_empty() {
            return self.fault("a command is expected");
        }
        Ok(Command { node: Node::Simple(simple), redirections })
    }

    fn function_or_fault(&mut self, simple: Simple) -> Result<Command, Fault> {
        let name = match simple.words.as_slice() {
            [only] if simple.assignments.is_empty() => only.literal(),
            _ => None,
        };
        self.take("(");
        self.skip_blanks();
        match name {
            Some(name) if self.take(")") => Ok(Command { node: self.function_body(name)?, redirections: Vec::new() }),
            _ => self.fault("a parenthesis stands in a command"),
        }
    }

    fn simple_word(&mut self, simple: &mut Simple) -> Result<(), Fault> {
        let word = self.word()?;
        if word.span.0 == word.span.1 {
            return self.fault("a word is expected");
        }
        let Some(mut assignment) = assignment(&word) else {
            simple.words.push(word);
            return Ok(());
        };
        let array = self.peek() == Some(b'(') && matches!(&assignment.value, Value::Word(value) if value.pieces.is_empty());
        if array {
            self.at += 1;
            assignment.value = Value::Array(self.elements()?);
        }
        if simple.words.is_empty() {
            simple.assignments.push(assignment);
        } else {
            simple.words.push(word);
            if let Value::Array(elements) = assignment.value {
                simple.words.extend(elements);
            }
        }
        Ok(())
    }

    fn elements(&mut self) -> Result<Vec<Word>, Fault> {
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(words);
            }
            self.push_word(&mut words)?;
        }
    }
}

/// Whether a text can be the name of a variable.
pub fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads `name=`, `name+=` or `name[index]=` at the beginning of a word.
pub fn assignment(word: &Word) -> Option<Assignment> {
    let Some(Piece::Text(first)) = word.pieces.first() else { return None };
    let (before, after) = first.split_once('=')?;
    let append = before.ends_with('+');
    let target = before.strip_suffix('+').unwrap_or(before);
    let name = target.split_once('[').filter(|_| target.ends_with(']')).map_or(target, |(name, _)| name);
    if !is_name(name) {
        return None;
    }
    let mut pieces = Vec::new();
    if !after.is_empty() {
        pieces.push(Piece::Text(after.to_owned()));
    }
    pieces.extend(word.pieces.iter().skip(1).cloned());
    Some(Assignment { name: name.to_owned(), append, value: Value::Word(Word { pieces, span: word.span }) })
}
