//! Signs in the arguments that a call changes something, whatever its tool claims to be.
use crate::analyse::Unparsed;
use crate::analyse::sql::Statement;

use super::context::{ArgumentSite, Search};
use super::vocabulary::VOCABULARY;
use super::words::words;

/// An argument such as `action: "delete"` or `mode: "w"`.
pub fn action(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let name = words(&site.name);
    let say = &VOCABULARY.signs;
    if value.len() > 64 || !name.last().is_some_and(|head| say.names.has(head)) {
        return;
    }
    let value_words = words(value);
    let is_verb = value_words.first().is_some_and(|verb| say.verbs.has(verb)) && !value.contains(' ');
    let is_mode = name.last().is_some_and(|head| head == "mode") && say.modes.has(&value.to_lowercase());
    if is_verb || is_mode {
        sign(search, site, value, &format!("`{}` is `{}`, which changes something", site.name.escape_debug(), value.escape_debug()));
    }
}

pub fn mutation(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    if value.trim_start().strip_prefix("mutation").is_some_and(|rest| rest.starts_with([' ', '{', '('])) && value.contains('{') {
        sign(search, site, "mutation", "the query is a GraphQL mutation, which changes data");
    }
}

/// A switch such as `overwrite: true`.
pub fn flag(search: &mut Search<'_>, site: &ArgumentSite) {
    let name = words(&site.name);
    if let [only] = name.as_slice()
        && VOCABULARY.signs.flags.has(only)
    {
        sign(search, site, "true", &format!("`{}` is switched on, which changes something", site.name.escape_debug()));
    }
}

/// A statement that changes data or the transaction's mode.
pub fn sql(search: &mut Search<'_>, site: &ArgumentSite, seen: &Statement) {
    if let Some(verb) = &seen.changes {
        sign(search, site, verb, &format!("the SQL text holds `{verb}`, which changes data"));
    }
}

fn sign(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, why: &str) {
    search.found.writes.push(Unparsed { argument: site.argument.clone(), raw: raw.to_owned(), why: why.to_owned() });
}
