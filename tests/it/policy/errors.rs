//! The table of broken policies: each is refused with its place, its message and its hint.
use callgate::escape::masked;
use callgate::policy::{Policy, Text, Trust, load};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    before: Option<String>,
    #[serde(default)]
    untrusted: bool,
    at: String,
    says: String,
    hint: String,
}

fn text(name: &str, text: &str, untrusted: bool) -> Text {
    let trust = if untrusted { Trust::Untrusted } else { Trust::Trusted };
    Text { name: name.to_owned(), text: text.to_owned(), trust }
}

#[test]
fn every_broken_policy_is_refused_with_its_place_and_a_hint() {
    let table: Table = toml::from_str(include_str!("../../cases/policy_errors.toml")).unwrap();
    assert!(table.cases.len() > 30);
    for case in table.cases {
        let before = case.before.iter().map(|before| text("policy.toml", before, false));
        let texts: Vec<Text> = before.chain([text("callgate.toml", &case.text, case.untrusted)]).collect();
        let error = load(&texts).map(drop).expect_err(&case.text);
        let first = error.problems.first().unwrap();
        let shown = first.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 4, "{shown}");
        assert_eq!(lines[0], format!("callgate.toml:{}: {}", case.at, case.says), "{shown}");
        assert_eq!(lines[3], format!("hint: {}", case.hint), "{shown}");
        assert!(lines[2].trim_start().starts_with('^') && !shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn an_untrusted_file_may_tighten() {
    let tighter = r#"
        version = 1
        access = "read_only"
        trust_annotations = false
        [paths]
        root = "auto"
        deny = ["vendor/**"]
        [sensitive]
        extra = ["*.secret"]
        [approval]
        require = "human"
        channels = ["socket"]
        minimum_answer_ms = 500
        questions_per_minute = 10
        refusals_per_minute = 3
        [tools.rm]
        read_only = false
        destructive = true
        action = "deny"
        [servers.github]
        access = "read_only"
        [[rules]]
        tool = "delete_*"
        action = "ask"
        [methods]
        "logging/setLevel" = "deny"
        [server_requests]
        sampling = "deny"
        [limits]
        call_timeout = 60
    "#;
    let policy = load(&[text("callgate.toml", tighter, true)]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(policy.denied_paths(), ["vendor/**"]);
    assert_eq!(policy.access("github"), callgate::policy::Access::ReadOnly);
}

#[test]
fn the_built_in_policy_is_valid_and_says_what_the_design_says() {
    let policy = Policy::builtin();
    assert_eq!(policy.access("any"), callgate::policy::Access::Full);
    assert!(policy.trusts_annotations("any"));
    assert_eq!(policy.limits().message_bytes.value, 64 << 20);
    assert!(policy.run_directories().contains(&"/usr/bin".to_owned()));
}

#[test]
fn a_caret_stands_under_its_place() {
    let error = load(&[text("callgate.toml", "version = 1\n\t[paths]\n\tdeny = [\"ä\", 7]\n", false)]).unwrap_err();
    let shown = error.to_string();
    let lines: Vec<&str> = shown.lines().collect();
    let at = lines[2].chars().position(|character| character == '^').unwrap();
    assert_eq!(lines[1].chars().nth(at), Some('7'), "{shown}");
}

/// What a repository could put in its policy to write on the terminal of whoever reads the error: control characters, a turned
/// reading direction, something invisible, letters that look like others.
const HOSTILE: [&str; 5] = ["a\u{1b}[2Jb", "safe\u{202e}txt", "a\u{200b}b", "p\u{430}th", "\u{441}\u{43e}\u{440}\u{443}"];

#[test]
fn hostile_text_in_a_policy_cannot_mislead_whoever_reads_the_error() {
    // JSON's escapes are read by TOML too; what is not escaped stands raw in the text, as a repository would have it.
    let quoted = |text: &str| format!("\"{}\"", text.replace('\u{1b}', "\\u001b"));
    let places = [
        "@ = 1",
        "access = @",
        "[paths]\ndeny = [@, @]",
        "[paths]\nallow = [@, 7]",
        "[tools.@]\n@ = true",
        "[tools]\n@ = 7",
        "[methods]\n@ = @",
        "[servers.@]\ncommand = 7",
        "[[rules]]\nwhen = { @ = [] }\naction = @",
        "[sensitive]\nextra = [@]\nextra = [@]",
        "[tools.x]\npaths = [@]\ncommands = [@]",
        "access = @ @",
        "[@]\n[@]",
    ];
    for (hostile, place) in HOSTILE.iter().flat_map(|hostile| places.map(|place| (*hostile, place))) {
        let written = format!("version = 1\n{}\n", place.replace('@', &quoted(hostile)));
        let error = load(&[text(&format!("{hostile}.toml"), &written, false)]).map(drop).expect_err(&written).to_string();
        assert!(error.lines().all(|line| masked(line) == line), "{}", error.escape_debug());
        assert!(error.contains("\\u{"), "what was there is still told: {error}");
    }
}
