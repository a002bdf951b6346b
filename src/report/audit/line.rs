//! One line of the audit: JSON without raw characters that hide or mislead, ending in the hashes that bind it to the line before.
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use sha2::{Digest, Sha256};

use crate::escape::each_character;

/// A SHA-256 in lower-case hexadecimal.
pub(super) type Hash = String;

/// What the first line's `prev` holds.
pub(super) const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What stands between a line's own members and its hash.
const HASH: &str = ",\"hash\":\"";
/// What stands between a line's own members and the hash of the line before.
const PREVIOUS: &str = ",\"prev\":\"";
/// The length of a hash.
const DIGITS: usize = 64;

/// Adds `entry`, an object that is not empty, to `lines` as a line with its end; returns the line's hash.
///
/// The hash is over the whole object as it would stand without its last member, so over `prev` too.
pub(super) fn seal(entry: &impl Serialize, previous: &str, lines: &mut Vec<u8>) -> Result<Hash, serde_json::Error> {
    let start = lines.len();
    entry.serialize(&mut Serializer::with_formatter(&mut *lines, Visible))?;
    lines.pop();
    lines.extend_from_slice(PREVIOUS.as_bytes());
    lines.extend_from_slice(previous.as_bytes());
    lines.push(b'"');
    let hash = hash_of(lines.get(start..).unwrap_or_default());
    lines.extend_from_slice(HASH.as_bytes());
    lines.extend_from_slice(hash.as_bytes());
    lines.extend_from_slice(b"\"}\n");
    Ok(hash)
}

/// The hashes of a line (without its end), if it is one that nobody changed: the one before's and its own.
pub(super) fn unseal(line: &[u8]) -> Option<(&str, &str)> {
    let (rest, hash) = cut(line.strip_suffix(b"\"}")?, HASH)?;
    let (_, previous) = cut(rest.strip_suffix(b"\"")?, PREVIOUS)?;
    (hash_of(rest) == hash).then_some((previous, hash))
}

pub(super) fn hash_of(bytes: &[u8]) -> Hash {
    crate::wire::hex(&Sha256::digest(bytes))
}

/// Cuts `label` and the hash behind it off the end.
fn cut<'a>(bytes: &'a [u8], label: &str) -> Option<(&'a [u8], &'a str)> {
    let (rest, hash) = bytes.split_at_checked(bytes.len().checked_sub(DIGITS)?)?;
    let hash = std::str::from_utf8(hash).ok().filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((rest.strip_suffix(label.as_bytes())?, hash))
}

/// Compact JSON with escapes for what a person could not see or would mistake, so that the file can be looked at in a terminal.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.contains('\u{7f}') {
            return writer.write_all(fragment.as_bytes());
        }
        let mut escaped = String::with_capacity(fragment.len() + 16);
        each_character(fragment, |character, misleads| {
            if misleads {
                let units = character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
                escaped.push_str(&units);
            } else {
                escaped.push(character);
            }
        });
        writer.write_all(escaped.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{FIRST, seal, unseal};

    #[test]
    fn letters_that_look_like_others_are_escapes_and_read_back() {
        let mut line = Vec::new();
        seal(&json!({"tool": "p\u{430}th", "server": "grüße 漢字"}), FIRST, &mut line).unwrap();
        let text = std::str::from_utf8(&line).unwrap();
        assert!(text.starts_with(r#"{"server":"grüße 漢字","tool":"p\u0430th","#), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap()["tool"], "p\u{430}th");
    }

    #[test]
    fn a_sealed_line_opens_and_a_changed_one_does_not() {
        let mut line = Vec::new();
        let hash = seal(&json!({"tool": "a\u{202e}b\u{7f}\u{e0041}\n"}), FIRST, &mut line).unwrap();
        let text = std::str::from_utf8(&line).unwrap();
        assert!(text.starts_with(r#"{"tool":"a\u202eb\u007f\udb40\udc41\n","prev":"0000"#), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap()["tool"], "a\u{202e}b\u{7f}\u{e0041}\n");
        let body = text.trim_end();
        assert_eq!(unseal(body.as_bytes()), Some((FIRST, hash.as_str())));
        for at in 0..body.len() {
            let mut changed = body.as_bytes().to_vec();
            changed[at] ^= 1;
            assert_eq!(unseal(&changed), None, "byte {at}");
        }
    }
}
