//! The JSON grammar of RFC 8259 as a pull parser: events with byte ranges, no recursion, nothing decoded or copied.
use std::ops::Range;

/// The inside of a string literal (without its quotes) and whether it holds a backslash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    pub start: usize,
    pub end: usize,
    pub escaped: bool,
}

impl Text {
    /// The bytes between the quotes.
    pub(super) fn of<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        line.get(self.start..self.end).unwrap_or_default()
    }
}

/// One step through a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    /// A member name; its colon is already passed.
    Key(Text),
    String(Text),
    Number,
    True,
    False,
    Null,
}

/// Why the text is not one JSON value within the depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The grammar is broken at this byte.
    Grammar(usize),
    /// More containers are open than allowed.
    Depth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    Nothing,
}

/// A position in a JSON text.
pub(super) struct Events<'a> {
    line: &'a [u8],
    at: usize,
    start: usize,
    /// One entry per open container: is it an object.
    open: Vec<bool>,
    depth: usize,
    expect: Expect,
    /// A raw carriage return or line feed stood between tokens.
    pub(super) breaks: bool,
}

impl<'a> Events<'a> {
    /// Reads `line`, which is UTF-8, with at most `depth` containers open at once.
    pub(super) fn new(line: &'a [u8], depth: usize) -> Self {
        Self { line, at: 0, start: 0, open: Vec::new(), depth, expect: Expect::Value, breaks: false }
    }

    /// The byte range of the last event's token.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.at
    }

    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next event, or `None` after the one value and nothing but blanks.
    pub(super) fn next(&mut self) -> Result<Option<Event>, Fault> {
        self.blanks();
        if self.expect == Expect::CommaOrEnd && self.peek() == Some(b',') {
            self.at += 1;
            self.blanks();
            self.expect = if self.open.last() == Some(&true) { Expect::Key } else { Expect::Value };
        }
        self.start = self.at;
        let Some(byte) = self.peek() else {
            return if self.expect == Expect::Nothing { Ok(None) } else { Err(Fault::Grammar(self.at)) };
        };
        match self.expect {
            Expect::Value => self.value(byte).map(Some),
            Expect::ValueOrEnd if byte != b']' => self.value(byte).map(Some),
            Expect::Key => self.key(byte).map(Some),
            Expect::KeyOrEnd if byte != b'}' => self.key(byte).map(Some),
            Expect::ValueOrEnd | Expect::KeyOrEnd | Expect::CommaOrEnd => self.close(byte).map(Some),
            Expect::Nothing => Err(Fault::Grammar(self.at)),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => {}
                b'\r' | b'\n' => self.breaks = true,
                _ => return,
            }
            self.at += 1;
        }
    }

    fn value(&mut self, byte: u8) -> Result<Event, Fault> {
        match byte {
            b'{' => return self.container(true),
            b'[' => return self.container(false),
            _ => {}
        }
        let event = match byte {
            b'"' => Event::String(self.string()?),
            b't' => self.word(b"true", Event::True)?,
            b'f' => self.word(b"false", Event::False)?,
            b'n' => self.word(b"null", Event::Null)?,
            _ => self.number()?,
        };
        self.after_value();
        Ok(event)
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd };
    }

    fn container(&mut self, object: bool) -> Result<Event, Fault> {
        if self.open.len() >= self.depth {
            return Err(Fault::Depth);
        }
        self.open.push(object);
        self.at += 1;
        self.expect = if object { Expect::KeyOrEnd } else { Expect::ValueOrEnd };
        Ok(if object { Event::ObjectStart } else { Event::ArrayStart })
    }

    fn close(&mut self, byte: u8) -> Result<Event, Fault> {
        let (wanted, event) = match self.open.last() {
            Some(true) => (b'}', Event::ObjectEnd),
            _ => (b']', Event::ArrayEnd),
        };
        if byte != wanted {
            return Err(Fault::Grammar(self.at));
        }
        self.open.pop();
        self.at += 1;
        self.after_value();
        Ok(event)
    }

    fn key(&mut self, byte: u8) -> Result<Event, Fault> {
        if byte != b'"' {
            return Err(Fault::Grammar(self.at));
        }
        let text = self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(Fault::Grammar(self.at));
        }
        self.at += 1;
        self.expect = Expect::Value;
        Ok(Event::Key(text))
    }

    fn word(&mut self, word: &[u8], event: Event) -> Result<Event, Fault> {
        let end = self.at + word.len();
        if self.line.get(self.at..end) != Some(word) {
            return Err(Fault::Grammar(self.at));
        }
        self.at = end;
        Ok(event)
    }

    /// Reads a string from its opening quote; raw control characters and unknown escapes are refused.
    fn string(&mut self) -> Result<Text, Fault> {
        let start = self.at + 1;
        self.at = start;
        let mut escaped = false;
        loop {
            self.at = stop(self.line, self.at);
            match self.peek() {
                Some(b'"') => {
                    let text = Text { start, end: self.at, escaped };
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Fault::Grammar(self.at)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let length = match self.line.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => 6,
            _ => return Err(Fault::Grammar(self.at)),
        };
        if length == 6 {
            let digits = self.line.get(self.at + 2..self.at + 6).unwrap_or_default();
            if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                return Err(Fault::Grammar(self.at));
            }
        }
        self.at += length;
        Ok(())
    }

    fn number(&mut self) -> Result<Event, Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Event::Number)
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), Fault> {
        let first = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == first { Err(Fault::Grammar(first)) } else { Ok(()) }
    }
}

/// The first quote, backslash or control character at or after `at`, eight bytes at a time.
fn stop(line: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(word) = line.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * u64::from(b'"'));
        let slash = word ^ (ONES * u64::from(b'\\'));
        // A byte's high bit is set in each term where the byte is below 0x20, a quote or a backslash. A borrow can set bits above the
        // first hit only, and the first hit is all that is used.
        let hits = (word.wrapping_sub(ONES * 0x20) & !word) | (quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash);
        let hits = hits & HIGH;
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while line.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        at += 1;
    }
    at
}
