//! Paths inside longer text: lists, wrapped tokens, options, and words of prose.
use std::collections::HashSet;

use crate::analyse::{Condition, Form};

use super::context::{ArgumentSite, Search};
use super::path::{leads_away, place, reading, variants};
use super::token::{Look, is_unmistakable, look};
use super::vocabulary::VOCABULARY;

/// Longest text that is searched word by word; a longer one is a body.
const LONGEST_PROSE: usize = 16 << 10;
/// Most parts of a declared path that are looked at by themselves.
const MOST_LISTED: usize = 1024;
/// Longest single token that is cut into pieces.
const LONGEST_TOKEN: usize = 1 << 20;

/// The parts of one token that may be paths by themselves: list elements, what follows `=`, `@` or an option letter, what a
/// quote, bracket or backtick encloses. What follows a closing bracket goes on with what stands before it (`${HOME}/x`).
pub fn pieces(search: &mut Search<'_>, site: &ArgumentSite, token: &str, condition: Condition) {
    if token.len() > LONGEST_TOKEN || matches!(look(token), Look::Url | Look::FileUri) {
        return;
    }
    let delimiters = match look(token) {
        Look::Absolute | Look::Home | Look::HomeOf => LIST,
        _ => ALL,
    };
    let bare = token.trim_matches(WRAPPING);
    if !token.starts_with(bare) && !token.ends_with(bare) {
        piece_alone(search, site, bare, condition);
    }
    let remote = remote_path(token);
    let mut closed = false;
    let mut seen = HashSet::new();
    for part in token.split_inclusive(delimiters) {
        let piece = part.strip_suffix(delimiters).unwrap_or(part).trim();
        let is_operator = piece == "~" && token.contains("=~");
        if piece.len() != token.len() && !is_operator && !closed && remote != Some(piece) && seen.insert(piece) {
            piece_alone(search, site, piece, condition);
        }
        closed = part.ends_with([')', ']', '}', '>']);
    }
    option(search, site, token, condition);
    // `HEAD:.env`: a file in another store
    if token.rsplit_once(':').is_some_and(|(_, inner)| is_unmistakable(inner)) {
        search.mention(site, token, Form::NameOnly(token.to_owned()), Condition::Always);
    }
}

/// The parts of a declared path that a tool may take for a list: those that exist elsewhere. A `:` separates none, since what
/// stands behind it may be a place in a container or a line of a file.
pub fn listed(search: &mut Search<'_>, site: &ArgumentSite, path: &str) {
    if path.len() > LONGEST_TOKEN {
        return;
    }
    let is_separator = |letter: char| matches!(letter, ',' | ';') || letter.is_whitespace();
    let parts = path.split(is_separator).map(str::trim);
    for part in parts.filter(|part| part.len() < path.len() && leads_away(part)).take(MOST_LISTED) {
        reading(search, site, part, part, Condition::Exists);
    }
}

/// What separates the elements of a list of paths.
const LIST: &[char] = &[',', ':', ';', '|', '\n'];
/// Marks that writers put around a path.
const WRAPPING: &[char] = &['"', '\'', '`', '(', ')', '[', ']', '<', '>', '*', '_', '“', '”', '‘', '’', '«', '»', '„'];
/// What may stand right before or after a path.
const ALL: &[char] = &[',', ':', ';', '|', '&', '=', '(', ')', '[', ']', '<', '>', '{', '}', '"', '\'', '`', '@', '\n', '\t'];

/// `-I../x`, `-T/x`: an option letter with its value glued on; `+/x`, `!/x`: a mark before the path.
fn option(search: &mut Search<'_>, site: &ArgumentSite, token: &str, condition: Condition) {
    let bare = token.trim_start_matches(['-', '+', '!', '#', '&', '^', '%', '$', '>']);
    if bare.len() == token.len() || bare.is_empty() {
        return;
    }
    if leads_away(bare) {
        piece_alone(search, site, bare, condition);
    }
    let glued = bare.char_indices().nth(1).and_then(|(at, _)| bare.get(at..)).unwrap_or_default();
    if token.starts_with('-') && leads_away(glued) {
        piece_alone(search, site, glued, condition);
    }
}

fn piece_alone(search: &mut Search<'_>, site: &ArgumentSite, piece: &str, condition: Condition) {
    match look(piece) {
        Look::Absolute | Look::FileUri => reading(search, site, piece, piece, condition.max(Condition::FirstComponentExists)),
        Look::Home | Look::Climbing => place(search, site, piece, piece, condition),
        Look::HomeOf => place(search, site, piece, piece, Condition::Exists),
        Look::Relative => variants(search, site, piece, piece, condition),
        Look::Url | Look::Nothing => {}
    }
}

/// The file of another machine that `user@host:/x` names.
fn remote_path(token: &str) -> Option<&str> {
    let (host, path) = token.split_once(':')?;
    let (user, name) = host.split_once('@')?;
    (!user.is_empty() && !name.is_empty()).then_some(path)
}

/// The words of a text of several words that are unmistakably places.
pub fn prose(search: &mut Search<'_>, site: &ArgumentSite, text: &str, lenient: bool) {
    if text.len() > LONGEST_PROSE {
        return;
    }
    let strict = !lenient && (is_command_shaped(text) || is_option(text));
    if !strict && memchr::memchr3(b'/', b'~', b'\\', text.as_bytes()).is_none() && !text.contains("..") {
        return;
    }
    quoted(search, site, text);
    let mut lately = Lately { words: [""; 64] };
    for word in text.split_whitespace().filter(|word| lately.is_new(word)) {
        let token = word.trim_end_matches(['.', ',', ';', ':', '!', '?']).trim_start_matches(['>', '<', '|', '&', ';']);
        let token = if leads_away(token) { token.trim_end_matches(WRAPPING) } else { token };
        if strict {
            strict_word(search, site, token);
        } else if token.contains(['/', '~', '\\']) || word.starts_with("..") {
            lenient_word(search, site, token);
        }
    }
}

/// Words met lately, so that most of those that a text repeats are looked at once; the mentions of the others are found to be equal.
struct Lately<'t> {
    words: [&'t str; 64],
}

impl<'t> Lately<'t> {
    fn is_new(&mut self, word: &'t str) -> bool {
        let bytes = word.as_bytes();
        let ends = bytes.first().zip(bytes.last()).map_or(0, |(first, last)| usize::from(*first) * 7 + usize::from(*last) * 31);
        let slot = self.words.get_mut((ends + bytes.len()) % 64);
        slot.is_none_or(|slot| std::mem::replace(slot, word) != word)
    }
}

/// A text that would do something in a shell: its words are taken at their word.
fn is_command_shaped(text: &str) -> bool {
    ["; ", ";", "&&", "||", " | ", "$(", "`", " > ", ">>"].iter().any(|mark| text.contains(mark))
}

/// A text that begins with an option and goes on with its value: `--config /x`, `-f /x`.
fn is_option(text: &str) -> bool {
    let bare = text.trim_start().trim_start_matches('-');
    bare.len() < text.trim_start().len() && bare.starts_with(char::is_alphabetic)
}

fn strict_word(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    match look(token) {
        Look::Home if token == "~" => {}
        Look::Relative => place(search, site, token, token, Condition::Exists),
        Look::Url | Look::Nothing => {}
        Look::Absolute => place(search, site, token, token, Condition::FirstComponentExists),
        _ => reading(search, site, token, token, Condition::Exists),
    }
    pieces(search, site, token, Condition::Exists);
}

fn lenient_word(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    match look(token) {
        Look::Home if token == "~" => {}
        Look::Absolute if is_single_step(token) => {}
        Look::Absolute if is_common_knowledge(token) => {
            search.mention(site, token, Form::NameOnly(token.to_owned()), Condition::Exists);
        }
        Look::Absolute | Look::Home | Look::Climbing | Look::HomeOf | Look::FileUri => {
            reading(search, site, token, token, Condition::Exists)
        }
        Look::Relative => pieces(search, site, token, Condition::Exists),
        Look::Url | Look::Nothing => {}
    }
}

/// `/home`, `/remind`: a directory at the top, a route or a chat command; a text that speaks of it opens nothing in it.
pub fn is_single_step(token: &str) -> bool {
    token.strip_prefix('/').is_some_and(|rest| !rest.trim_end_matches('/').contains('/'))
}

/// System files that people write about; a text that merely speaks of one does not make a tool open it.
pub fn is_common_knowledge(token: &str) -> bool {
    VOCABULARY.places.system.iter().any(|start| token.starts_with(start))
}

/// Paths with blanks stand in quotes.
fn quoted(search: &mut Search<'_>, site: &ArgumentSite, text: &str) {
    for quote in ['"', '\'', '`'] {
        for inside in text.split(quote).skip(1).step_by(2) {
            let has_blank = inside.contains(' ') && !inside.contains('\n');
            if has_blank && inside.len() < 512 && matches!(look(inside), Look::Absolute | Look::Home | Look::Climbing) {
                place(search, site, inside, inside, Condition::Exists);
            }
        }
    }
}
