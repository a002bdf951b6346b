//! String literals to text and back: escapes, surrogate pairs, lone surrogates.
use std::borrow::Cow;

/// Decodes the inside of an admitted string literal. The flag says whether a lone surrogate was replaced by U+FFFD.
pub(super) fn unescape(inside: &[u8]) -> (Cow<'_, str>, bool) {
    if memchr::memchr(b'\\', inside).is_none() {
        // INVARIANT: admitted lines are UTF-8, so nothing is replaced here.
        return (String::from_utf8_lossy(inside), false);
    }
    let mut text = String::with_capacity(inside.len());
    let mut lossy = false;
    pieces(inside, |piece| match piece {
        Piece::Plain(plain) => text.push_str(&String::from_utf8_lossy(plain)),
        Piece::Char(char) => text.push(char),
        Piece::Surrogate(_) => {
            lossy = true;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    });
    (Cow::Owned(text), lossy)
}

/// Decodes a whole string literal with its quotes; `None` when `raw` is not one or holds a lone surrogate.
pub(super) fn exact(raw: &[u8]) -> Option<Cow<'_, str>> {
    let inside = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let (text, lossy) = unescape(inside);
    (!lossy).then_some(text)
}

/// A run of a string literal.
pub(super) enum Piece<'a> {
    Plain(&'a [u8]),
    Char(char),
    Surrogate(u16),
}

/// Walks the inside of an admitted string literal.
pub(super) fn pieces<'a>(inside: &'a [u8], mut each: impl FnMut(Piece<'a>)) {
    let mut rest = inside;
    while let Some(slash) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(slash).unwrap_or((rest, &[]));
        if !plain.is_empty() {
            each(Piece::Plain(plain));
        }
        let (piece, length) = escaped(escape);
        each(piece);
        rest = escape.get(length..).unwrap_or_default();
    }
    if !rest.is_empty() {
        each(Piece::Plain(rest));
    }
}

/// The escape at the start of `escape` and its length in bytes.
fn escaped<'a>(escape: &[u8]) -> (Piece<'a>, usize) {
    let short = match escape.get(1) {
        Some(b'u') => return unicode(escape),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(&other) => char::from(other),
        None => char::REPLACEMENT_CHARACTER,
    };
    (Piece::Char(short), 2)
}

fn unicode<'a>(escape: &[u8]) -> (Piece<'a>, usize) {
    let first = unit(escape, 0);
    let pair = [first, if (0xd800..0xdc00).contains(&first) { unit(escape, 6) } else { 0 }];
    match char::decode_utf16(pair).next() {
        Some(Ok(char)) => (Piece::Char(char), if char > '\u{ffff}' { 12 } else { 6 }),
        _ => (Piece::Surrogate(first), 6),
    }
}

/// The UTF-16 unit of a `\u` escape at `at`; zero when there is none.
fn unit(escape: &[u8], at: usize) -> u16 {
    let digits = match escape.get(at..at + 6) {
        Some([b'\\', b'u', digits @ ..]) => digits,
        _ => return 0,
    };
    std::str::from_utf8(digits).ok().and_then(|digits| u16::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// Writes `text` as a string literal with its quotes.
pub(super) fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    out.push(b'"');
    plain_into(&mut out, text.as_bytes());
    out.push(b'"');
    out
}

/// Writes UTF-8 text as the inside of a string literal, escaping only what JSON demands.
pub(super) fn plain_into(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        match special.first() {
            Some(byte @ 0..=0x1f) => {
                let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            }
            Some(byte) => out.extend_from_slice(&[b'\\', *byte]),
            None => {}
        }
        rest = special.get(1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}
