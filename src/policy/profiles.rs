//! Server profiles compiled in from `policy/servers/`: what is known of the tools of servers that people really run.
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use super::cell::Cell;
use super::keys::{self, ToolEntry};
use super::section::Section;
use super::text::{Lines, PolicyError, document};
use super::value::Value;
use super::words::Shell;
use super::{consistency, form};

/// Every file of `policy/servers/`, by name (a test holds that none is missing).
const FILES: [(&str, &str); 31] = [
    ("brave-search", include_str!("../../policy/servers/brave-search.toml")),
    ("callgate-workspace", include_str!("../../policy/servers/callgate-workspace.toml")),
    ("chrome-devtools", include_str!("../../policy/servers/chrome-devtools.toml")),
    ("context7", include_str!("../../policy/servers/context7.toml")),
    ("desktop-commander", include_str!("../../policy/servers/desktop-commander.toml")),
    ("docker", include_str!("../../policy/servers/docker.toml")),
    ("duckduckgo", include_str!("../../policy/servers/duckduckgo.toml")),
    ("everything", include_str!("../../policy/servers/everything.toml")),
    ("fetch", include_str!("../../policy/servers/fetch.toml")),
    ("filesystem", include_str!("../../policy/servers/filesystem.toml")),
    ("firecrawl", include_str!("../../policy/servers/firecrawl.toml")),
    ("gdrive", include_str!("../../policy/servers/gdrive.toml")),
    ("git", include_str!("../../policy/servers/git.toml")),
    ("github", include_str!("../../policy/servers/github.toml")),
    ("gitlab", include_str!("../../policy/servers/gitlab.toml")),
    ("kubernetes", include_str!("../../policy/servers/kubernetes.toml")),
    ("markitdown", include_str!("../../policy/servers/markitdown.toml")),
    ("memory", include_str!("../../policy/servers/memory.toml")),
    ("notion", include_str!("../../policy/servers/notion.toml")),
    ("obsidian", include_str!("../../policy/servers/obsidian.toml")),
    ("playwright", include_str!("../../policy/servers/playwright.toml")),
    ("playwright-executeautomation", include_str!("../../policy/servers/playwright-executeautomation.toml")),
    ("postgres", include_str!("../../policy/servers/postgres.toml")),
    ("puppeteer", include_str!("../../policy/servers/puppeteer.toml")),
    ("sequential-thinking", include_str!("../../policy/servers/sequential-thinking.toml")),
    ("serena", include_str!("../../policy/servers/serena.toml")),
    ("shell", include_str!("../../policy/servers/shell.toml")),
    ("slack", include_str!("../../policy/servers/slack.toml")),
    ("sqlite", include_str!("../../policy/servers/sqlite.toml")),
    ("tavily", include_str!("../../policy/servers/tavily.toml")),
    ("time", include_str!("../../policy/servers/time.toml")),
];

/// The profiles, each read when first asked for: start-up pays for none.
static PROFILES: [OnceLock<Option<Profile>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// The `match` lists, taken from the part before the first table so that finding a profile does not read all of them.
static MATCHES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| FILES.iter().map(|(name, text)| head(name, text)).collect());

/// What is known of one server.
#[derive(Debug)]
pub struct Profile {
    /// Its name, as its file is called.
    pub name: String,
    /// Packages, commands and server names it is known by.
    pub matches: Vec<String>,
    /// The language of its commands.
    pub shell: Option<Shell>,
    pub(super) tools: BTreeMap<String, ToolEntry>,
}

impl Profile {
    /// The names of the tools it knows.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

/// The profile of that name.
pub fn named(name: &str) -> Option<&'static Profile> {
    FILES.iter().position(|(file, _)| *file == name).and_then(profile)
}

/// The profile that lists the first of `names` that any profile lists; names are compared byte for byte.
pub fn for_names(names: &[String]) -> Option<&'static Profile> {
    let position = names.iter().find_map(|name| MATCHES.iter().position(|matches| matches.contains(name)));
    position.and_then(profile)
}

/// The names of all profiles.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

// INVARIANT: every file is valid (a test reads them all); one that were not would count for nothing, which asks more and not less.
fn profile(position: usize) -> Option<&'static Profile> {
    let (name, text) = FILES.get(position)?;
    PROFILES.get(position)?.get_or_init(|| parse(name, text).ok()).as_ref()
}

fn head(name: &str, text: &str) -> Vec<String> {
    let head = text.find("\n[").and_then(|end| text.get(..=end)).unwrap_or(text);
    let lines = Lines::new(name, head);
    let Ok(table) = document(&lines, head) else { return Vec::new() };
    let section = Section::new(&table, &lines);
    section.texts("match").into_iter().map(|placed| placed.value).collect()
}

/// Reads one profile; the roles in it give `server profile NAME` as their source.
pub(super) fn parse(name: &str, text: &str) -> Result<Profile, PolicyError> {
    let lines = Lines::new(name, text);
    let table = document(&lines, text)?;
    let mut problems = Vec::new();
    form::check(&table, keys::PROFILE, &lines, &mut problems);
    let source = format!("server profile {name}");
    let section = Section::new(&table, &lines).from(&source);
    consistency::of_tools(&section, &lines, &mut problems);
    if section.text("name").is_none_or(|placed| placed.value != name) {
        problems.push(lines.problem(0..0, "`name` is not what the file is called", format!("begin the file with `name = \"{name}\"`")));
    }
    if !problems.is_empty() {
        return Err(PolicyError { problems });
    }
    let mut tools = BTreeMap::new();
    Cell::cover(&mut tools, <BTreeMap<String, ToolEntry> as Cell>::read(&section, "tools"));
    let matches = section.texts("match").into_iter().map(|placed| placed.value).collect();
    Ok(Profile { name: name.to_owned(), matches, shell: Shell::read(&section, "shell").map(|placed| placed.value), tools })
}

#[cfg(test)]
mod tests {
    use super::{FILES, for_names, named, parse};

    #[test]
    fn every_file_is_listed_and_valid() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("policy/servers");
        let mut found: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            found.push(entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
        }
        found.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(found, listed, "list every file of policy/servers in FILES");
        for (name, text) in FILES {
            let profile = parse(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(named(name).is_some_and(|found| found.name == name));
            for known in &profile.matches {
                assert_eq!(for_names(std::slice::from_ref(known)).map(|found| &*found.name), Some(name), "{known} is listed twice");
            }
        }
    }
}
