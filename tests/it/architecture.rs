//! Holds the shape of the source tree: who may import whom, what the pure half may touch, how long files and functions grow.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Each part of the crate and the parts it may name. What is not listed may be named by nobody but itself.
const IMPORTS: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("escape", &[]),
    ("policy", &["escape"]),
    ("analyse", &["escape", "policy", "wire"]),
    ("gate", &["analyse", "escape", "policy", "wire"]),
    ("session", &["gate", "analyse", "escape", "policy", "wire"]),
    ("locate", &["gate", "analyse", "policy", "wire"]),
    // From here on: the edges.
    ("ports", &["wire"]),
    ("store", &["session", "gate", "policy", "wire"]),
    ("report", &["gate", "escape", "wire"]),
    ("approve", &["store", "session", "gate", "analyse", "escape", "policy", "wire"]),
    // The runtime carries questions to the channels of `approve`; nothing of `approve` knows of it.
    ("runtime", &["ports", "approve", "store", "locate", "session", "gate", "analyse", "escape", "policy", "wire"]),
    // A workspace member: it names nothing of the gate, which hands in what both need.
    ("callgate_workspace", &[]),
    (
        "assembly",
        &[
            "runtime",
            "ports",
            "approve",
            "report",
            "store",
            "callgate_workspace",
            "locate",
            "session",
            "gate",
            "analyse",
            "escape",
            "policy",
            "wire",
        ],
    ),
    (
        "cli",
        &[
            "assembly",
            "runtime",
            "ports",
            "approve",
            "report",
            "store",
            "callgate_workspace",
            "locate",
            "session",
            "gate",
            "analyse",
            "escape",
            "policy",
            "wire",
        ],
    ),
];

/// Modules that lie beside each other, each with those it may name.
type Neighbours = &'static [(&'static str, &'static [&'static str])];

/// Parts within a part: the module they lie in, and which of their neighbours each may name.
const INNER: &[(&str, Neighbours)] = &[
    (
        "analyse",
        &[
            ("mention", &[]),
            ("surroundings", &[]),
            ("scripts", &[]),
            ("definition", &[]),
            ("pathform", &[]),
            ("wildcard", &[]),
            ("word_lists", &[]),
            ("sql", &[]),
            ("shell", &["mention", "surroundings", "scripts", "word_lists"]),
            ("arguments", &["shell", "sql", "mention", "surroundings", "scripts", "definition", "pathform", "wildcard", "word_lists"]),
        ],
    ),
    (
        "analyse/shell",
        &[
            ("grammar", &[]),
            ("values", &["grammar"]),
            ("programs", &["grammar", "values"]),
            ("interpret", &["grammar", "values", "programs"]),
        ],
    ),
    // The four parts meet through the types beside them and never through one another.
    (
        "session",
        &[
            ("era", &[]),
            ("ids", &[]),
            ("lockfile", &[]),
            ("refusal", &[]),
            ("servers", &["ids"]),
            ("store_request", &["ids"]),
            ("event", &["ids", "store_request"]),
            ("config", &["lockfile"]),
            ("retry", &["ids"]),
            ("seal", &["retry"]),
            ("approval", &["era", "ids", "retry"]),
            ("sender", &["approval", "era"]),
            ("sent", &["sender"]),
            ("step", &["approval", "ids", "retry", "sender", "sent"]),
            ("turn", &["config", "event", "ids", "sender", "step", "store_request"]),
            ("client", &["approval", "era", "event", "ids", "sender", "sent", "step", "turn"]),
            ("upstream", &["approval", "config", "era", "event", "ids", "lockfile", "retry", "sender", "sent", "servers", "step", "turn"]),
            ("calls", &["approval", "event", "ids", "refusal", "retry", "sender", "sent", "servers", "step", "turn"]),
            ("questions", &["approval", "era", "event", "ids", "retry", "seal", "sent", "step", "store_request", "turn"]),
            (
                "session",
                &[
                    "calls",
                    "client",
                    "config",
                    "event",
                    "ids",
                    "questions",
                    "refusal",
                    "retry",
                    "sender",
                    "servers",
                    "step",
                    "store_request",
                    "turn",
                    "upstream",
                ],
            ),
        ],
    ),
];

/// The parts that decide: they see no disk, no clock, no environment, no process and no network.
const PURE: &[&str] = &["wire", "escape", "policy", "analyse", "gate", "session"];

/// What the pure half must not name.
const IMPURE: &[&str] = &[
    r"\bstd::(fs|env|process|io|thread|os)\b",
    r"\bstd::\{[^}]*\b(fs|env|process|io|thread|os)\b",
    r"\b(TcpStream|TcpListener|UdpSocket|UnixStream|UnixListener|ToSocketAddrs)\b",
    r"\b(SystemTime|Instant)\b",
    r"\b(tokio|rustix|reqwest|tempfile|process_wrap|rusqlite)::",
    r"\.(exists|try_exists|metadata|symlink_metadata|canonicalize|read_link|read_dir|is_file|is_dir|is_symlink)\(\)",
    r"\b(print|println|eprint|eprintln|dbg|todo|unimplemented)!",
];

const MOST_LINES_OF_A_FILE: usize = 300;
/// Files that are longer and are to be split: this list may only shrink, and so may its numbers.
const LONGER: &[(&str, usize)] = &[("approve/attend/approver_state.rs", 301)];
const MOST_LINES_OF_A_FUNCTION: usize = 60;
const NINE_TENTHS_OF_FUNCTIONS: usize = 40;
const HALF_OF_FUNCTIONS: usize = 10;

/// One source file: where it is and its lines with the tests at its end cut off.
struct Source {
    /// Below the folder of sources of its workspace member.
    path: PathBuf,
    /// The name of the member as code writes it; nothing for the gate itself.
    member: Option<String>,
    lines: Vec<String>,
}

impl Source {
    /// The module path below the crate: `analyse/shell/mod.rs` is `["analyse", "shell"]`.
    fn module(&self) -> Vec<String> {
        let mut parts: Vec<String> =
            self.path.with_extension("").components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            parts.pop();
        }
        parts
    }

    /// The part of the gate it belongs to, or the member beside it; `None` for the roots.
    fn part(&self) -> Option<String> {
        self.member.clone().or_else(|| self.module().into_iter().next())
    }

    /// Where it is in the repository.
    fn file(&self) -> PathBuf {
        let folder = self.member.as_ref().map(|member| Path::new("crates").join(member.replace('_', "-"))).unwrap_or_default();
        folder.join("src").join(&self.path)
    }

    /// Its lines without comments, joined.
    fn code(&self) -> String {
        let comment = Regex::new(r"^\s*//.*$|\s//\s.*$").unwrap();
        self.lines.iter().map(|line| comment.replace(line, "").into_owned()).collect::<Vec<_>>().join("\n")
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), &root.join("src"), None, &mut found);
    for member in fs::read_dir(root.join("crates")).unwrap() {
        let member = member.unwrap();
        let sources = member.path().join("src");
        walk(&sources, &sources, Some(&member.file_name().to_string_lossy().replace('-', "_")), &mut found);
    }
    assert!(found.len() > 10, "only {} source files found", found.len());
    found
}

fn walk(root: &Path, folder: &Path, member: Option<&str>, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(root, &path, member, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test_file(&path) {
            let text = fs::read_to_string(&path).unwrap();
            found.push(Source {
                path: path.strip_prefix(root).unwrap().to_owned(),
                member: member.map(str::to_owned),
                lines: without_tests(&text),
            });
        }
    }
}

/// A module of tests in a file of its own.
fn is_test_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests" || stem.to_string_lossy().ends_with("_tests"))
        || path.components().any(|part| part.as_os_str() == "tests")
            && path.strip_prefix(env!("CARGO_MANIFEST_DIR")).is_ok_and(|inside| inside.components().any(|part| part.as_os_str() == "tests"))
}

/// The lines before the first `#[cfg(test)]` that opens a module.
fn without_tests(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.windows(2).position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod "));
    lines[..end.unwrap_or(lines.len())].iter().map(|line| (*line).to_owned()).collect()
}

fn report(faults: &[String]) {
    let mut text = String::new();
    for fault in faults {
        writeln!(text, "  {fault}").unwrap();
    }
    assert!(faults.is_empty(), "{} faults:\n{text}", faults.len());
}

/// The parts of the crate that `source` names: by `crate::`, by `callgate::`, and by `super::` chains that reach the crate.
fn named_parts(source: &Source) -> BTreeSet<String> {
    let code = source.code();
    let mut parts = BTreeSet::new();
    let path = Regex::new(r"\b(?:crate|callgate)::(?:(\w+)|\{([^;]*?)\}\s*;)").unwrap();
    for found in path.captures_iter(&code) {
        parts.extend(found.get(1).map(|name| name.as_str().to_owned()));
        parts.extend(found.get(2).into_iter().flat_map(|group| first_words(group.as_str())));
    }
    let member = Regex::new(r"\b(callgate_\w+)::").unwrap();
    parts.extend(member.captures_iter(&code).map(|found| found[1].to_owned()));
    let climb = Regex::new(r"\b((?:super::)+)(\w+)").unwrap();
    let depth = source.module().len();
    for found in climb.captures_iter(&code) {
        if found[1].matches("super::").count() >= depth {
            parts.insert(found[2].to_owned());
        }
    }
    parts
}

/// The first path segment of each item of a brace group.
fn first_words(group: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut items = vec![String::new()];
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => items.push(String::new()),
            _ if depth == 0 => items.last_mut().unwrap().push(letter),
            _ => {}
        }
    }
    items.iter().filter_map(|item| item.trim().split("::").next().map(str::to_owned)).filter(|item| !item.is_empty()).collect()
}

#[test]
fn imports_run_downward_only() {
    let mut faults = Vec::new();
    for source in sources() {
        let Some(part) = source.part() else { continue };
        let Some((_, allowed)) = IMPORTS.iter().find(|(name, _)| *name == part) else {
            faults.push(format!("{}: the part `{part}` is not in the import table", source.file().display()));
            continue;
        };
        for named in named_parts(&source) {
            let known = IMPORTS.iter().any(|(name, _)| *name == named);
            if known && named != part && !allowed.contains(&named.as_str()) {
                faults.push(format!("{}: `{part}` may not import `{named}`", source.file().display()));
            }
        }
    }
    report(&faults);
}

/// The names below `module` that `source` uses: by its path from the crate, and by `super::` chains.
fn named_below(source: &Source, module: &str) -> BTreeSet<String> {
    let code = source.code();
    let mut names = BTreeSet::new();
    let whole = module.replace('/', "::");
    let path = Regex::new(&format!(r"\b(?:crate|callgate)::{whole}::(?:(\w+)|\{{([^;]*?)\}}\s*;)")).unwrap();
    for found in path.captures_iter(&code) {
        names.extend(found.get(1).map(|name| name.as_str().to_owned()));
        names.extend(found.get(2).into_iter().flat_map(|group| first_words(group.as_str())));
    }
    let climb = Regex::new(r"\b((?:super::)+)(?:(\w+)|\{([^;]*?)\}\s*;)").unwrap();
    let own = source.module();
    for found in climb.captures_iter(&code) {
        let up = found[1].matches("super::").count();
        if own.len() >= up && own[..own.len() - up].join("/") == module {
            names.extend(found.get(2).map(|name| name.as_str().to_owned()));
            names.extend(found.get(3).into_iter().flat_map(|group| first_words(group.as_str())));
        }
    }
    names
}

/// Which inner module each name comes from that the root of `module` hands on.
fn handed_on(module: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module).join("mod.rs");
    let text = fs::read_to_string(root).unwrap();
    let handed = Regex::new(r"(?s)\bpub(?:\([^)]*\))? use (\w+)::(?:\{([^}]*)\}|(\w+));").unwrap();
    let mut names = BTreeMap::new();
    for found in handed.captures_iter(&text) {
        let listed = found.get(2).or(found.get(3)).map_or("", |group| group.as_str());
        names.extend(listed.split(',').map(|name| (name.split_whitespace().last().unwrap_or_default().to_owned(), found[1].to_owned())));
    }
    names
}

#[test]
fn inner_parts_import_downward_only() {
    let mut faults = Vec::new();
    for (module, parts) in INNER {
        let handed = handed_on(module);
        for source in sources() {
            let own = source.module();
            let depth = module.split('/').count();
            if own.len() <= depth || own[..depth].join("/") != *module {
                continue;
            }
            let part = own[depth].clone();
            let Some((_, allowed)) = parts.iter().find(|(name, _)| *name == part) else {
                faults.push(format!("{}: `{module}/{part}` is not in the table of inner parts", source.path.display()));
                continue;
            };
            for named in named_below(&source, module) {
                let named = handed.get(&named).cloned().unwrap_or(named);
                let known = parts.iter().any(|(name, _)| *name == named);
                if known && named != part && !allowed.contains(&named.as_str()) {
                    faults.push(format!("{}: `{module}/{part}` may not import `{named}`", source.path.display()));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn the_pure_half_touches_nothing() {
    let banned: Vec<Regex> = IMPURE.iter().map(|pattern| Regex::new(pattern).unwrap()).collect();
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.part().is_some_and(|part| PURE.contains(&part.as_str()))) {
        for (number, line) in source.code().lines().enumerate() {
            for found in banned.iter().filter_map(|pattern| pattern.find(line)) {
                faults.push(format!("{}:{}: `{}`", source.file().display(), number + 1, found.as_str()));
            }
        }
    }
    report(&faults);
}

#[test]
fn error_codes_have_names_and_stand_in_one_place() {
    let code = Regex::new(r"-3[12]\d{3}\b").unwrap();
    let faults: Vec<String> = sources()
        .iter()
        .filter(|source| source.path != Path::new("wire/codes.rs"))
        .flat_map(|source| {
            code.find_iter(&source.code()).map(|found| format!("{}: `{}`", source.path.display(), found.as_str())).collect::<Vec<_>>()
        })
        .collect();
    report(&faults);
}

#[test]
fn no_edge_resolves_links_on_the_way_to_a_decision() {
    let resolves = Regex::new(r"\bcanonicalize\(|\bread_link\(|\breadlinkat?\(").unwrap();
    let faults: Vec<String> = sources()
        .iter()
        .filter(|source| source.part().is_some_and(|part| ["runtime", "ports", "report"].contains(&part.as_str())))
        .filter(|source| resolves.is_match(&source.code()))
        .map(|source| format!("{}: resolves links itself", source.file().display()))
        .collect();
    report(&faults);
}

#[test]
fn each_file_says_what_it_is_for() {
    let mut faults = Vec::new();
    for source in sources() {
        if !source.lines.first().is_some_and(|line| line.starts_with("//! ") && line.len() > 20) {
            faults.push(format!("{}: the first line is not a `//!` that names the one responsibility", source.file().display()));
        }
    }
    report(&faults);
}

#[test]
fn files_stay_short() {
    let most =
        |source: &Source| LONGER.iter().find(|(path, _)| Path::new(path) == source.path).map_or(MOST_LINES_OF_A_FILE, |(_, lines)| *lines);
    let faults: Vec<String> = sources()
        .iter()
        .filter(|source| source.lines.len() > most(source))
        .map(|source| format!("{}: {} lines, at most {}", source.file().display(), source.lines.len(), most(source)))
        .collect();
    report(&faults);
}

/// A function of the source: where it starts and how many lines it has.
struct Function {
    place: String,
    lines: usize,
    /// Says by `#[expect(clippy::too_many_lines, reason = …)]` that it is a table.
    is_table: bool,
}

/// The functions of a file. The code is formatted, so a body ends at the first `}` that is indented as its `fn` is.
fn functions(source: &Source) -> Vec<Function> {
    let start = Regex::new(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)").unwrap();
    let mut found = Vec::new();
    for (number, line) in source.lines.iter().enumerate() {
        let Some(head) = start.captures(line) else { continue };
        let closing = format!("{}}}", &head[1]);
        let body = source.lines[number..].iter().position(|line| *line == closing || line.ends_with(';') && line.starts_with(&head[1]));
        let one_line = line.ends_with('}') || line.ends_with(';');
        let lines = if one_line { 1 } else { body.map_or(1, |end| end + 1) };
        let is_table = source.lines[number.saturating_sub(4)..number].iter().any(|line| line.contains("too_many_lines"));
        found.push(Function { place: format!("{}:{} {}", source.file().display(), number + 1, &head[2]), lines, is_table });
    }
    found
}

#[test]
fn functions_stay_short() {
    let mut all: Vec<Function> = sources().iter().flat_map(functions).collect();
    all.sort_by_key(|function| function.lines);
    let at = |share: usize| all[(all.len() * share / 100).min(all.len() - 1)].lines;
    let (median, most) = (at(50), at(90));
    assert!(median <= HALF_OF_FUNCTIONS, "the median function has {median} lines, at most {HALF_OF_FUNCTIONS}");
    assert!(most <= NINE_TENTHS_OF_FUNCTIONS, "nine tenths of the functions have up to {most} lines, at most {NINE_TENTHS_OF_FUNCTIONS}");
    let long = |function: &&Function| function.lines > MOST_LINES_OF_A_FUNCTION && !function.is_table;
    report(&all.iter().filter(long).map(|function| format!("{}: {} lines", function.place, function.lines)).collect::<Vec<_>>());
}

#[test]
fn nothing_that_a_machine_knows_is_committed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = [concat!("/", "tmp/wt"), concat!("/", "root/."), concat!("/", "work/"), concat!("/", "home/user")];
    let mut faults = Vec::new();
    for source in sources() {
        let text = fs::read_to_string(root.join(source.file())).unwrap();
        for place in places.iter().filter(|place| text.contains(**place)) {
            faults.push(format!("{}: names the machine path `{place}`", source.file().display()));
        }
    }
    report(&faults);
}

/// Documents that are spoken of by a number of theirs, or that are not in the repository.
const CITED: &[&str] = &[r"\bdesign(?:\.md)? \d", r"\bdesign section", r"\b[Ii]ssue \d", r"[\w/-]+\.md\b"];
/// Where such comments still stand. This list may only shrink.
const STILL_CITING: &[&str] = &["analyse", "gate", "policy", "cli/check.rs"];

#[test]
fn comments_cite_only_what_is_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let patterns: Vec<Regex> = CITED.iter().map(|pattern| Regex::new(pattern).unwrap()).collect();
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| !STILL_CITING.iter().any(|place| source.path.starts_with(place))) {
        for (number, line) in source.lines.iter().enumerate() {
            let Some((_, comment)) = line.split_once("//") else { continue };
            let cited = patterns.iter().filter_map(|pattern| pattern.find(comment)).map(|found| found.as_str());
            for document in cited.filter(|cited| !root.join(cited).is_file()) {
                faults.push(format!("{}:{}: cites `{document}`", source.path.display(), number + 1));
            }
        }
    }
    report(&faults);
}
