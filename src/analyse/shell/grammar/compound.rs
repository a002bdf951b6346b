//! The grammar of compound commands: groups, loops, choices, tests, functions.
use std::rc::Rc;

use super::parse::OPENERS;
use super::scan::{Fault, Scanner, document, is_word_end};
use super::syntax::{Item, Joint, Node, Script, Word};

/// Whether what stands in `((…))` can be a command: shells without arithmetic commands, such as dash, run it in a subshell of a subshell.
fn is_command_like(body: &str) -> bool {
    let body = body.trim_start_matches(['(', '!', ' ', '\t', '\n']);
    let word = body.find(|next: char| !(next.is_alphanumeric() || matches!(next, '_' | '.' | '/' | '~' | '-')));
    let (word, rest) = body.split_at_checked(word.unwrap_or(body.len())).unwrap_or((body, ""));
    let after = rest.trim_start_matches([' ', '\t', '\n']);
    let mut next = after.chars();
    let joined = |next: Option<char>| next.is_some_and(|next| !next.is_whitespace() && next != '=');
    match next.next() {
        _ if word.is_empty() => false,
        None | Some(')' | ';' | '|' | '&') => word.contains(['/', '.']),
        Some(_) if after.len() == rest.len() => word.contains("./"),
        Some(first) if first.is_alphanumeric() || matches!(first, '_' | '.' | '~' | '\'' | '"') => true,
        Some('/' | '-' | '+' | '*' | '$' | '<' | '>') => joined(next.next()),
        Some(_) => false,
    }
}

impl Scanner<'_> {
    pub fn compound(&mut self) -> Result<Option<Node>, Fault> {
        if self.rest().starts_with("((")
            && let Some(end) = self.arithmetic_end(self.at)
            && !is_command_like(self.slice((self.at + 2, end - 2)))
        {
            let pieces = document(self.slice((self.at + 2, end - 2)), self.depth)?;
            self.at = end;
            return Ok(Some(Node::Arithmetic(Word { pieces, span: (end, end) }, None)));
        }
        if self.take("(") {
            return Ok(Some(Node::Subshell(self.enclosed(")")?)));
        }
        let word = self.reserved().to_owned();
        if OPENERS.contains(&word.as_str()) {
            self.at += word.len();
        }
        Ok(Some(match word.as_str() {
            "{" => Node::Group(self.enclosed("}")?),
            "if" => self.if_clause()?,
            "while" | "until" => {
                let condition = self.enclosed("do")?;
                Node::While(condition, self.enclosed("done")?)
            }
            "for" | "select" => self.for_clause()?,
            "case" => self.case_clause()?,
            "[[" => self.test()?,
            "function" => self.function()?,
            "coproc" => {
                self.skip_blanks();
                Node::Subshell(Script { items: vec![Item { joint: Joint::Next, stages: vec![self.command()?], background: true }] })
            }
            _ => return Ok(None),
        }))
    }

    fn if_clause(&mut self) -> Result<Node, Fault> {
        let mut parts = Vec::new();
        loop {
            let condition = self.enclosed("then")?;
            self.deeper()?;
            parts.push((Some(condition), self.list()?));
            self.depth -= 1;
            if self.keyword("elif") {
                continue;
            }
            if self.keyword("else") {
                parts.push((None, self.enclosed("fi")?));
            } else {
                self.expect("fi")?;
            }
            return Ok(Node::If(parts));
        }
    }

    fn for_clause(&mut self) -> Result<Node, Fault> {
        self.skip_blanks();
        if self.rest().starts_with("((")
            && let Some(end) = self.arithmetic_end(self.at)
        {
            let pieces = document(self.slice((self.at + 2, end - 2)), self.depth)?;
            self.at = end;
            return Ok(Node::Arithmetic(Word { pieces, span: (end, end) }, Some(self.body()?)));
        }
        let Some(name) = self.word()?.literal() else { return self.fault("a loop variable is computed") };
        self.skip_lines()?;
        let mut words = None;
        if self.keyword("in") {
            words = Some(self.words_to_end()?);
        }
        Ok(Node::For(name, words, self.body()?))
    }

    /// `; do … done`, or the braces that some shells take instead.
    fn body(&mut self) -> Result<Script, Fault> {
        self.skip_blanks();
        self.take(";");
        self.skip_lines()?;
        if self.keyword("{") {
            return self.enclosed("}");
        }
        self.expect("do")?;
        self.enclosed("done")
    }

    fn words_to_end(&mut self) -> Result<Vec<Word>, Fault> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b';' | b'\n') => return Ok(words),
                Some(byte) if is_word_end(byte) && !matches!(byte, b'<' | b'>') => return self.fault("a word is expected"),
                _ => self.push_word(&mut words)?,
            }
        }
    }

    /// One more word; a word that takes nothing is a fault, so that every loop ends.
    pub fn push_word(&mut self, words: &mut Vec<Word>) -> Result<(), Fault> {
        let before = self.at;
        words.push(self.word()?);
        if self.at == before { self.fault("a word is expected") } else { Ok(()) }
    }

    fn case_clause(&mut self) -> Result<Node, Fault> {
        self.skip_blanks();
        let subject = self.word()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.keyword("esac") {
                return Ok(Node::Case(subject, arms));
            }
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                self.push_word(&mut patterns)?;
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            self.deeper()?;
            arms.push((patterns, self.list()?));
            self.depth -= 1;
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) && self.reserved() != "esac" {
                return self.fault("`case` is not closed");
            }
        }
    }

    fn test(&mut self) -> Result<Node, Fault> {
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            match self.peek() {
                None => return self.fault("`[[` is not closed"),
                _ if self.keyword("]]") => return Ok(Node::Test(words)),
                Some(b'(' | b')' | b'&' | b'|' | b'<' | b'>' | b';') if !self.process_follows() => self.at += 1,
                _ => self.push_word(&mut words)?,
            }
        }
    }

    fn process_follows(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.byte(1) == Some(b'(')
    }

    fn function(&mut self) -> Result<Node, Fault> {
        self.skip_blanks();
        let Some(name) = self.word()?.literal() else { return self.fault("a function's name is computed") };
        self.skip_blanks();
        if self.take("(") {
            self.expect(")")?;
        }
        self.function_body(name)
    }

    pub fn function_body(&mut self, name: String) -> Result<Node, Fault> {
        self.skip_lines()?;
        Ok(Node::Function(name, Rc::new(self.command()?)))
    }
}
