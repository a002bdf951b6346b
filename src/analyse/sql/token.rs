//! Splits SQL text into words, literals and marks; comments go, except those that a server runs.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A bare word, upper case.
    Word(String),
    /// A string literal, its quotes taken off.
    Text(String),
    /// A quoted identifier.
    Name(String),
    /// Any other mark.
    Mark(char),
}

/// Splits into tokens; comments are dropped.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    // A quote that is never closed costs a look through the whole rest, so only a few of them are tried.
    let mut dollars = 64_u8;
    while let Some(letter) = rest.chars().next() {
        let used = match letter {
            _ if letter.is_whitespace() => letter.len_utf8(),
            _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => comment(rest, &mut found),
            '\'' => quoted(rest, '\'', Token::Text, &mut found),
            '"' => quoted(rest, '"', Token::Name, &mut found),
            '`' => quoted(rest, '`', Token::Name, &mut found),
            '$' if dollars > 0 => match dollar(rest) {
                Some((body, used)) => {
                    found.push(Token::Text(body.to_owned()));
                    used
                }
                None => {
                    dollars -= 1;
                    1
                }
            },
            _ if letter.is_alphabetic() || letter == '_' => bare(rest, &mut found),
            _ => {
                found.push(Token::Mark(letter));
                letter.len_utf8()
            }
        };
        rest = rest.get(used.max(1)..).unwrap_or_default();
    }
    found
}

/// MySQL runs what stands in `/*! … */`, so only its marks are dropped; other comments are dropped whole, nested ones too.
fn comment(rest: &str, found: &mut Vec<Token>) -> usize {
    if let Some(inside) = rest.strip_prefix("/*!") {
        found.push(Token::Mark(';'));
        return 3 + inside.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(inside.len());
    }
    rest.get(2..).and_then(|inside| inside.find("*/")).map_or(rest.len(), |end| end + 4)
}

fn quoted(rest: &str, quote: char, make: impl Fn(String) -> Token, found: &mut Vec<Token>) -> usize {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != quote {
            text.push(letter);
        } else if letters.peek().is_some_and(|(_, next)| *next == quote) {
            text.push(quote);
            letters.next();
        } else {
            found.push(make(text));
            return at + 1;
        }
    }
    found.push(make(text));
    rest.len()
}

/// PostgreSQL's `$tag$ … $tag$`: the body and how much of the text it takes.
fn dollar(rest: &str) -> Option<(&str, usize)> {
    let tag_end = rest.get(1..)?.find('$')? + 2;
    let tag = rest.get(..tag_end)?;
    let is_tag = tag.trim_matches('$').chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let inside = rest.get(tag_end..).filter(|_| is_tag)?;
    let end = inside.find(tag)?;
    Some((inside.get(..end)?, tag_end + end + tag.len()))
}

fn bare(rest: &str, found: &mut Vec<Token>) -> usize {
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len());
    found.push(Token::Word(rest.get(..end).unwrap_or_default().to_uppercase()));
    end
}
