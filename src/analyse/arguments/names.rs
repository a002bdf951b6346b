//! What the name of an argument says about its value: a weak promise, so it can only raise or lower suspicion.
use super::tool::Tool;
use super::vocabulary::VOCABULARY;
use super::words::words;
use crate::analyse::word_lists::Words;

/// What a name (or any weaker source than a declaration) makes of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The whole string is a path.
    Path,
    /// A command line, or the words of one.
    Command,
    /// The words that follow a command.
    Words,
    Pattern,
    /// A glob of what is left out.
    Excluded,
    Url,
    /// A body, message, prompt, query or expression.
    Content,
    /// A piece of a file that is being edited.
    Edited,
    /// An expression that looks like a path by nature: a route, an `XPath`, a JSON pointer, a regular expression.
    Route,
    Code,
    Sql,
    /// Free text that may name a file in passing.
    Text,
    /// Environment variables for a command.
    Environment,
    /// It says nothing by itself (`value`, `name`): what stands above it counts.
    Neutral,
    Unknown,
}

/// What `name` says of a value of `tool`.
pub fn hint(name: &str, tool: &Tool) -> Hint {
    let words = words(name);
    let Some((head, before)) = words.split_last() else { return Hint::Neutral };
    let modifier = before.last().map_or("", String::as_str);
    let has = |list: &Words| list.has(head);
    let say = &VOCABULARY.names;
    if let Some(hint) = compound(head, modifier, before, tool) {
        return hint;
    }
    match () {
        () if has(&say.path) => Hint::Path,
        () if has(&say.content) => Hint::Content,
        () if has(&say.route) => Hint::Route,
        () if has(&say.command) => Hint::Command,
        () if has(&say.words) => Hint::Words,
        () if has(&say.pattern) => Hint::Pattern,
        () if has(&say.excluded) => Hint::Excluded,
        () if has(&say.url) => Hint::Url,
        () if has(&say.text) => Hint::Text,
        () if has(&say.neutral) => Hint::Neutral,
        () => Hint::Unknown,
    }
}

/// Names whose meaning hangs on two words, or on the tool.
fn compound(head: &str, modifier: &str, before: &[String], tool: &Tool) -> Option<Hint> {
    let say = &VOCABULARY.names;
    let after = |list: &Words| list.has(modifier);
    let hint = match head {
        "path" | "paths" | "pathname" if after(&say.elsewhere) => Hint::Route,
        "name" | "names" if after(&say.file_nouns) => Hint::Path,
        "text" | "string" | "str" | "txt" | "source" | "content" | "code" if after(&say.edited) => Hint::Edited,
        "text" if modifier == "file" => Hint::Content,
        "edit" if modifier == "code" => Hint::Edited,
        "to" | "as" | "into" if after(&say.saved_before) => Hint::Path,
        "env" | "environment" | "environ" => Hint::Environment,
        "input" | "keys" | "keystrokes" | "text" | "line" | "code" | "expression" | "statement"
            if tool.runs_shell && !tool.runs_code && before.is_empty() =>
        {
            Hint::Command
        }
        "code" | "program" if tool.runs || tool.runs_code => Hint::Code,
        "script" | "snippet" | "expression" | "function" | "source" if tool.runs_code => Hint::Code,
        "code" => Hint::Content,
        "script" if before.is_empty() => Hint::Command,
        "sql" | "cypher" | "statement" | "statements" => Hint::Sql,
        "query" | "queries" if tool.is_sql || modifier == "sql" => Hint::Sql,
        "pattern" | "patterns" | "glob" | "globs" if after(&say.excluded) => Hint::Excluded,
        "pattern" | "patterns" if after(&say.expression) || tool.is_grep => Hint::Route,
        "type" if matches!(modifier, "mime" | "content") => Hint::Route,
        "run" | "exec" | "execute" | "shell" if !before.is_empty() => Hint::Unknown,
        _ => return None,
    };
    Some(hint)
}

/// Whether the argument `name` takes a word that may look like a file's name: the end of one (`.env`, `.pem`), a label, a branch.
pub fn is_word(name: &str) -> bool {
    VOCABULARY.names.label.any(&words(name))
}

/// Whether `name` is that of a directory from which sibling values start.
pub fn is_base(name: &str) -> bool {
    let words = words(name);
    let Some((head, before)) = words.split_last() else { return false };
    let modifier = before.last().map_or("", String::as_str);
    VOCABULARY.names.base.has(head)
        || (matches!(head.as_str(), "path" | "location") && !matches!(modifier, "file" | "url" | "api" | "json"))
}
