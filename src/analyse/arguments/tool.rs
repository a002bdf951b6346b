//! What a tool's name and definition say of it as a whole.
use crate::policy::{Direction, Platform, Shell};

use super::DiscoveryInput;
use super::words::words;

/// The nature of the called tool; worked out once per call.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// It runs command lines.
    pub runs_shell: bool,
    /// It runs program text of a language other than the shell.
    pub runs_code: bool,
    /// It applies patches, so that their headers name files.
    pub applies_patches: bool,
    /// Its name says that it runs something.
    pub runs: bool,
    /// It searches file contents, so that its `pattern` is a regular expression.
    pub is_grep: bool,
    /// It looks for names or contents, so that a bare word as its pattern is what it looks for.
    pub is_search: bool,
    /// It talks to a database.
    pub is_sql: bool,
    /// Which command language its command lines are in.
    pub shell: Shell,
    /// It moves, deletes or edits what it is given, so that a source is changed too.
    pub changes_sources: bool,
    /// What it does to the paths it is given, as far as its name and hints say.
    pub direction: Direction,
}

const SHELL: &[&str] = &["bash", "shell", "terminal", "command", "cmd", "powershell", "pwsh", "exec", "zsh", "sh", "tmux"];
const LANGUAGE: &[&str] = &[
    "python",
    "py",
    "ipython",
    "jupyter",
    "notebook",
    "repl",
    "javascript",
    "js",
    "node",
    "typescript",
    "ts",
    "ruby",
    "perl",
    "php",
    "lua",
    "code",
    "script",
    "eval",
    "evaluate",
    "interpreter",
    "cell",
    "deno",
    "bun",
];
const RUN: &[&str] = &[
    "run",
    "exec",
    "execute",
    "eval",
    "evaluate",
    "interpreter",
    "repl",
    "python",
    "ipython",
    "javascript",
    "js",
    "node",
    "ruby",
    "perl",
    "php",
    "lua",
    "deno",
    "bun",
    "sandbox",
];
const GREP: &[&str] = &["grep", "rg", "ripgrep", "ag", "ack", "egrep"];
const SQL: &[&str] = &[
    "sql",
    "sqlite",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "duckdb",
    "neo4j",
    "cypher",
    "db",
    "database",
    "mssql",
    "clickhouse",
    "snowflake",
    "bigquery",
];
const WRITE: &[&str] = &[
    "write",
    "create",
    "delete",
    "remove",
    "move",
    "rename",
    "edit",
    "save",
    "download",
    "update",
    "append",
    "replace",
    "patch",
    "mkdir",
    "rm",
    "rmdir",
    "mv",
    "insert",
    "overwrite",
    "put",
    "touch",
    "truncate",
    "chmod",
    "chown",
    "extract",
    "unzip",
    "export",
    "generate",
    "apply",
    "init",
    "clone",
    "modify",
    "set",
    "add",
    "store",
    "unlink",
    "trash",
    "format",
];
const MOVES: &[&str] = &["move", "rename", "mv", "delete", "remove", "trash", "unlink", "edit", "update"];
const READ: &[&str] = &[
    "read",
    "get",
    "list",
    "ls",
    "search",
    "view",
    "cat",
    "show",
    "find",
    "glob",
    "grep",
    "rg",
    "stat",
    "open",
    "load",
    "fetch",
    "head",
    "tail",
    "diff",
    "status",
    "log",
    "tree",
    "describe",
    "info",
    "upload",
    "analyze",
    "analyse",
    "count",
    "check",
    "inspect",
    "parse",
    "preview",
    "query",
    "lookup",
    "summarize",
    "explain",
    "copy",
    "cp",
    "compare",
    "ingest",
    "index",
    "scan",
    "validate",
    "lint",
];

impl Tool {
    /// Reads the nature off the input's tool name, definition and settings.
    pub fn of(input: &DiscoveryInput<'_>) -> Self {
        let words = words(input.tool);
        let any = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let is_query = any(&["query", "execute", "run"]) && !any(&["command", "shell"]);
        Self {
            runs_shell: any(SHELL),
            runs_code: any(LANGUAGE) && any(RUN),
            applies_patches: any(&["patch", "apply"]),
            runs: any(RUN),
            is_grep: any(GREP) || (any(&["search", "find"]) && any(&["code", "content", "contents", "text", "lines", "regex", "in"])),
            is_search: any(&["search", "find", "lookup", "query"]),
            is_sql: any(SQL) || (is_query && any(&["query"])),
            shell: shell(input, &words),
            changes_sources: any(MOVES),
            direction: direction(input, &words),
        }
    }
}

fn shell(input: &DiscoveryInput<'_>, words: &[String]) -> Shell {
    let named = |name: &str| words.iter().any(|word| word == name);
    let is_windows = input.surroundings.platform == Platform::Windows;
    match input.settings.shell {
        Shell::Posix if named("powershell") || named("pwsh") => Shell::PowerShell,
        Shell::Posix if named("cmd") && words.len() == 1 => Shell::Cmd,
        // What a tool there runs commands with, unless it says so; its grammar gives up early
        Shell::Posix if is_windows && !["bash", "sh", "zsh", "wsl"].iter().any(|name| named(name)) => Shell::PowerShell,
        other => other,
    }
}

/// The first verb of the name decides; the policy's word for a reading tool beats it, the server's own word only where no
/// verb of the name says otherwise.
fn direction(input: &DiscoveryInput<'_>, words: &[String]) -> Direction {
    if input.settings.read_only.as_ref().is_some_and(|set| set.value) {
        return Direction::Read;
    }
    for word in words {
        if WRITE.contains(&word.as_str()) {
            return Direction::Write;
        }
        if READ.contains(&word.as_str()) {
            return Direction::Read;
        }
    }
    match input.definition.and_then(|definition| definition.hints.read_only) {
        Some(true) => Direction::Read,
        _ => Direction::Unknown,
    }
}
