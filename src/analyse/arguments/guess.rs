//! A value of which no role is known: what its text may name.
use std::collections::HashSet;

use serde_json::Value;

use crate::analyse::{Condition, Form, Unparsed};
use crate::policy::Direction;

use super::by_role::LONGEST_PATH;
use super::context::{ArgumentSite, Opened, Search};
use super::names;
use super::path::{self, variants};
use super::token::{Look, climbs, is_data, is_glob, is_unmistakable, is_xpath, look};
use super::uri::local_path;
use super::vocabulary::VOCABULARY;
use super::words::words;
use super::{direction, pattern, text};

/// How many JSON texts may lie in each other.
const DEEPEST_NEST: usize = 8;

/// A value that nothing is known of.
pub fn unknown(search: &mut Search<'_>, site: &ArgumentSite, value: &str, lenient: bool) {
    if open(search, site, value) {
        return;
    }
    let token = value.trim();
    if is_data(token) {
        return;
    }
    if let Some(source) = mounted(&site.name, token) {
        return single(search, site, source);
    }
    if !token.contains(char::is_whitespace) {
        return single(search, site, token);
    }
    if token.len() <= LONGEST_PATH && !token.contains('\n') {
        one(search, site, token, Condition::Exists);
    }
    if !list(search, site, token) {
        text::prose(search, site, value, lenient);
    }
}

fn single(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    if token.len() <= LONGEST_PATH || climbs(token) {
        one(search, site, token, Condition::Always);
    }
    if is_stored(token) {
        search.mention(site, token, Form::NameOnly(token.to_owned()), Condition::Always);
    }
    text::pieces(search, site, token, Condition::Always);
}

/// `HEAD:.env`: a file inside of another store, such as a revision of a repository. A file of another machine (`user@host:x`)
/// is none of ours, and a bare word after a colon (`kind:credentials`) is none at all.
fn is_stored(token: &str) -> bool {
    let Some((store, name)) = token.split_once(':').filter(|_| token.len() <= LONGEST_PATH) else { return false };
    let is_remote = store.contains('@') && !store.contains("@{");
    look(token) == Look::Relative && !store.is_empty() && name.contains(['.', '/']) && !name.starts_with('/') && !is_remote
}

/// One token that may be a place; `condition` is what a place that is plain to see must meet.
pub fn one(search: &mut Search<'_>, site: &ArgumentSite, token: &str, condition: Condition) {
    match look(token) {
        Look::Absolute if is_xpath(token) => return,
        Look::Absolute if is_glob(token) => queried(search, site, token),
        Look::Absolute if token.contains(":/") => path::place(search, site, token, token, Condition::Exists),
        Look::Absolute => path::place(search, site, token, token, condition.max(Condition::FirstComponentExists)),
        Look::Home | Look::Climbing | Look::FileUri => path::reading(search, site, token, token, condition),
        Look::HomeOf => path::place(search, site, token, token, condition),
        Look::Relative if condition == Condition::Always => relative(search, site, token),
        Look::Relative => path::place(search, site, token, token, Condition::Exists),
        Look::Url if condition == Condition::Exists => {}
        Look::Url => address(search, site, token),
        Look::Nothing => return,
    }
    let away = if condition == Condition::Exists { Condition::Exists } else { Condition::Always };
    if look(token) == Look::Climbing || !is_glob(token) {
        variants(search, site, token, token, away);
    }
}

/// The side of this machine of a mount (`./data:/var/lib/data`); the other side lies in the container.
fn mounted<'v>(name: &str, value: &'v str) -> Option<&'v str> {
    let is_mount = words(name).last().is_some_and(|head| VOCABULARY.names.mount.has(head));
    value.split_once(":/").filter(|_| is_mount && !value.contains("://")).map(|(source, _)| source)
}

/// A name below the root. It counts if there is such an entry; a dotfile or a key also before it is there, and so does the file
/// that an argument named for output would make.
fn relative(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    if direction::is_output(&site.name) && has_extension(token) {
        return path::place(search, site, token, token, Condition::Always);
    }
    path::place(search, site, token, token, Condition::Exists);
    if is_unmistakable(token) && !names::is_word(&site.name) {
        // What is only guessed to be touched is not guessed to be written as well
        let direction = if site.direction == Direction::Write { Direction::Write } else { Direction::Read };
        path::place(search, &ArgumentSite { direction, ..site.clone() }, token, token, Condition::Always);
    }
}

/// `report.csv`, but not `text`, `v1.2` or `2.5`.
fn has_extension(token: &str) -> bool {
    let extension = token.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        (2..=5).contains(&extension.len())
            && extension.starts_with(|first: char| first.is_ascii_alphabetic())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// An absolute glob, or a place with a query after it.
fn queried(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    pattern::glob(search, site, token, token, [Condition::Exists; 2]);
    if let Some((before, _)) = token.split_once('?').filter(|(before, _)| !is_glob(before)) {
        path::place(search, site, token, before, Condition::FirstComponentExists);
    }
}

/// A URL; as a path it is only of interest when it climbs, or when it names a file of this machine.
pub fn address(search: &mut Search<'_>, site: &ArgumentSite, token: &str) {
    search.mention(site, token, Form::Url(token.to_owned()), Condition::Always);
    if let Some(local) = local_path(token) {
        path::place(search, site, token, local, Condition::FirstComponentExists);
    }
    if climbs(token) {
        path::place(search, site, token, token, Condition::Always);
    }
}

/// A list of single tokens, one a line or separated by commas.
fn list(search: &mut Search<'_>, site: &ArgumentSite, text: &str) -> bool {
    const LONGEST: usize = 1 << 20;
    let separator = if text.contains('\n') { '\n' } else { ',' };
    let is_list =
        text.len() <= LONGEST && text.contains(separator) && text.split(separator).all(|part| !part.trim().contains(char::is_whitespace));
    if is_list {
        let mut seen = HashSet::new();
        text.split(separator).map(str::trim).filter(|part| seen.insert(*part)).for_each(|part| single(search, site, part));
    }
    is_list
}

/// Opens a JSON text, or several one after the other, to be searched after the arguments themselves.
pub fn open(search: &mut Search<'_>, site: &ArgumentSite, value: &str) -> bool {
    if !value.trim_start().starts_with(['{', '[', '"']) {
        return false;
    }
    let texts: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(value).into_iter().collect();
    let Ok(texts) = texts else { return false };
    if site.nest >= DEEPEST_NEST && texts.iter().any(holds_text) {
        let why = format!("JSON texts within each other are opened {DEEPEST_NEST} deep, and another lies within");
        search.found.unparsed.push(Unparsed { argument: site.argument.clone(), raw: value.to_owned(), why });
        return true;
    }
    let inner = match <[Value; 1]>::try_from(texts) {
        Ok([only]) => only,
        Err(lines) => Value::Array(lines),
    };
    search.opened.push(Opened { value: inner, pointer: site.argument.clone(), name: site.name.clone(), nest: site.nest + 1 });
    true
}

/// Whether a value holds words, which may name something; numbers name nothing.
fn holds_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(holds_text),
        Value::Object(members) => !members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
