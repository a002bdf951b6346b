//! Foreign text made safe to print: control, direction and invisible characters as escapes.
use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with every character that could move the cursor, change the reading direction or hide itself written as an escape
/// (`\n`, `\u{202e}`). Backslashes stay as they are, so the result is for people and not for parsing back.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // Writing to a `String` cannot fail.
            hidden if is_hidden(hidden) => drop(write!(shown, "\\u{{{:x}}}", u32::from(hidden))),
            plain => shown.push(plain),
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal or a reader could be misled by this character: C0 and C1 controls, direction marks, zero-width
/// characters, line and paragraph separators, interlinear marks, variation selectors and tag characters.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn hidden_characters_become_escapes() {
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{202e}d\u{200b}"), "a\\u{1b}[2Jb\\nc\\u{202e}d\\u{200b}");
        assert_eq!(visible("grüße 漢字 \\"), "grüße 漢字 \\");
    }
}
