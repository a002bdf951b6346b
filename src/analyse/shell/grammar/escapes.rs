//! Backslash escapes of `$'…'`, `printf` and `echo -e`.

/// The text that `$'inner'` stands for (bash manual, ANSI-C quoting); the format of `printf` reads the same.
pub fn ansi(inner: &str) -> String {
    unescape(inner, 3)
}

/// The text that `echo -e` and `%b` make: an octal number has a leading zero beside its three digits.
pub fn echo(inner: &str) -> String {
    unescape(inner, 4)
}

fn unescape(inner: &str, octal: usize) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let (bytes, used) = one(after.get(1..).unwrap_or_default(), octal);
        out.extend(bytes);
        rest = after.get(1 + used..).unwrap_or_default();
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// One escape after its backslash: what it stands for and how many bytes it takes.
fn one(after: &str, octal: usize) -> (Vec<u8>, usize) {
    let Some(first) = after.chars().next() else { return (b"\\".to_vec(), 0) };
    let simple = |byte: u8| (vec![byte], 1);
    match first {
        'n' => simple(b'\n'),
        't' => simple(b'\t'),
        'r' => simple(b'\r'),
        'a' => simple(7),
        'b' => simple(8),
        'e' | 'E' => simple(27),
        'f' => simple(12),
        'v' => simple(11),
        '\\' | '\'' | '"' | '?' => simple(first as u8),
        '0'..='7' => number(after, 0, if after.starts_with('0') { octal } else { 3 }, 8),
        'x' => number(after, 1, 2, 16),
        'u' => character(after, 4),
        'U' => character(after, 8),
        'c' => (after.as_bytes().get(1).map(|byte| byte & 0x1f).into_iter().collect(), after.chars().take(2).map(char::len_utf8).sum()),
        _ => (format!("\\{first}").into_bytes(), first.len_utf8()),
    }
}

fn digits(after: &str, skip: usize, most: usize, radix: u32) -> (u32, usize) {
    let text: String = after.chars().skip(skip).take(most).take_while(|digit| digit.is_digit(radix)).collect();
    (u32::from_str_radix(&text, radix).unwrap_or(0), text.len())
}

fn number(after: &str, skip: usize, most: usize, radix: u32) -> (Vec<u8>, usize) {
    let (value, length) = digits(after, skip, most, radix);
    if length == 0 {
        return (b"\\x".to_vec(), 1);
    }
    (vec![(value & 0xff) as u8], skip + length)
}

fn character(after: &str, most: usize) -> (Vec<u8>, usize) {
    let (value, length) = digits(after, 1, most, 16);
    let character = char::from_u32(value).filter(|_| length > 0).map(String::from).unwrap_or_default();
    (character.into_bytes(), 1 + length)
}
