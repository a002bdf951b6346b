//! Paths inside longer text: lists, wrapped tokens, options, and words of prose.
use crate::gate::{Condition, Form};

use super::context::{Search, Spot};
use super::path::{place, reading, variants};
use super::token::{Look, look};

/// Longest text that is searched word by word; a longer one is a body.
const LONGEST_PROSE: usize = 16 << 10;
/// Longest single token that is cut into pieces.
const LONGEST_TOKEN: usize = 8 << 10;

/// The parts of one token that may be paths by themselves: list elements, what follows `=`, `@` or an option letter, what a
/// quote, bracket or backtick encloses.
pub fn pieces(search: &mut Search<'_>, spot: &Spot, token: &str, condition: Condition) {
    if token.len() > LONGEST_TOKEN || look(token) == Look::Url {
        return;
    }
    let delimiters: &[char] = match look(token) {
        Look::Absolute | Look::Home | Look::HomeOf => &[',', ':', ';', '|', '\n'],
        _ => &[',', ':', ';', '|', '=', '(', ')', '[', ']', '<', '>', '{', '}', '"', '\'', '`', '@', '\n', '\t'],
    };
    let mut before = "";
    for piece in token.split(delimiters) {
        let trimmed = piece.trim();
        if trimmed.len() != token.len() && !is_remote(token, trimmed) && !(before.is_empty() && trimmed.is_empty()) {
            piece_alone(search, spot, trimmed, condition);
        }
        before = trimmed;
    }
    option(search, spot, token, condition);
}

/// `-I../x`, `-T/x`: an option letter with its value glued on.
fn option(search: &mut Search<'_>, spot: &Spot, token: &str, condition: Condition) {
    let Some(letters) = token.strip_prefix('-') else { return };
    let mut letters = letters.char_indices();
    let glued = letters.next().is_some_and(|(_, letter)| letter.is_alphabetic());
    if let (true, Some((at, _))) = (glued, letters.next()) {
        piece_alone(search, spot, token.get(at + 1..).unwrap_or_default(), condition);
    }
}

fn piece_alone(search: &mut Search<'_>, spot: &Spot, piece: &str, condition: Condition) {
    match look(piece) {
        Look::Absolute | Look::FileUri => reading(search, spot, piece, piece, condition.max(Condition::FirstComponentExists)),
        Look::Home | Look::Climbing => place(search, spot, piece, piece, condition),
        Look::HomeOf => place(search, spot, piece, piece, Condition::Exists),
        Look::Relative => variants(search, spot, piece, piece, condition),
        Look::Url | Look::Nothing => {}
    }
}

/// `user@host:/x` names a file of another machine.
fn is_remote(token: &str, piece: &str) -> bool {
    let Some((host, path)) = token.split_once(':') else { return false };
    path == piece && host.split_once('@').is_some_and(|(user, name)| !user.is_empty() && !name.is_empty())
}

/// The words of a text of several words that are unmistakably places.
pub fn prose(search: &mut Search<'_>, spot: &Spot, text: &str, lenient: bool) {
    if text.len() > LONGEST_PROSE {
        return;
    }
    let strict = !lenient && is_command_shaped(text);
    quoted(search, spot, text);
    for word in text.split_whitespace() {
        let token = word.trim_end_matches(['.', ',', ';', ':', '!', '?']).trim_start_matches(['>', '<', '|', '&', ';']);
        if strict {
            strict_word(search, spot, token);
        } else if token.contains(['/', '~', '\\']) || word.starts_with("..") {
            lenient_word(search, spot, token);
        }
    }
}

/// A text that would do something in a shell: its words are taken at their word.
fn is_command_shaped(text: &str) -> bool {
    ["; ", ";", "&&", "||", " | ", "$(", "`", " > ", ">>"].iter().any(|mark| text.contains(mark))
}

fn strict_word(search: &mut Search<'_>, spot: &Spot, token: &str) {
    match look(token) {
        Look::Relative => place(search, spot, token, token, Condition::Exists),
        Look::Url | Look::Nothing => {}
        Look::Absolute => place(search, spot, token, token, Condition::FirstComponentExists),
        _ => reading(search, spot, token, token, Condition::Exists),
    }
    pieces(search, spot, token, Condition::Exists);
}

fn lenient_word(search: &mut Search<'_>, spot: &Spot, token: &str) {
    match look(token) {
        Look::Absolute if is_common_knowledge(token) => {
            search.mention(spot, token, Form::NameOnly(token.to_owned()), Condition::Exists);
        }
        Look::Absolute | Look::Home | Look::Climbing | Look::HomeOf | Look::FileUri => {
            reading(search, spot, token, token, Condition::Exists)
        }
        Look::Relative => pieces(search, spot, token, Condition::Exists),
        Look::Url | Look::Nothing => {}
    }
}

/// System files that people write about; a text that merely speaks of one does not make a tool open it.
fn is_common_knowledge(token: &str) -> bool {
    ["/etc/", "/usr/", "/bin/", "/sbin/", "/lib/", "/dev/", "/proc/", "/sys/", "/var/log", "/opt/"]
        .iter()
        .any(|start| token.starts_with(start))
}

/// Paths with blanks stand in quotes.
fn quoted(search: &mut Search<'_>, spot: &Spot, text: &str) {
    for quote in ['"', '\'', '`'] {
        for inside in text.split(quote).skip(1).step_by(2) {
            let has_blank = inside.contains(' ') && !inside.contains('\n');
            if has_blank && inside.len() < 512 && matches!(look(inside), Look::Absolute | Look::Home | Look::Climbing) {
                place(search, spot, inside, inside, Condition::Exists);
            }
        }
    }
}
