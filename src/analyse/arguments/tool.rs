//! What a tool's name and definition say of it as a whole.
use crate::analyse::word_lists::Words;
use crate::policy::{Direction, Platform, Shell};

use super::DiscoveryInput;
use super::vocabulary::VOCABULARY;
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

impl Tool {
    /// Reads the nature off the input's tool name, definition and settings.
    pub fn of(input: &DiscoveryInput<'_>) -> Self {
        let words = words(input.tool);
        let say = &VOCABULARY.tools;
        let has = |list: &Words| list.any(&words);
        let any = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let is_query = any(&["query", "execute", "run"]) && !any(&["command", "shell"]);
        Self {
            runs_shell: has(&say.shell),
            runs_code: has(&say.language) && has(&say.run),
            applies_patches: any(&["patch", "apply"]),
            runs: has(&say.run),
            is_grep: has(&say.grep) || (any(&["search", "find"]) && any(&["code", "content", "contents", "text", "lines", "regex", "in"])),
            is_search: any(&["search", "find", "lookup", "query"]),
            is_sql: has(&say.sql) || (is_query && any(&["query"])),
            shell: shell(input, &words),
            changes_sources: has(&say.moves),
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
        if VOCABULARY.tools.write.has(word) {
            return Direction::Write;
        }
        if VOCABULARY.tools.read.has(word) {
            return Direction::Read;
        }
    }
    match input.definition.and_then(|definition| definition.hints.read_only) {
        Some(true) => Direction::Read,
        _ => Direction::Unknown,
    }
}
