//! From the text of a path to mentions: every base it may start from and every reading a server may give it.
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization;

use crate::analyse::pathform::{self, PathForm};
use crate::analyse::{Condition, Confidence, Form};
use crate::policy::{Direction, Platform};

use super::context::{ArgumentSite, Search};
use super::token::{Look, is_glob, is_unmistakable, look};
use super::uri::{Uri, decoded, uri};
use super::vocabulary::VOCABULARY;
use super::{pattern, text};

/// How often percent escapes are decoded: some servers decode what their framework has decoded before.
const MOST_DECODINGS: usize = 3;

/// The paths that the caller declared for this call.
pub fn expected(search: &mut Search<'_>) {
    let expected = search.input.expected;
    let bases: Rc<[String]> = Rc::from([search.root.clone()]);
    for path in expected.iter().filter(|path| !path.trim().is_empty()) {
        let site = ArgumentSite {
            argument: "paths".into(),
            name: Rc::from(""),
            source: Rc::from("declared by the caller"),
            confidence: Confidence::Expected,
            direction: Direction::Unknown,
            bases: Rc::clone(&bases),
            runs: false,
            nest: 0,
        };
        search.note(&site, path, "path");
        whole(search, &site, path, Condition::Always);
    }
}

/// A string that is one path as a whole. A declared one is not cut up, except that an existing place elsewhere behind a list's
/// separator counts; a guessed one may also be a list or be wrapped.
pub fn whole(search: &mut Search<'_>, site: &ArgumentSite, path: &str, condition: Condition) {
    reading(search, site, path, path, condition);
    let trimmed = path.trim();
    if trimmed != path {
        reading(search, site, path, trimmed, condition);
    }
    if trimmed.chars().any(char::is_control) {
        search.unparsed(site, path, "a path with a control character in it");
    }
    variants(search, site, path, trimmed, condition);
    if let Some(inside) = unquoted(trimmed) {
        reading(search, site, path, inside, condition);
    }
    if site.confidence == Confidence::Guess {
        text::pieces(search, site, trimmed, Condition::Always);
        if trimmed.contains(char::is_whitespace) {
            text::prose(search, site, trimmed, true);
        }
    } else {
        text::listed(search, site, trimmed);
    }
}

/// What a pair of quotes encloses: servers that take a path from a command line's text strip them.
fn unquoted(path: &str) -> Option<&str> {
    ['"', '\'', '`'].iter().find_map(|quote| path.strip_prefix(*quote)?.strip_suffix(*quote)).filter(|inside| !inside.is_empty())
}

/// One reading of `path`: a `file:` URI, a URL or a plain spelling.
pub fn reading(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, path: &str, condition: Condition) {
    match uri(path) {
        Uri::File(local) => place(search, site, raw, &local, condition),
        Uri::FileOn(local, _) => place(search, site, raw, &local, condition),
        Uri::Malformed(why) => search.unparsed(site, raw, &format!("a `file:` URI that cannot be read: {why}")),
        Uri::Other => {
            search.mention(site, raw, Form::Url(path.to_owned()), Condition::Always);
            place(search, site, raw, path, condition);
        }
        Uri::None => place(search, site, raw, path, condition),
    }
}

/// A plain spelling, joined to every base when it is relative.
pub fn place(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, path: &str, condition: Condition) {
    let cannot_exist = condition == Condition::Exists && path.contains('\0');
    if path.is_empty() || cannot_exist {
        return;
    }
    let platform = search.input.surroundings.platform;
    if path.starts_with('/') && platform != Platform::Windows || is_home(path) {
        search.mention(site, raw, Form::Path(path.to_owned()), condition);
        return;
    }
    for base in site.bases.iter() {
        // A directory of the call is judged where it stands; below it, only what is there can lead on.
        let condition = if *base == search.root { condition } else { Condition::Exists };
        search.mention(site, raw, Form::Path(joined(base, path, platform)), condition);
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
pub fn variants(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, path: &str, condition: Condition) {
    let mut decoding = decoded(path);
    for _ in 0..MOST_DECODINGS {
        let Some(plain) = decoding else { break };
        let is_declared = site.confidence != Confidence::Guess;
        if leads_away(&plain) || is_declared || is_unmistakable(&plain) {
            reading(search, site, raw, &plain, condition);
        }
        folded(search, site, raw, &plain, condition);
        decoding = decoded(&plain);
    }
    expansion(search, site, raw, path, condition);
    folded(search, site, raw, path, condition);
    if is_glob(path) {
        pattern::glob(search, site, raw, path, [Condition::Exists; 2]);
    }
}

/// Whether the text names a place by itself, wherever it is joined to.
pub fn leads_away(path: &str) -> bool {
    matches!(look(path), Look::Absolute | Look::Home | Look::HomeOf | Look::Climbing | Look::FileUri)
}

/// Compatibility forms of dots and slashes, and backslashes that a server on another platform takes for separators.
fn folded(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, path: &str, condition: Condition) {
    if site.confidence != Confidence::Guess {
        return;
    }
    if !path.is_ascii() {
        let plain: String = path.nfkc().collect();
        if plain != path && leads_away(&plain) {
            reading(search, site, raw, &plain, condition);
        }
    }
    if path.contains('\\') {
        let plain = path.replace('\\', "/");
        if look(&plain) == Look::Climbing {
            place(search, site, raw, &plain, condition);
        }
    }
}

/// `$HOME/…`, `${HOME}/…`, `%USERPROFILE%\…`: known variables are put in, unknown ones cannot be followed.
fn expansion(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, path: &str, condition: Condition) {
    let Some((name, rest)) = variable(path) else { return };
    let rest = rest.replace('\\', "/");
    let known = search.input.surroundings.variables.get(name).cloned();
    match known {
        Some(value) => place(search, site, raw, &format!("{value}{rest}"), Condition::Always),
        None if VOCABULARY.places.home_variables.has(name) => place(search, site, raw, &format!("~{rest}"), Condition::Always),
        None if condition != Condition::Always || rest.is_empty() => {}
        None => search.unparsed(site, raw, "it begins with a variable whose value is not known here"),
    }
}

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
