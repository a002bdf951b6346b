//! Generated command lines run under bash in a scratch tree: whatever really gives out a file from outside the root, or changes one,
//! must be a mention outside or be asked about.
use std::path::Path;
use std::process::{Command, Stdio};

use callgate::analyse::shell::{CommandAt, command};
use callgate::analyse::{Confidence, Discovered, Form, Scripts, Surroundings};
use callgate::policy::{Platform, Shell};
use proptest::prelude::*;

const CANARY: &str = "canary-7f3a";

fn words() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "..",
        ".",
        "/",
        "o",
        "k",
        "sub",
        "a",
        "$D",
        "${D}",
        "\"$D\"",
        "$N",
        "${N:-..}",
        "${U}",
        "{..,.}",
        "{o,k}",
        "'..'",
        "\\.\\.",
        "$'\\x2e.'",
        "?",
        "*",
        "[o]",
        "$(echo ..)",
        "`echo o`",
        "$(printf '%s' k)",
        "${D%x}",
        "${P%/*}",
        "\"\"",
        "$PWD",
        "~",
        "${D:0:2}",
        "${N//n/.}",
    ]);
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    let reader = prop::sample::select(vec!["cat", "head -n 3", "tail", "grep -h c", "sort", "cat <", "sed p", "awk 1", "cat -- ", "nl"]);
    let before = prop::sample::select(vec![
        "",
        "cd sub && ",
        "cd sub; ",
        "cd nosuch; ",
        "cd nosuch || ",
        "cd .. && ",
        "D=..; ",
        "D=../o; ",
        "N=nn; ",
        "P=../o/x; ",
        "for D in .. sub; do ",
        "if cd sub; then ",
        "f() { cd ..; }; f; ",
        "(cd sub); ",
        "{ cd ..; }; ",
        "set -- ../o; D=$1; ",
        "export D=..; ",
        "read D <<< ..; ",
        "D=(.. x); ",
        "pushd sub >/dev/null; ",
    ]);
    let wrap = prop::sample::select(vec![
        ("", ""),
        ("echo \"$(", ")\""),
        ("eval '", "'"),
        ("( ", " )"),
        ("cat <(", ")"),
        ("sh -c \"", "\""),
        ("xargs -a sub/none ", ""),
        ("", " | cat"),
    ]);
    (before, wrap, reader, words()).prop_map(|(before, (open, close), reader, word)| {
        let end = if before.starts_with("for") {
            "; done"
        } else if before.starts_with("if") {
            "; fi"
        } else {
            ""
        };
        format!("{before}{open}{reader} {word}{close}{end}")
    })
}

fn tree(base: &Path) {
    for directory in ["root/sub", "o", "home"] {
        std::fs::create_dir_all(base.join(directory)).unwrap();
    }
    for (file, text) in [
        ("root/a", "inside c"),
        ("root/sub/a", "inside c"),
        ("root/k", "inside c"),
        ("k", CANARY),
        ("o/k", CANARY),
        ("o/o", CANARY),
        ("home/k", CANARY),
    ] {
        std::fs::write(base.join(file), format!("{text}\n")).unwrap();
    }
}

fn asks(found: &Discovered, root: &Path) -> bool {
    let outside = |text: &str| !path_clean::clean(text).starts_with(root) || text.contains(['*', '?', '[']);
    let leaves = |form: &Form| match form {
        Form::Path(path) | Form::Glob(path) | Form::Unless { path, .. } => outside(path),
        Form::NameOnly(_) | Form::Url(_) => false,
    };
    !found.unparsed.is_empty() || found.mentions.iter().any(|mention| leaves(&mention.form))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_gives_out_was_seen(text in line()) {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        tree(&base);
        let root = base.join("root");
        let run = Command::new("bash").args(["-c", &text]).current_dir(&root).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", base.join("home"))
            .stdin(Stdio::null()).output().unwrap();
        let gave_out = String::from_utf8_lossy(&run.stdout).contains(CANARY);
        if !gave_out {
            return Ok(());
        }
        let surroundings = Surroundings {
            root: root.clone(),
            spelled_root: root.clone(),
            home: Some(base.join("home")),
            allowed_directories: vec![root.clone()],
            allowed_files: Vec::new(),
            variables: Default::default(),
            platform: Platform::Linux,
            folds_case: false,
        };
        let directories = [root.to_string_lossy().into_owned()];
        let confidence = Confidence::Declared;
        let at = CommandAt { argument: "/command", directories: &directories, surroundings: &surroundings, scripts: &Scripts::default(), confidence, shell: Shell::Posix, explain: false };
        let found = command(&text, &at);
        prop_assert!(asks(&found, &root), "{text}\n{found:?}");
    }
}
