//! What the name of an argument says about its value: a weak promise, so it can only raise or lower suspicion.
use super::tool::Tool;
use super::vocabulary::{COMMAND, CONTENT, ELSEWHERE, EXCLUDED, NEUTRAL, PATH, PATTERN, ROUTE, TEXT, URL, WORDS};
use super::words::words;

/// What a name (or any weaker source than a declaration) makes of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The whole string is a path.
    Path,
    /// A command line, or the words of one.
    Command,
    /// The words that follow a command.
    Words,
    /// A glob.
    Pattern,
    /// A glob of what is left out.
    Excluded,
    /// A URL.
    Url,
    /// A body, message, prompt, query or expression.
    Content,
    /// A piece of a file that is being edited.
    Edited,
    /// An expression that looks like a path by nature: a route, an `XPath`, a JSON pointer, a regular expression.
    Route,
    /// Program text.
    Code,
    /// SQL.
    Sql,
    /// Free text that may name a file in passing.
    Text,
    /// Environment variables for a command.
    Environment,
    /// It says nothing by itself (`value`, `name`): what stands above it counts.
    Neutral,
    /// Nothing known.
    Unknown,
}

/// What `name` says of a value of `tool`.
pub fn hint(name: &str, tool: &Tool) -> Hint {
    let words = words(name);
    let Some((head, before)) = words.split_last() else { return Hint::Neutral };
    let modifier = before.last().map_or("", String::as_str);
    let has = |table: &[&str]| table.contains(&head.as_str());
    if let Some(hint) = compound(head, modifier, before, tool) {
        return hint;
    }
    match () {
        () if has(PATH) => Hint::Path,
        () if has(CONTENT) => Hint::Content,
        () if has(ROUTE) => Hint::Route,
        () if has(COMMAND) => Hint::Command,
        () if has(WORDS) => Hint::Words,
        () if has(PATTERN) => Hint::Pattern,
        () if has(EXCLUDED) => Hint::Excluded,
        () if has(URL) => Hint::Url,
        () if has(TEXT) => Hint::Text,
        () if has(NEUTRAL) => Hint::Neutral,
        () => Hint::Unknown,
    }
}

/// Names whose meaning hangs on two words, or on the tool.
fn compound(head: &str, modifier: &str, before: &[String], tool: &Tool) -> Option<Hint> {
    let after = |options: &[&str]| options.contains(&modifier);
    let hint = match head {
        "path" | "paths" | "pathname" if after(ELSEWHERE) => Hint::Route,
        "name" | "names" if after(&["file", "path", "dir", "folder", "directory"]) => Hint::Path,
        "text" | "string" | "str" | "txt" | "source" | "content" | "code"
            if after(&["old", "new", "insert", "search", "replace", "find", "original", "updated", "cell"]) =>
        {
            Hint::Edited
        }
        "text" if modifier == "file" => Hint::Content,
        "edit" if modifier == "code" => Hint::Edited,
        "to" | "as" | "into" if after(&["save", "write", "download", "export", "output", "store"]) => Hint::Path,
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
        "pattern" | "patterns" | "glob" | "globs" if after(EXCLUDED) => Hint::Excluded,
        "pattern" | "patterns" if after(&["regex", "search", "grep", "regexp"]) || tool.is_grep => Hint::Route,
        "type" if after(&["mime", "content"]) => Hint::Route,
        "run" | "exec" | "execute" | "shell" if !before.is_empty() => Hint::Unknown,
        _ => return None,
    };
    Some(hint)
}

/// Whether the argument `name` takes a word that may look like a file's name: the end of one (`.env`, `.pem`), a label, a branch.
pub fn is_word(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "extension",
        "extensions",
        "ext",
        "exts",
        "suffix",
        "suffixes",
        "type",
        "types",
        "format",
        "formats",
        "kind",
        "label",
        "labels",
        "tag",
        "tags",
        "branch",
        "branches",
        "class",
        "classes",
        "scope",
        "scopes",
        "column",
        "columns",
        "field",
        "fields",
    ];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether `name` is that of a directory from which sibling values start.
pub fn is_base(name: &str) -> bool {
    const DIRECTORY: &[&str] = &[
        "cwd",
        "pwd",
        "workdir",
        "dir",
        "directory",
        "folder",
        "root",
        "basedir",
        "rootdir",
        "outdir",
        "outputdir",
        "indir",
        "inputdir",
        "worktree",
        "projectroot",
        "workspace",
        "base",
        "repo",
        "repository",
        "project",
    ];
    let words = words(name);
    let Some((head, before)) = words.split_last() else { return false };
    let modifier = before.last().map_or("", String::as_str);
    DIRECTORY.contains(&head.as_str())
        || (matches!(head.as_str(), "path" | "location") && !matches!(modifier, "file" | "url" | "api" | "json"))
}
