//! Command lines and what they touch: the table `tests/cases/shell.toml`, which says for each line every mention and what is asked about.
use std::collections::BTreeMap;

use callgate::analyse::shell::{CommandAt, command};
use callgate::analyse::{Condition, Confidence, Discovered, Form, Scripts, Surroundings};
use callgate::policy::{Platform, Shell};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    command: String,
    #[serde(default)]
    shell: String,
    /// Script files in the root: name and text.
    #[serde(default)]
    scripts: BTreeMap<String, String>,
    /// Mentions that always count: direction and path, relative to the root where they lie in it.
    #[serde(default)]
    touches: Vec<String>,
    /// Mentions that count only under a condition of the disk.
    #[serde(default)]
    maybe: Vec<String>,
    /// Why it is asked about, if it cannot be followed.
    #[serde(default)]
    unparsed: Vec<String>,
}

fn surroundings(platform: Platform) -> Surroundings {
    let root = if platform == Platform::Windows { "C:\\proj" } else { "/w/proj" };
    Surroundings {
        root: root.into(),
        spelled_root: root.into(),
        home: Some(if platform == Platform::Windows { "C:\\Users\\user" } else { "/home/user" }.into()),
        allowed_directories: vec![root.into()],
        allowed_files: Vec::new(),
        variables: Default::default(),
        platform,
        folds_case: platform == Platform::Windows,
    }
}

fn discover(text: &str, shell: Shell, files: &BTreeMap<String, String>) -> Discovered {
    let mut scripts = Scripts::default();
    files.iter().for_each(|(name, text)| scripts.add(format!("/w/proj/{name}"), Some(text.clone())));
    let platform = if shell == Shell::Posix { Platform::Linux } else { Platform::Windows };
    let surroundings = surroundings(platform);
    let directories = [surroundings.root.to_string_lossy().into_owned()];
    let at = CommandAt {
        argument: "/command",
        directories: &directories,
        surroundings: &surroundings,
        scripts: &scripts,
        confidence: Confidence::Declared,
        shell,
        explain: false,
    };
    command(text, &at)
}

fn shorten(path: &str) -> String {
    if path.starts_with("C:") || path.starts_with('~') {
        return path.to_owned();
    }
    let clean = path_clean::clean(path).to_string_lossy().into_owned();
    match clean.strip_prefix("/w/proj") {
        Some("") => ".".to_owned(),
        Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
        _ => clean,
    }
}

fn show(form: &Form) -> String {
    match form {
        Form::Path(path) => shorten(path),
        Form::Glob(pattern) => format!("glob {}", shorten(pattern)),
        Form::NameOnly(name) => format!("name {name}"),
        Form::Url(url) => format!("url {url}"),
        Form::Unless { path, directory } => format!("{} unless {} is a directory", shorten(path), shorten(directory)),
    }
}

fn render(found: &Discovered) -> (Vec<String>, Vec<String>, Vec<String>) {
    let line = |mention: &callgate::analyse::Mention| format!("{} {}", mention.direction, show(&mention.form));
    let unique = |mut lines: Vec<String>| {
        lines.sort();
        lines.dedup();
        lines
    };
    let (always, maybe): (Vec<_>, Vec<_>) = found.mentions.iter().partition(|mention| mention.condition == Condition::Always);
    let touches = unique(always.into_iter().map(line).collect());
    let maybe = unique(maybe.into_iter().map(line).filter(|line| !touches.contains(line)).collect());
    (touches, maybe, unique(found.unparsed.iter().map(|unparsed| unparsed.why.clone()).collect()))
}

#[test]
fn every_line_touches_what_the_table_says() {
    let table: Table = toml::from_str(include_str!("../../cases/shell.toml")).unwrap();
    assert!(table.case.len() > 300);
    let mut wrong = Vec::new();
    for case in &table.case {
        let shell = match case.shell.as_str() {
            "" => Shell::Posix,
            "cmd" => Shell::Cmd,
            "powershell" => Shell::PowerShell,
            other => panic!("unknown shell `{other}`"),
        };
        let got = render(&discover(&case.command, shell, &case.scripts));
        let want = (case.touches.clone(), case.maybe.clone(), case.unparsed.clone());
        if got != want {
            wrong.push(format!("{}\n  want {want:?}\n  got  {got:?}", case.command));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
