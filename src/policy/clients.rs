//! What is known of MCP clients by the names they give themselves: `policy/clients.toml`, compiled in and read when first asked for.
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use super::name_glob::NameGlob;

const TABLE: &str = include_str!("../../policy/clients.toml");

// INVARIANT: the table is valid (a test reads it); were it not, every client would count as the unknown one.
static CLIENTS: LazyLock<Table> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// Habits of one client. They serve convenience and never a decision: anybody can claim a name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// What people call it.
    pub title: String,
    names: Vec<String>,
    question_seconds: Option<u64>,
    question_seconds_with_progress: Option<u64>,
    /// Whether it draws on the terminal that its servers are started from, so that a question there would fight it for keys.
    #[serde(default)]
    pub owns_the_screen: bool,
    #[serde(default)]
    project_variables: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    unknown: Unknown,
    clients: Vec<Client>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unknown {
    question_seconds: u64,
}

impl Default for Unknown {
    /// The shortest that any client is known to wait, less what a reply needs.
    fn default() -> Self {
        Self { question_seconds: 25 }
    }
}

/// The client that calls itself `name`, if it is a known one.
pub fn named(name: &str) -> Option<&'static Client> {
    let name = name.to_lowercase();
    CLIENTS.clients.iter().find(|client| client.names.iter().any(|pattern| is_name(pattern, &name)))
}

/// How long a question may stay open for the client of this name, a little under the time after which it gives the call up.
/// `with_progress` says that it asked for progress, which keeps some of them waiting.
pub fn question_time(name: Option<&str>, with_progress: bool) -> Duration {
    let client = name.and_then(named);
    let longer = client.and_then(|client| client.question_seconds_with_progress).filter(|_| with_progress);
    let seconds = longer.or_else(|| client.and_then(|client| client.question_seconds)).unwrap_or(CLIENTS.unknown.question_seconds);
    Duration::from_secs(seconds)
}

/// Whether the client of this name owns the terminal that its servers are started from.
pub fn owns_the_screen(name: Option<&str>) -> bool {
    name.and_then(named).is_some_and(|client| client.owns_the_screen)
}

/// The environment variables in which clients name the project they start a server for.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    CLIENTS.clients.iter().flat_map(|client| client.project_variables.iter().map(String::as_str))
}

fn is_name(pattern: &str, name: &str) -> bool {
    NameGlob::new(&pattern.to_lowercase()).is_some_and(|glob| glob.matches(name))
}

#[cfg(test)]
mod tests {
    use super::{CLIENTS, Table, named, owns_the_screen, project_variables, question_time};

    #[test]
    fn the_table_is_valid_and_no_name_stands_twice() {
        let table: Table = toml::from_str(super::TABLE).unwrap();
        for client in &table.clients {
            assert!(!client.names.is_empty(), "{}", client.title);
            for name in &client.names {
                assert_eq!(named(name).map(|found| &found.title), Some(&client.title), "{name} stands twice");
            }
            let longer = client.question_seconds_with_progress.unwrap_or(u64::MAX);
            assert!(client.question_seconds.unwrap_or(table.unknown.question_seconds) < longer, "{}", client.title);
        }
        assert_eq!(CLIENTS.clients.len(), table.clients.len());
    }

    #[test]
    fn a_question_ends_before_the_client_gives_up() {
        let seconds = |name, progress| question_time(name, progress).as_secs();
        for (name, quiet, lively) in [
            ("claude-code", 1500, 1500),
            ("gemini-cli-mcp-client", 580, 580),
            ("goose", 290, 290),
            ("codex-mcp-client", 280, 280),
            ("claude-ai", 220, 220),
            ("opencode", 50, 600),
            ("@librechat/api-client", 25, 25),
            ("Cline", 50, 50),
        ] {
            assert_eq!((seconds(Some(name), false), seconds(Some(name), true)), (quiet, lively), "{name}");
        }
        assert_eq!(seconds(None, true), 50);
    }

    #[test]
    fn terminal_programs_own_their_screen_however_their_name_is_spelled() {
        let programs =
            ["claude-code", "Claude-Code", "codex-mcp-client", "gemini-cli-mcp-client", "mcp-test-client", "opencode", "goose", "crush"];
        for name in programs {
            assert!(owns_the_screen(Some(name)), "{name}");
        }
        for name in ["claude-ai", "Visual Studio Code", "claude-code-2", ""] {
            assert!(!owns_the_screen(Some(name)), "{name}");
        }
        assert!(!owns_the_screen(None));
    }

    #[test]
    fn project_variables_keep_the_order_of_the_table() {
        let known: Vec<&str> = project_variables().collect();
        assert_eq!(known, ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS"]);
    }
}
