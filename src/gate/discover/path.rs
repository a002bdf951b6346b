//! From the text of a path to mentions: every base it may start from and every reading a server may give it.
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization;

use crate::gate::pathform::{self, PathForm};
use crate::gate::{Condition, Confidence, Form};
use crate::policy::{Direction, Platform};

use super::context::{Search, Spot};
use super::token::{Look, is_glob, is_unmistakable, look};
use super::uri::{Uri, decoded, uri};
use super::{pattern, text};

/// How often percent escapes are decoded: some servers decode what their framework has decoded before.
const MOST_DECODINGS: usize = 3;

/// The paths that the caller declared for this call.
pub fn expected(search: &mut Search<'_>) {
    let expected = search.subject.lens.expected;
    let bases: Rc<[String]> = Rc::from([search.root.clone()]);
    for path in expected.iter().filter(|path| !path.trim().is_empty()) {
        let spot = Spot {
            argument: "paths".into(),
            name: Rc::from(""),
            source: Rc::from("declared by the caller"),
            confidence: Confidence::Expected,
            direction: Direction::Unknown,
            bases: Rc::clone(&bases),
            runs: false,
            nest: 0,
        };
        search.note(&spot, path, "path");
        whole(search, &spot, path, Condition::Always);
    }
}

/// A string that is one path as a whole. A declared one is not cut up, except that an existing place elsewhere behind a list's
/// separator counts; a guessed one may also be a list or be wrapped.
pub fn whole(search: &mut Search<'_>, spot: &Spot, path: &str, condition: Condition) {
    reading(search, spot, path, path, condition);
    let trimmed = path.trim();
    if trimmed != path {
        reading(search, spot, path, trimmed, condition);
    }
    if trimmed.chars().any(char::is_control) {
        search.unparsed(spot, path, "a path with a control character in it");
    }
    variants(search, spot, path, trimmed, condition);
    if let Some(inside) = unquoted(trimmed) {
        reading(search, spot, path, inside, condition);
    }
    if spot.confidence == Confidence::Guess {
        text::pieces(search, spot, trimmed, Condition::Always);
        if trimmed.contains(char::is_whitespace) {
            text::prose(search, spot, trimmed, true);
        }
    } else {
        text::listed(search, spot, trimmed);
    }
}

/// What a pair of quotes encloses: servers that take a path from a command line's text strip them.
fn unquoted(path: &str) -> Option<&str> {
    ['"', '\'', '`'].iter().find_map(|quote| path.strip_prefix(*quote)?.strip_suffix(*quote)).filter(|inside| !inside.is_empty())
}

/// One reading of `path`: a `file:` URI, a URL or a plain spelling.
pub fn reading(search: &mut Search<'_>, spot: &Spot, raw: &str, path: &str, condition: Condition) {
    match uri(path) {
        Uri::File(local) => place(search, spot, raw, &local, condition),
        Uri::FileOn(local, _) => place(search, spot, raw, &local, condition),
        Uri::Malformed(why) => search.unparsed(spot, raw, &format!("a `file:` URI that cannot be read: {why}")),
        Uri::Other => {
            search.mention(spot, raw, Form::Url(path.to_owned()), Condition::Always);
            place(search, spot, raw, path, condition);
        }
        Uri::None => place(search, spot, raw, path, condition),
    }
}

/// A plain spelling, joined to every base when it is relative.
pub fn place(search: &mut Search<'_>, spot: &Spot, raw: &str, path: &str, condition: Condition) {
    let cannot_exist = condition == Condition::Exists && path.contains('\0');
    if path.is_empty() || cannot_exist {
        return;
    }
    let platform = search.subject.lens.surroundings.platform;
    if path.starts_with('/') && platform != Platform::Windows || is_home(path) {
        search.mention(spot, raw, Form::Path(path.to_owned()), condition);
        return;
    }
    for base in spot.bases.iter() {
        // A directory of the call is judged where it stands; below it, only what is there can lead on.
        let condition = if *base == search.root { condition } else { Condition::Exists };
        search.mention(spot, raw, Form::Path(joined(base, path, platform)), condition);
    }
}

/// `path` as it is when it starts from `base`. On Windows the text may name a drive, a share or a device; what only the
/// process knows stays as it is spelled, and `locate` says that it cannot be resolved.
pub fn joined(base: &str, path: &str, platform: Platform) -> String {
    if platform != Platform::Windows {
        return if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") };
    }
    match pathform::absolute(path, base, platform) {
        PathForm::Absolute(whole) => whole,
        _ => path.to_owned(),
    }
}

/// Readings of servers that decode, expand or normalise what they are given.
pub fn variants(search: &mut Search<'_>, spot: &Spot, raw: &str, path: &str, condition: Condition) {
    let mut decoding = decoded(path);
    for _ in 0..MOST_DECODINGS {
        let Some(plain) = decoding else { break };
        let is_declared = spot.confidence != Confidence::Guess;
        if leads_away(&plain) || is_declared || is_unmistakable(&plain) {
            reading(search, spot, raw, &plain, condition);
        }
        folded(search, spot, raw, &plain, condition);
        decoding = decoded(&plain);
    }
    expansion(search, spot, raw, path, condition);
    folded(search, spot, raw, path, condition);
    if is_glob(path) {
        pattern::glob(search, spot, raw, path, [Condition::Exists; 2]);
    }
}

/// Whether the text names a place by itself, wherever it is joined to.
pub fn leads_away(path: &str) -> bool {
    matches!(look(path), Look::Absolute | Look::Home | Look::HomeOf | Look::Climbing | Look::FileUri)
}

/// Compatibility forms of dots and slashes, and backslashes that a server on another platform takes for separators.
fn folded(search: &mut Search<'_>, spot: &Spot, raw: &str, path: &str, condition: Condition) {
    if spot.confidence != Confidence::Guess {
        return;
    }
    if !path.is_ascii() {
        let plain: String = path.nfkc().collect();
        if plain != path && leads_away(&plain) {
            reading(search, spot, raw, &plain, condition);
        }
    }
    if path.contains('\\') {
        let plain = path.replace('\\', "/");
        if look(&plain) == Look::Climbing {
            place(search, spot, raw, &plain, condition);
        }
    }
}

/// `$HOME/…`, `${HOME}/…`, `%USERPROFILE%\…`: known variables are put in, unknown ones cannot be followed.
fn expansion(search: &mut Search<'_>, spot: &Spot, raw: &str, path: &str, condition: Condition) {
    let Some((name, rest)) = variable(path) else { return };
    let rest = rest.replace('\\', "/");
    let known = search.subject.lens.surroundings.variables.get(name).cloned();
    match known {
        Some(value) => place(search, spot, raw, &format!("{value}{rest}"), Condition::Always),
        None if HOME.contains(&name) => place(search, spot, raw, &format!("~{rest}"), Condition::Always),
        None if condition != Condition::Always || rest.is_empty() => {}
        None => search.unparsed(spot, raw, "it begins with a variable whose value is not known here"),
    }
}

const HOME: &[&str] = &["HOME", "USERPROFILE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"];

/// The variable that a path begins with, in capitals so that `$lib/x` and `$id.tsx` stay names.
fn variable(path: &str) -> Option<(&str, &str)> {
    let (name, rest) = if let Some(after) = path.strip_prefix("${") {
        after.split_once('}')?
    } else if let Some(after) = path.strip_prefix("$env:").or_else(|| path.strip_prefix('$')) {
        let end = after.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(after.len());
        after.split_at_checked(end)?
    } else {
        path.strip_prefix('%')?.split_once('%')?
    };
    let is_name = name.len() > 1 && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
    let ends_component = rest.is_empty() || rest.starts_with(['/', '\\']);
    (is_name && ends_component).then_some((name, rest))
}

/// `~`, `~/…` and `~user…`, but not the lock and backup names `~$x` and `~1`.
fn is_home(path: &str) -> bool {
    path.strip_prefix('~').is_some_and(|after| after.is_empty() || after.starts_with('/') || after.starts_with(char::is_alphabetic))
}
