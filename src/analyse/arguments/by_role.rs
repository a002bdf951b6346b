//! What is done with one string, by its role.
use serde_json::{Map, Value};

use crate::analyse::{Condition, Confidence, Form, sql};

use super::context::{ArgumentSite, Search};
use super::guess::{address, one, open, unknown};
use super::names::{Hint, hint};
use super::token::{Look, is_glob, look};
use super::vocabulary::VOCABULARY;
use super::words::words;
use super::{code, command, diff, path, pattern, text, writes};

/// Longest single value that is looked at as one path; the kernel takes no longer one (Linux `PATH_MAX`).
pub const LONGEST_PATH: usize = 4096;

/// One string's role, with where it stands.
#[derive(Debug, Clone)]
pub struct SiteRole {
    pub site: ArgumentSite,
    /// How it is treated.
    pub hint: Hint,
    /// Declared to hold nothing to search for.
    pub sealed: bool,
}

/// Searches `value` by its role; `siblings` are the members it stands among.
pub fn search_by_role(search: &mut Search<'_>, role: &SiteRole, value: &str, siblings: Option<&Map<String, Value>>) {
    let site = &role.site;
    search.note(site, value, word(role));
    if role.sealed {
        return;
    }
    writes::action(search, site, value);
    writes::mutation(search, site, value);
    match role.hint {
        Hint::Path => file(search, site, value, siblings),
        Hint::Command if is_script(search, site, value) => program(search, site, value),
        Hint::Command => command::line(search, site, value, siblings),
        Hint::Words => command::rest(search, site, value, siblings),
        Hint::Pattern => pattern::pattern(search, site, value),
        Hint::Excluded => excluded(search, site, value),
        Hint::Url => url(search, site, value),
        hint if is_patch(search, hint, value) => diff::patch(search, site, value),
        Hint::Content | Hint::Route => body(search, site, value),
        Hint::Edited => edited(search, site, value),
        Hint::Code if siblings.is_some_and(is_shell_program) => command::line(search, site, value, None),
        Hint::Code => program(search, site, value),
        Hint::Sql => query(search, site, value),
        Hint::Text => unknown(search, site, value, true),
        Hint::Environment => environment(search, site, value),
        Hint::Neutral | Hint::Unknown => unknown(search, site, value, false),
    }
    if matches!(role.hint, Hint::Content | Hint::Text | Hint::Unknown) && sql::is_statement(value) {
        query(search, site, value);
    }
}

/// An object key that may be a path.
pub fn key(search: &mut Search<'_>, role: &SiteRole, name: &str) {
    search.note(&role.site, name, "key");
    match role.hint {
        Hint::Path if is_file_name(name) => file(search, &role.site, name, None),
        _ => unknown(search, &role.site, name, false),
    }
}

/// Whether a key is more likely the name of a file than that of a member.
pub fn is_file_name(name: &str) -> bool {
    name.contains(['/', '.', '~', '\\'])
}

fn word(role: &SiteRole) -> &'static str {
    match role.hint {
        Hint::Path => "path",
        Hint::Command => "command",
        Hint::Words => "words of a command",
        Hint::Pattern => "pattern",
        Hint::Excluded => "pattern of what is left out",
        Hint::Url => "url",
        Hint::Content | Hint::Edited => "content",
        Hint::Route => "expression",
        Hint::Code => "code",
        Hint::Sql => "sql",
        Hint::Text => "text",
        Hint::Environment => "environment",
        Hint::Neutral | Hint::Unknown => "unknown",
    }
}

/// Whether the text is a patch that is going to be applied.
fn is_patch(search: &Search<'_>, hint: Hint, value: &str) -> bool {
    let may_be = matches!(hint, Hint::Content | Hint::Text | Hint::Neutral | Hint::Unknown);
    may_be && (search.tool.applies_patches && value.contains('\n') || value.trim_start().starts_with("*** Begin Patch"))
}

/// Whether an argument named for a script holds the name of an entry rather than a text to run.
fn is_script(search: &Search<'_>, site: &ArgumentSite, value: &str) -> bool {
    hint(&site.name, &search.tool) == Hint::Command && words(&site.name).last().is_some_and(|head| head == "script") && is_name(value)
}

fn is_name(value: &str) -> bool {
    let is_syntax = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | '"' | '\'' | '`' | ';' | '=');
    !value.trim().is_empty() && value.len() <= LONGEST_PATH && !value.trim().contains(is_syntax)
}

/// Program text; what is nothing but a name may be the file that holds it.
fn program(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    if is_name(value) {
        one(search, site, value.trim(), Condition::Always);
    }
    code::code(search, site, value);
}

/// A path. In an operation of a JSON patch (RFC 6902) it may as well be a pointer into the patched document, beside the method of
/// an HTTP request its route.
fn file(search: &mut Search<'_>, site: &ArgumentSite, value: &str, siblings: Option<&Map<String, Value>>) {
    if open(search, site, value) {
        return;
    }
    let names_no_file = |members: &Map<String, Value>| is_patch_operation(members) || is_request(members);
    let is_pointer = site.confidence == Confidence::Guess && (value.contains(".*") || siblings.is_some_and(names_no_file));
    path::whole(search, site, value, if is_pointer { Condition::FirstComponentExists } else { Condition::Always });
    if search.tool.is_grep && !is_pointer {
        pattern::searched(search, site, value);
    }
}

fn is_request(members: &Map<String, Value>) -> bool {
    let verb = ["method", "verb", "http_method", "httpMethod"].iter().find_map(|name| members.get(*name)?.as_str());
    verb.is_some_and(|verb| matches!(verb.to_ascii_uppercase().as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"))
}

fn is_patch_operation(members: &Map<String, Value>) -> bool {
    let operation = members.get("op").and_then(Value::as_str);
    operation.is_some_and(|operation| matches!(operation, "add" | "remove" | "replace" | "move" | "copy" | "test"))
}

fn url(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let value = value.trim();
    match look(value) {
        Look::Url => {
            path::reading(search, site, value, value, Condition::Always);
            address(search, site, value);
        }
        Look::Relative if is_host(value) => search.mention(site, value, Form::Url(format!("http://{value}")), Condition::Always),
        _ => unknown(search, site, value, false),
    }
}

/// `localhost:3000/x`, `10.0.0.1`: an address without its scheme, as browsers take it.
fn is_host(value: &str) -> bool {
    let host = value.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "0"));
    let is_name = name == "localhost" || name.contains('.') || name.starts_with('[');
    is_name && port.chars().all(|letter| letter.is_ascii_digit())
}

/// A piece of a file that is being edited; a system file's name in it is text.
fn edited(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let token = value.trim();
    match text::is_common_knowledge(token) && token.len() <= LONGEST_PATH {
        true => search.mention(site, token, Form::NameOnly(token.to_owned()), Condition::Exists),
        false => body(search, site, value),
    }
}

/// The value of an environment variable; a list of the system's own directories (`PATH`) touches nothing by itself.
fn environment(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let is_search_path = value.contains(':') && value.split(':').all(|part| text::is_common_knowledge(&format!("{part}/")));
    if !is_search_path {
        unknown(search, site, value, false);
    }
}

/// Whether the member beside a program says that its language is a shell's.
fn is_shell_program(members: &Map<String, Value>) -> bool {
    let named = VOCABULARY.names.language.iter().find_map(|name| members.get(name).and_then(Value::as_str));
    named.is_some_and(|language| matches!(language.to_ascii_lowercase().as_str(), "bash" | "sh" | "shell" | "zsh" | "posix"))
}

/// A body is not searched; but a value that is nothing but the name of an existing entry is still a guess.
fn body(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let token = value.trim();
    if token.len() <= LONGEST_PATH && !token.contains('\n') && !text::is_single_step(token) {
        one(search, site, token, Condition::Exists);
    }
    if token.starts_with("--") && !token.contains(char::is_whitespace) {
        text::pieces(search, site, token, Condition::Always);
    }
    if token.starts_with('@') && !token.contains(char::is_whitespace) {
        text::pieces(search, site, token, Condition::Exists);
    }
}

/// What is left out is not touched; a name is a weak promise, so a place that is plainly elsewhere still counts if it exists.
fn excluded(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    if path::leads_away(value) && !is_glob(value) {
        body(search, site, value);
    }
}

fn query(search: &mut Search<'_>, site: &ArgumentSite, value: &str) {
    let seen = sql::analyse(value);
    writes::sql(search, site, &seen);
    for file in &seen.files {
        let site = ArgumentSite { direction: file.direction, source: "file access of an SQL statement".into(), ..site.clone() };
        path::reading(search, &site, &file.path, &file.path, Condition::Always);
    }
    for line in &seen.commands {
        command::line(search, site, line, None);
    }
    body(search, site, value);
}
