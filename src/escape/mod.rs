//! Foreign text made safe to look at: whatever a person could not see or would mistake is shown as an escape.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::{AugmentedScriptSet, is_potential_mixed_script_confusable_char};

/// More blanks than this in a row are shown as a count: a padded line pushes its end out of sight.
const MOST_BLANKS: usize = 8;
/// More combining marks than this on one letter are shown as escapes.
const MOST_MARKS: usize = 3;
/// Typographic quotes and dashes resemble ASCII ones without standing for a path or an operator.
const TYPOGRAPHY: [char; 6] = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2013}', '\u{2014}'];

/// `text` on one line, with every control, bidirectional, invisible, variation, tag and look-alike character as an escape
/// such as `\u{202e}`, and long runs of blanks as a count. Nothing is dropped. Takes time linear in the text.
///
/// A text that itself contains the characters of an escape is shown as it is: that errs on the side of suspicion.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blanks = 0;
    each_character(text, |character, misleads| {
        if character == ' ' {
            blanks += 1;
            return;
        }
        push_blanks(std::mem::take(&mut blanks), &mut out);
        if misleads { push_escape(character, &mut out) } else { out.push(character) }
    });
    push_blanks(blanks, &mut out);
    out
}

/// As [`visible`], cut to about `limit` characters: the beginning, the number of characters left out, and the end.
pub fn visible_within(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        let whole = visible(text);
        if whole.chars().count() <= limit {
            return whole;
        }
    }
    let total = text.chars().count();
    let mut kept = limit.min(total);
    loop {
        let cut = head_and_tail(text, total, kept);
        if kept <= 8 || cut.chars().count() <= limit.saturating_add(40) {
            return cut;
        }
        kept /= 2;
    }
}

fn head_and_tail(text: &str, total: usize, kept: usize) -> String {
    let tail = kept / 3;
    let head = kept - tail;
    if kept >= total {
        return visible(text);
    }
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = text.char_indices().nth(total - tail).map_or(text.len(), |(at, _)| at);
    let beginning = text.get(..head_end).unwrap_or_default();
    let end = text.get(tail_start..).unwrap_or_default();
    format!("{} [... {} characters not shown ...] {}", visible(beginning), total - kept, visible(end))
}

/// Gives `take` each character of `text` in its order, and whether a person could not see it or would mistake it for another:
/// for texts with escapes of their own (JSON, TOML). Takes time linear in the text.
pub fn each_character(text: &str, mut take: impl FnMut(char, bool)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !in_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if is_word(first) {
            each_of_word(piece, &mut take);
        } else {
            take(first, is_hidden(first) || is_mark(first) || (looks_ascii(first) && !TYPOGRAPHY.contains(&first)));
        }
        rest = after;
    }
}

/// `text` with one character for each of its own: `U+FFFD` for what [`visible`] would show as an escape, and a blank for a tab.
/// Places that are counted in characters, such as that of a caret below, stay where they are.
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_character(text, |character, misleads| {
        out.push(match character {
            '\t' => ' ',
            _ if misleads => char::REPLACEMENT_CHARACTER,
            plain => plain,
        });
    });
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_hidden(c)
}

fn in_word(c: char) -> bool {
    is_word(c) || (is_mark(c) && !is_hidden(c))
}

fn push_blanks(count: usize, out: &mut String) {
    if count > MOST_BLANKS {
        out.push_str(&format!("[{count} blanks]"));
    } else {
        out.extend(std::iter::repeat_n(' ', count));
    }
}

fn push_escape(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.extend(c.escape_unicode()),
    }
}

/// A word in one script is shown as it is, unless every letter of it could be taken for a Latin one; of a word with Latin
/// letters only those are kept that nothing else is taken for.
fn each_of_word(word: &str, take: &mut impl FnMut(char, bool)) {
    if word.is_ascii() {
        return word.chars().for_each(|c| take(c, false));
    }
    let has_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    let all_suspect = !has_latin && (looks_latin_whole(word) || AugmentedScriptSet::for_str(word).is_empty());
    let mut marks = 0;
    for c in word.chars() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        let suspect = !c.is_ascii() && (all_suspect || (has_latin && is_stranger_to_latin(c)));
        take(c, suspect || marks > MOST_MARKS);
    }
}

fn looks_latin_whole(word: &str) -> bool {
    word.chars().filter(|c| !is_mark(*c)).all(|c| c.is_ascii() || looks_ascii(c))
}

fn is_stranger_to_latin(c: char) -> bool {
    let mut scripts = AugmentedScriptSet::for_char('a');
    scripts.intersect_with(AugmentedScriptSet::for_char(c));
    looks_ascii(c) || (scripts.is_empty() && is_potential_mixed_script_confusable_char(c))
}

/// Whether the confusables table of Unicode Technical Standard 39 gives ASCII for a character that is not.
fn looks_ascii(c: char) -> bool {
    let mut bytes = [0; 4];
    let text: &str = c.encode_utf8(&mut bytes);
    !c.is_ascii() && skeleton(text).all(|prototype| prototype.is_ascii())
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && matches!(c.general_category(), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark)
}

/// Characters that show as nothing, as a blank, or that steer how others are shown.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    is_default_ignorable(c)
        || matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Surrogate
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::SpaceSeparator
        )
}

/// Letters and marks that have no shape of their own: fillers, joiners, variation selectors, the empty braille pattern.
const fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}
