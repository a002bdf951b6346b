//! Text of the web in its many encodings.
use encoding_rs::{Encoding, UTF_8};

/// Bytes that are looked through for a declaration, as browsers do (HTML standard, 13.2.3.2).
const DECLARED_WITHIN: usize = 1024;

/// Decodes a body by its mark, its content type or what a page says of itself; UTF-8 otherwise. What cannot be decoded becomes a
/// replacement character.
pub fn decode(bytes: &[u8], content_type: &str) -> String {
    let named = label(content_type).or_else(|| {
        let head = bytes.get(..bytes.len().min(DECLARED_WITHIN)).unwrap_or_default();
        let head = String::from_utf8_lossy(head).to_ascii_lowercase();
        head.contains("<meta").then(|| label(&head)).flatten()
    });
    named.unwrap_or(UTF_8).decode(bytes).0.into_owned()
}

/// The encoding after `charset=`.
fn label(text: &str) -> Option<&'static Encoding> {
    let (_, after) = text.split_once("charset=")?;
    let name = after.trim_start_matches(['"', '\'', ' ']);
    let end = name.find(['"', '\'', ';', ' ', '>', '/']).unwrap_or(name.len());
    Encoding::for_label(name.get(..end)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_wins_over_the_type_and_the_type_over_the_page() {
        let page = b"<meta charset=\"iso-8859-1\">caf\xe9";
        assert!(decode(page, "text/html").ends_with("café"));
        assert!(decode(page, "text/html; charset=utf-8").ends_with("caf\u{fffd}"));
        assert_eq!(decode(b"\xff\xfea\0", "text/html; charset=utf-8"), "a");
        assert_eq!(decode(b"\x93\xfa", "text/plain; charset=Shift_JIS"), "日");
        assert_eq!(decode("é".as_bytes(), "text/plain; charset=nonsense"), "é");
    }
}
