//! What is done with one string, by its role.
use serde_json::{Map, Value};

use crate::gate::{Condition, Confidence, Form, sql};

use super::context::{Search, Spot};
use super::guess::{address, one, open, unknown};
use super::names::{Hint, hint};
use super::token::{Look, is_glob, look};
use super::words::words;
use super::{code, command, diff, path, pattern, text, writes};

/// Longest single value that is looked at as one path; the kernel takes no longer one (Linux `PATH_MAX`).
pub const LONGEST_PATH: usize = 4096;

/// One string's role, with where it stands.
#[derive(Debug, Clone)]
pub struct Role {
    /// Where it stands.
    pub spot: Spot,
    /// How it is treated.
    pub hint: Hint,
    /// Declared to hold nothing to search for.
    pub sealed: bool,
}

/// Searches `value` by its role; `siblings` are the members it stands among.
pub fn treat(search: &mut Search<'_>, role: &Role, value: &str, siblings: Option<&Map<String, Value>>) {
    let spot = &role.spot;
    search.note(spot, value, word(role));
    if role.sealed {
        return;
    }
    writes::action(search, spot, value);
    writes::mutation(search, spot, value);
    match role.hint {
        Hint::Path => file(search, spot, value, siblings),
        Hint::Command if is_script(search, spot, value) => program(search, spot, value),
        Hint::Command => command::line(search, spot, value, siblings),
        Hint::Words => command::rest(search, spot, value, siblings),
        Hint::Pattern => pattern::pattern(search, spot, value),
        Hint::Excluded => excluded(search, spot, value),
        Hint::Url => url(search, spot, value),
        hint if is_patch(search, hint, value) => diff::patch(search, spot, value),
        Hint::Content | Hint::Route => body(search, spot, value),
        Hint::Edited => edited(search, spot, value),
        Hint::Code if siblings.is_some_and(is_shell_program) => command::line(search, spot, value, None),
        Hint::Code => program(search, spot, value),
        Hint::Sql => query(search, spot, value),
        Hint::Text => unknown(search, spot, value, true),
        Hint::Environment => environment(search, spot, value),
        Hint::Neutral | Hint::Unknown => unknown(search, spot, value, false),
    }
    if matches!(role.hint, Hint::Content | Hint::Text | Hint::Unknown) && sql::is_statement(value) {
        query(search, spot, value);
    }
}

/// An object key that may be a path.
pub fn key(search: &mut Search<'_>, role: &Role, name: &str) {
    search.note(&role.spot, name, "key");
    match role.hint {
        Hint::Path if is_file_name(name) => file(search, &role.spot, name, None),
        _ => unknown(search, &role.spot, name, false),
    }
}

/// Whether a key is more likely the name of a file than that of a member.
pub fn is_file_name(name: &str) -> bool {
    name.contains(['/', '.', '~', '\\'])
}

fn word(role: &Role) -> &'static str {
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
fn is_script(search: &Search<'_>, spot: &Spot, value: &str) -> bool {
    hint(&spot.name, &search.tool) == Hint::Command && words(&spot.name).last().is_some_and(|head| head == "script") && is_name(value)
}

fn is_name(value: &str) -> bool {
    let is_syntax = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | '"' | '\'' | '`' | ';' | '=');
    !value.trim().is_empty() && value.len() <= LONGEST_PATH && !value.trim().contains(is_syntax)
}

/// Program text; what is nothing but a name may be the file that holds it.
fn program(search: &mut Search<'_>, spot: &Spot, value: &str) {
    if is_name(value) {
        one(search, spot, value.trim(), Condition::Always);
    }
    code::code(search, spot, value);
}

/// A path. In an operation of a JSON patch (RFC 6902) it may as well be a pointer into the patched document, beside the method of
/// an HTTP request its route.
fn file(search: &mut Search<'_>, spot: &Spot, value: &str, siblings: Option<&Map<String, Value>>) {
    if open(search, spot, value) {
        return;
    }
    let names_no_file = |members: &Map<String, Value>| is_patch_operation(members) || is_request(members);
    let is_pointer = spot.confidence == Confidence::Guess && (value.contains(".*") || siblings.is_some_and(names_no_file));
    path::whole(search, spot, value, if is_pointer { Condition::FirstComponentExists } else { Condition::Always });
    if search.tool.is_grep && !is_pointer {
        pattern::searched(search, spot, value);
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

fn url(search: &mut Search<'_>, spot: &Spot, value: &str) {
    let value = value.trim();
    match look(value) {
        Look::Url => {
            path::reading(search, spot, value, value, Condition::Always);
            address(search, spot, value);
        }
        Look::Relative if is_host(value) => search.mention(spot, value, Form::Url(format!("http://{value}")), Condition::Always),
        _ => unknown(search, spot, value, false),
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
fn edited(search: &mut Search<'_>, spot: &Spot, value: &str) {
    let token = value.trim();
    match text::is_common_knowledge(token) && token.len() <= LONGEST_PATH {
        true => search.mention(spot, token, Form::NameOnly(token.to_owned()), Condition::Exists),
        false => body(search, spot, value),
    }
}

/// The value of an environment variable; a list of the system's own directories (`PATH`) touches nothing by itself.
fn environment(search: &mut Search<'_>, spot: &Spot, value: &str) {
    let is_search_path = value.contains(':') && value.split(':').all(|part| text::is_common_knowledge(&format!("{part}/")));
    if !is_search_path {
        unknown(search, spot, value, false);
    }
}

/// Whether the member beside a program says that its language is a shell's.
fn is_shell_program(members: &Map<String, Value>) -> bool {
    let named = ["language", "lang", "runtime", "interpreter", "kernel"].iter().find_map(|name| members.get(*name).and_then(Value::as_str));
    named.is_some_and(|language| matches!(language.to_ascii_lowercase().as_str(), "bash" | "sh" | "shell" | "zsh" | "posix"))
}

/// A body is not searched; but a value that is nothing but the name of an existing entry is still a guess.
fn body(search: &mut Search<'_>, spot: &Spot, value: &str) {
    let token = value.trim();
    if token.len() <= LONGEST_PATH && !token.contains('\n') && !text::is_single_step(token) {
        one(search, spot, token, Condition::Exists);
    }
    if token.starts_with("--") && !token.contains(char::is_whitespace) {
        text::pieces(search, spot, token, Condition::Always);
    }
    if token.starts_with('@') && !token.contains(char::is_whitespace) {
        text::pieces(search, spot, token, Condition::Exists);
    }
}

/// What is left out is not touched; a name is a weak promise, so a place that is plainly elsewhere still counts if it exists.
fn excluded(search: &mut Search<'_>, spot: &Spot, value: &str) {
    if path::leads_away(value) && !is_glob(value) {
        body(search, spot, value);
    }
}

fn query(search: &mut Search<'_>, spot: &Spot, value: &str) {
    let seen = sql::analyse(value);
    writes::sql(search, spot, &seen);
    for file in &seen.files {
        let spot = Spot { direction: file.direction, source: "file access of an SQL statement".into(), ..spot.clone() };
        path::reading(search, &spot, &file.path, &file.path, Condition::Always);
    }
    for line in &seen.commands {
        command::line(search, spot, line, None);
    }
    body(search, spot, value);
}
