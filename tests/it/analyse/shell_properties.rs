//! Properties of the shell analysis that hold for every command line.
use std::collections::BTreeSet;

use callgate::analyse::shell::{CommandAt, argv, command};
use callgate::analyse::{Confidence, Discovered, Form, Scripts, Surroundings};
use callgate::policy::{Platform, Shell};
use proptest::prelude::*;

fn discover(text: &str, shell: Shell) -> Discovered {
    with(shell, |at| command(text, at))
}

fn with(shell: Shell, run: impl Fn(&CommandAt) -> Discovered) -> Discovered {
    let surroundings = Surroundings {
        root: "/w/proj".into(),
        spelled_root: "/w/proj".into(),
        home: Some("/home/user".into()),
        allowed_directories: vec!["/w/proj".into()],
        allowed_files: Vec::new(),
        variables: Default::default(),
        platform: Platform::Linux,
        folds_case: false,
    };
    let directories = ["/w/proj".to_owned()];
    let confidence = Confidence::Declared;
    run(&CommandAt {
        argument: "/command",
        directories: &directories,
        surroundings: &surroundings,
        scripts: &Scripts::default(),
        confidence,
        shell,
        explain: true,
    })
}

/// The mentions outside the root, cleaned.
fn outside(found: &Discovered) -> BTreeSet<String> {
    let path = |form: &Form| match form {
        Form::Path(path) | Form::Glob(path) | Form::Unless { path, .. } => Some(path_clean::clean(path).to_string_lossy().into_owned()),
        Form::NameOnly(_) | Form::Url(_) => None,
    };
    found.mentions.iter().filter_map(|mention| path(&mention.form)).filter(|path| !path.starts_with("/w/proj")).collect()
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]{1,6}(\\.txt)?"
}

fn outside_word() -> impl Strategy<Value = String> {
    name().prop_flat_map(|name| prop_oneof![Just(format!("../{name}")), Just(format!("/o/{name}")), Just(format!("sub/../../o/{name}"))])
}

fn reader() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "cat",
        "head -n 1",
        "wc -l",
        "sort",
        "tail",
        "md5sum",
        "diff a.txt",
        "grep x",
        "sed p",
        "jq .",
        "ls -la",
        "cp a.txt",
        "rm -f",
        "touch",
    ])
}

/// The same word in other quotes.
fn quotings(word: &str) -> Vec<String> {
    let escaped: String = word.chars().map(|character| format!("\\{character}")).collect();
    let ansi: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    let halves = word.split_at(word.len() / 2);
    vec![
        format!("'{word}'"),
        format!("\"{word}\""),
        escaped,
        format!("$'{ansi}'"),
        format!("{}''{}", halves.0, halves.1),
        format!("'{}'\"{}\"", halves.0, halves.1),
        format!("{}\\\n{}", halves.0, halves.1),
        format!("$(echo {word})"),
        format!("\"$(printf '%s' {word})\""),
        format!("${{NOPE:-{word}}}"),
    ]
}

const WRAPPERS: [(&str, &str); 26] = [
    ("sh -c '", "'"),
    ("bash -lc \"", "\""),
    ("env ", ""),
    ("env X=1 ", ""),
    ("env -S '", "'"),
    ("nice -n 5 ", ""),
    ("timeout 5 ", ""),
    ("nohup ", " &"),
    ("sudo -u root ", ""),
    ("time ", ""),
    ("command ", ""),
    ("exec ", ""),
    ("eval '", "'"),
    ("( ", " )"),
    ("{ ", "; }"),
    ("if true; then ", "; fi"),
    ("for i in a b; do ", "; done"),
    ("while false; do ", "; done"),
    ("echo $(", ")"),
    ("echo \"`", "`\""),
    ("cat <(", ")"),
    ("true && ", " || true"),
    ("f() { ", "; }; f"),
    ("find . -exec ", " \\;"),
    ("cat <<EOF\n$(", ")\nEOF"),
    ("xargs -n1 ", " < a.txt"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        for shell in [Shell::Posix, Shell::Cmd, Shell::PowerShell] {
            discover(&text, shell);
        }
    }

    #[test]
    fn no_shell_like_text_makes_it_panic(parts in prop::collection::vec(prop::sample::select(vec![
        "$(", ")", "`", "'", "\"", "\\", "${", "}", "$((", "))", "<<A\n", "A\n", "<(", ">", "2>", "&>", "|", "||", "&&", ";", ";;", "case a in ", "a) ", "esac ",
        "if ", "then ", "fi ", "for x in ", "do ", "done ", "{a,", "..", "/", "~", "*", "[", "]", "@(", "cat ", "cd ", "x=", "$x", "${x%%", "#", "\n", " ", "é", "\u{FFFC}",
        "function f ", "() ", "[[ ", "]] ", "sh -c ", "xargs ", "find . -exec ", "sed ", "awk ", "tar xf ", "%", "^", "$env:", "printf '%s' ", "eval ",
    ]), 0..40)) {
        let text = parts.concat();
        for shell in [Shell::Posix, Shell::Cmd, Shell::PowerShell] {
            discover(&text, shell);
        }
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        with(Shell::Posix, |at| argv(&words, at));
    }

    #[test]
    fn an_argument_more_never_removes_a_finding(program in reader(), word in outside_word(), more in prop::collection::vec(name(), 1..4)) {
        let alone = outside(&discover(&format!("{program} {word}"), Shell::Posix));
        prop_assume!(!alone.is_empty());
        let longer = outside(&discover(&format!("{program} {word} {}", more.join(" ")), Shell::Posix));
        prop_assert!(alone.is_subset(&longer), "{alone:?} {longer:?}");
    }

    #[test]
    fn no_wrapper_hides_a_finding(program in reader(), word in outside_word(), first in 0..WRAPPERS.len(), second in 0..WRAPPERS.len()) {
        let plain = format!("{program} {word}");
        let alone = outside(&discover(&plain, Shell::Posix));
        prop_assert!(!alone.is_empty());
        let wrap = |(before, after): (&str, &str), text: &str| format!("{before}{text}{after}");
        let once = wrap(WRAPPERS[first], &plain);
        let found = discover(&once, Shell::Posix);
        prop_assert!(alone.is_subset(&outside(&found)), "{once}: {found:?}");
        let twice = wrap(WRAPPERS[second], &once);
        let found = discover(&twice, Shell::Posix);
        if nests(WRAPPERS[first].0, WRAPPERS[second].0) {
            prop_assert!(alone.is_subset(&outside(&found)) || !found.unparsed.is_empty(), "{twice}: {found:?}");
        }
    }

    #[test]
    fn quotes_change_nothing(word in outside_word()) {
        let plain = outside(&discover(&format!("cat {word}"), Shell::Posix));
        prop_assert!(!plain.is_empty());
        for quoted in quotings(&word) {
            let found = discover(&format!("cat {quoted}"), Shell::Posix);
            prop_assert_eq!(&plain, &outside(&found), "{}", quoted);
        }
    }

    #[test]
    fn every_redirection_is_seen(word in outside_word(), operator in prop::sample::select(vec![">", ">>", ">|", "<", "<>", "2>", "&>", "&>>", ">&", "1>", "3<"])) {
        let found = discover(&format!("true {operator}{word}"), Shell::Posix);
        prop_assert!(!outside(&found).is_empty(), "{operator}{word}");
        let found = discover(&format!("true {operator} {word} 2>&1"), Shell::Posix);
        prop_assert!(!outside(&found).is_empty(), "{operator} {word}");
    }
}

/// Whether the outer wrapper may hold the inner one. Quotes within quotes end each other, and a program takes a program, no compound.
fn nests(inner: &str, outer: &str) -> bool {
    let quotes = |before: &str| before.contains(['\'', '"', '`']) || before.contains("<<");
    let program = |before: &str| {
        let words = ["env ", "nice", "timeout", "nohup", "sudo", "command", "exec", "find", "xargs", "sh -c", "bash -lc", "eval"];
        words.iter().any(|word| before.starts_with(word))
    };
    let clash = quotes(inner) && quotes(outer);
    let bare = program(outer) && !quotes(outer) && !program(inner);
    let opaque = outer.starts_with("find") || outer.starts_with("xargs");
    // `$((` and `((` begin arithmetic: bash runs no command in them.
    let arithmetic = outer.ends_with('(') && inner.starts_with('(');
    !clash && !bare && !opaque && !arithmetic
}
