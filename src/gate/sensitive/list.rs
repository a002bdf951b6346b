//! The built-in list, read once from `policy/sensitive.toml` and indexed so that a test costs a few hash look-ups.
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::view::{Candidates, View};
use crate::analyse::wildcard::Wildcard;

static BUILT_IN: LazyLock<Result<List, String>> = LazyLock::new(|| List::read(include_str!("../../../policy/sensitive.toml")));

#[derive(Debug)]
pub struct List {
    credential: Names,
    top: HashSet<String>,
    credential_paths: Paths,
    soft_paths: Paths,
    control: Names,
    control_paths: Paths,
    free: Free,
    aimed: Vec<String>,
}

/// Globs for one component.
#[derive(Debug, Default)]
struct Names {
    literal: HashSet<String>,
    suffix: HashMap<String, String>,
    by_first: HashMap<char, Vec<(Wildcard, String)>>,
    by_suffix: HashMap<String, Vec<(Wildcard, String)>>,
    rest: Vec<(Wildcard, String)>,
}

/// Runs of components, by their first component.
#[derive(Debug, Default)]
struct Paths {
    anywhere: HashMap<String, Vec<Run>>,
    rooted: HashMap<String, Vec<Run>>,
    home: HashMap<String, Vec<Run>>,
}

#[derive(Debug)]
struct Run {
    after_first: Vec<Wildcard>,
    rule: String,
}

#[derive(Debug)]
struct Free {
    names: Names,
    template: HashSet<String>,
    data: HashSet<String>,
    source: HashSet<String>,
    fixtures: HashSet<String>,
    backups: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    credential: ClassText,
    control: ClassText,
    free: FreeText,
    aimed: AimedText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassText {
    names: Vec<String>,
    #[serde(default)]
    top_names: Vec<String>,
    paths: Vec<String>,
    soft_paths: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreeText {
    template_words: Vec<String>,
    data_suffixes: Vec<String>,
    source_suffixes: Vec<String>,
    names: Vec<String>,
    fixture_directories: Vec<String>,
    backup_suffixes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AimedText {
    names: Vec<String>,
}

impl List {
    /// The list that is compiled in.
    ///
    /// # Errors
    /// What is wrong with the compiled-in text; a test holds that nothing is.
    pub fn built_in() -> Result<&'static Self, &'static str> {
        BUILT_IN.as_ref().map_err(String::as_str)
    }

    fn read(text: &str) -> Result<Self, String> {
        let text: Text = toml::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self {
            credential: Names::new(text.credential.names),
            top: text.credential.top_names.into_iter().collect(),
            credential_paths: Paths::new(text.credential.paths),
            soft_paths: Paths::new(text.credential.soft_paths),
            control: Names::new(text.control.names),
            control_paths: Paths::new(text.control.paths.into_iter().chain(text.control.soft_paths)),
            free: Free {
                names: Names::new(text.free.names),
                template: text.free.template_words.into_iter().collect(),
                data: text.free.data_suffixes.into_iter().collect(),
                source: text.free.source_suffixes.into_iter().collect(),
                fixtures: text.free.fixture_directories.into_iter().collect(),
                backups: text.free.backup_suffixes,
            },
            aimed: text.aimed.names,
        })
    }

    /// The credential rule that a path meets.
    pub fn credential(&self, view: &View, names: &Candidates<'_>) -> Option<&str> {
        let itself = names.itself();
        if let Some(rule) = names.iter().find_map(|name| self.credential.literal.get(name)) {
            return Some(rule);
        }
        let stands_at_top = || !view.relative().trim_end_matches('/').contains('/');
        if let Some(rule) = self.top.get(itself).filter(|_| stands_at_top()) {
            return Some(rule);
        }
        if self.free.is_public(itself) {
            return None;
        }
        self.credential_paths.matching(view, view.relative()).or_else(|| {
            if self.free.excuses(itself) {
                return None;
            }
            let in_fixtures = self.free.in_fixtures(view.relative());
            names
                .iter()
                .find_map(|name| self.credential.matching(name, in_fixtures))
                .or_else(|| self.soft_paths.matching(view, view.relative()))
        })
    }

    /// The control rule that a path meets.
    pub fn control(&self, view: &View, names: &Candidates<'_>) -> Option<&str> {
        let named = self.control.literal.get(names.itself()).map(String::as_str);
        named.or_else(|| self.control.matching(names.itself(), false)).or_else(|| self.control_paths.matching(view, view.control()))
    }

    /// The credential rule that every name of one suffix meets: `*.pem`.
    pub fn suffix(&self, suffix: &str) -> Option<&str> {
        self.credential.suffix.get(suffix).map(String::as_str)
    }

    /// The listed names that a glob is tested against by its text.
    pub fn aimed(&self) -> &[String] {
        &self.aimed
    }

    /// `name` without one backup suffix, if it has one.
    pub fn without_backup_suffix<'name>(&self, name: &'name str) -> Option<&'name str> {
        self.free.backups.iter().find_map(|suffix| name.strip_suffix(suffix.as_str()).filter(|stem| !stem.is_empty()))
    }
}

impl Free {
    /// The public half of a key pair, and other names that are listed as free.
    fn is_public(&self, name: &str) -> bool {
        self.names.matching(name, false).is_some()
    }

    /// Templates and program text.
    fn excuses(&self, name: &str) -> bool {
        let mut parts: Vec<&str> = name.trim_start_matches('.').split(['.', '-', '_']).collect();
        let first = parts.first().copied().unwrap_or_default();
        let has_parts = parts.len() > 1;
        let last = name.rsplit_once('.').map(|(_, suffix)| suffix);
        if has_parts
            && (self.template.contains(first) || last.is_some_and(|suffix| self.template.contains(suffix) || self.source.contains(suffix)))
        {
            return true;
        }
        let data = has_parts && parts.pop().is_some_and(|suffix| self.data.contains(suffix));
        data && parts.last().is_some_and(|word| self.template.contains(*word))
    }

    fn in_fixtures(&self, relative: &str) -> bool {
        let above = relative.rsplit_once('/').map_or("", |(above, _)| above);
        above.split('/').any(|component| self.fixtures.contains(component))
    }
}

impl Names {
    fn new(globs: Vec<String>) -> Self {
        let mut names = Self::default();
        for glob in globs {
            names.add(glob);
        }
        names
    }

    fn add(&mut self, glob: String) {
        let compiled = Wildcard::new(&glob);
        let suffix = glob.rsplit_once('.').map(|(_, suffix)| suffix).filter(|suffix| !crate::analyse::wildcard::is_pattern(suffix));
        if compiled.is_literal() {
            self.literal.insert(glob);
        } else if let Some(suffix) = suffix.filter(|suffix| glob.len() == suffix.len() + 2) {
            self.suffix.insert(suffix.to_owned(), glob);
        } else if let Some(first) = glob.chars().next().filter(|_| compiled.opens_fixed()) {
            self.by_first.entry(first).or_default().push((compiled, glob));
        } else if let Some(suffix) = suffix {
            self.by_suffix.entry(suffix.to_owned()).or_default().push((compiled, glob.clone()));
        } else {
            self.rest.push((compiled, glob));
        }
    }

    fn matching(&self, name: &str, without_suffixes: bool) -> Option<&str> {
        if let Some(rule) = self.literal.get(name) {
            return Some(rule);
        }
        let suffix = name.rsplit_once('.').map(|(_, suffix)| suffix);
        if let Some(rule) = suffix.filter(|_| !without_suffixes).and_then(|suffix| self.suffix.get(suffix)) {
            return Some(rule);
        }
        let by_first = name.chars().next().and_then(|first| self.by_first.get(&first)).map(Vec::as_slice).unwrap_or_default();
        let by_suffix = suffix.and_then(|suffix| self.by_suffix.get(suffix)).map(Vec::as_slice).unwrap_or_default();
        let mut globs = by_first.iter().chain(by_suffix).chain(&self.rest);
        globs.find(|(glob, _)| glob.matches(name)).map(|(_, rule)| rule.as_str())
    }
}

impl Paths {
    fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut all = Self::default();
        for path in paths {
            all.add(path);
        }
        all
    }

    fn add(&mut self, path: String) {
        let (map, run) = if let Some(run) = path.strip_prefix("~/") {
            (&mut self.home, run)
        } else if let Some(run) = path.strip_prefix('/') {
            (&mut self.rooted, run)
        } else {
            (&mut self.anywhere, path.as_str())
        };
        let mut components = run.split('/');
        let first = components.next().unwrap_or_default().to_owned();
        let after_first = components.map(Wildcard::new).collect();
        map.entry(first).or_default().push(Run { after_first, rule: path });
    }

    fn matching(&self, view: &View, relative: &str) -> Option<&str> {
        let rooted = view.rooted().and_then(|path| find_run(&self.rooted, path));
        let home = || view.home().and_then(|path| find_run(&self.home, path));
        rooted.or_else(home).or_else(|| find_anywhere(&self.anywhere, relative)).map(|run| run.rule.as_str())
    }
}

fn find_anywhere<'map>(map: &'map HashMap<String, Vec<Run>>, path: &str) -> Option<&'map Run> {
    let mut rest = Some(path);
    while let Some(path) = rest {
        if let Some(run) = find_run(map, path) {
            return Some(run);
        }
        rest = path.split_once('/').map(|(_, after)| after);
    }
    None
}

/// A run that begins at the beginning of `path`.
fn find_run<'map>(map: &'map HashMap<String, Vec<Run>>, path: &str) -> Option<&'map Run> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let follows = |run: &&Run| {
        let mut components = rest.split('/');
        run.after_first.iter().all(|wanted| components.next().is_some_and(|component| wanted.matches(component.trim_end())))
    };
    map.get(first.trim_end())?.iter().find(follows)
}
