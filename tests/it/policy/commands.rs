//! The built program's policy, trust and audit subcommands, with a home of their own.
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use callgate::gate::Verdict;
use callgate::policy::Effect;
use callgate::report::audit::{Log, Record};

use crate::support::verdicts::plain_verdict;

struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("project")).unwrap();
        Self { directory }
    }

    fn project(&self, policy: &str) -> &Self {
        fs::write(self.directory.path().join("project/callgate.toml"), policy).unwrap();
        self
    }

    fn user(&self, policy: &str) -> &Self {
        let folder = self.directory.path().join(".config/callgate");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.toml"), policy).unwrap();
        self
    }

    /// Exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let done = Command::new(env!("CARGO_BIN_EXE_callgate"))
            .args(arguments)
            .current_dir(self.directory.path().join("project"))
            .env_clear()
            .env("HOME", self.directory.path())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
    }

    fn audit(&self) -> std::path::PathBuf {
        self.directory.path().join(".local/state/callgate/audit.jsonl")
    }
}

fn record(verdict: &Verdict) -> Record<'_> {
    Record { time: std::time::SystemTime::now(), session: "s", verdict, arguments: None }
}

#[test]
fn the_default_policy_is_printed_as_it_is_compiled_in() {
    let (code, out, _) = Home::new().run(&["policy", "show", "--default"]);
    assert_eq!((code, out.as_str()), (0, include_str!("../../../policy/default.toml")));
}

#[test]
fn the_effective_policy_names_the_source_of_each_value() {
    let home = Home::new();
    home.user("version = 1\naccess = \"read_only\"\n").project("version = 1\n[paths]\ndeny = [\"vendor/**\"]\n");
    let (code, out, err) = home.run(&["policy", "show"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("access = \"read_only\"  # ") && out.contains(".config/callgate/policy.toml:2"), "{out}");
    assert!(out.contains("\"vendor/**\",  # callgate.toml:3"), "{out}");
}

#[test]
fn a_broken_or_loosening_policy_is_exit_code_4_everywhere() {
    let home = Home::new();
    for (policy, says) in [
        ("version = 1\nacess = \"full\"\n", "callgate.toml:2:1: unknown key `acess`"),
        ("version = 1\n[paths]\nallow = [\"/\"]\n", "callgate.toml:3:10: this project file is not trusted"),
    ] {
        home.project(policy);
        for arguments in [&["policy", "check"][..], &["policy", "show"]] {
            let (code, out, err) = home.run(arguments);
            assert_eq!((code, out.as_str()), (4, ""), "{err}");
            assert!(err.contains(says) && err.contains("\nhint: "), "{err}");
        }
    }
    assert_eq!(home.run(&["policy", "check", "missing.toml"]).0, 4);
    assert_eq!(home.run(&["policy", "check", "--policy", "callgate.toml"]).0, 0, "a file that the user names is the user's");
}

#[test]
fn a_hostile_file_name_cannot_mislead_whoever_reads_the_error() {
    let home = Home::new();
    for name in ["a\u{1b}[2Jb.toml", "safe\u{202e}lmot", "p\u{430}th.toml"] {
        let (code, _, err) = home.run(&["policy", "check", name]);
        assert_eq!(code, 4, "{err}");
        assert!(err.lines().all(|line| callgate::escape::masked(line) == line) && err.contains("\\u{"), "{}", err.escape_debug());
    }
}

#[test]
fn trust_is_asked_on_a_terminal_and_ends_with_a_change() {
    let home = Home::new();
    home.project("version = 1\n[paths]\ndeny = [\"a\"]\n");
    assert_eq!(home.run(&["trust"]).0, 5, "a file that only tightens needs none");
    home.project("version = 1\n[paths]\nallow = [\"/srv\"]\n");
    let (code, _, err) = home.run(&["trust"]);
    assert_eq!(code, 1);
    assert!(err.contains("in a terminal"), "{err}");
    assert_eq!(home.run(&["trust", "--remove"]).0, 5);
    let store = home.directory.path().join(".local/state/callgate/trusted.json");
    fs::write(&store, "not json").unwrap();
    let (code, _, err) = home.run(&["policy", "check"]);
    assert_eq!(code, 4, "a damaged store is no empty one");
    assert!(err.contains("trusted.json` cannot be used: it is damaged"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_project_file_that_is_a_link_or_a_pipe_is_refused() {
    let home = Home::new();
    let file = home.directory.path().join("project/callgate.toml");
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    let (code, _, err) = home.run(&["policy", "check"]);
    assert_eq!(code, 4);
    assert!(err.contains("it is a link") && !err.contains("root:"), "{err}");
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let (code, _, err) = home.run(&["policy", "check"]);
    assert_eq!(code, 4);
    assert!(err.contains("no plain file"), "{err}");
}

#[test]
fn a_policy_is_tested_by_its_own_cases() {
    let home = Home::new();
    home.project("version = 1\n[paths]\ndeny = [\"vendor/**\"]\n[[rules]]\ntool = \"delete_*\"\naction = \"deny\"\nreason = \"deletions go through review\"\n");
    let cases = |text: &str| fs::write(home.directory.path().join("project/cases.toml"), text).unwrap();
    cases(
        r#"
        [[cases]]
        name = "notes may be read"
        tool = "read_file"
        arguments = { path = "notes.txt" }
        want = "allow"
        [[cases]]
        tool = "delete_repo"
        want = "deny"
        because = "deletions go through review"
        [[cases]]
        tool = "read_file"
        arguments = { path = "/etc/hostname" }
        want = "ask"
        [[cases]]
        tool = "read_file"
        arguments = { path = "vendor/a.js" }
        want = "deny"
        because = "vendor/**"
        "#,
    );
    let (code, out, err) = home.run(&["policy", "test", "cases.toml", "--root", "."]);
    assert_eq!((code, out.as_str()), (0, "ok: 4 cases\n"), "{err}");
    cases("[[cases]]\ntool = \"delete_repo\"\nwant = \"allow\"\n");
    let (code, out, _) = home.run(&["policy", "test", "cases.toml", "--root", "."]);
    assert_eq!(code, 3);
    assert!(out.starts_with("case 1 (`delete_repo`): wants allow, gets deny\n") && out.ends_with("1 of 1 cases differ\n"), "{out}");
    cases("");
    assert_eq!(home.run(&["policy", "test", "cases.toml", "--root", "."]).0, 5);
    cases("[[cases]]\ntool = \"x\"\nwant = \"maybe\"\n");
    let (code, _, err) = home.run(&["policy", "test", "cases.toml", "--root", "."]);
    assert_eq!(code, 1);
    assert!(err.contains("maybe"), "{err}");
}

#[test]
fn the_log_is_read_filtered_and_verified() {
    let home = Home::new();
    let mut log = Log::open(&home.audit()).unwrap();
    log.append(&[record(&plain_verdict("read_file", Effect::Allow))]).unwrap();
    log.append(&[record(&plain_verdict("write\u{1b}[2J_file", Effect::Deny))]).unwrap();
    let (code, out, err) = home.run(&["log"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("allow  files/read_file") && out.contains("deny   files/write") && !out.contains('\u{1b}'), "{out}");
    let (_, out, _) = home.run(&["log", "--verdict", "deny", "--json", "--since", "1h"]);
    assert_eq!(out.lines().count(), 1);
    assert!(out.contains("\\u001b") && out.contains("\"hash\":\""), "{out}");
    assert_eq!(home.run(&["log", "--tool", "none"]).0, 5);
    assert_eq!(home.run(&["log", "--since", "soon"]).0, 1);
    let (code, out, _) = home.run(&["verify"]);
    assert_eq!(code, 0);
    let last = out.trim_end().rsplit(' ').next().unwrap().to_owned();
    assert!(out.starts_with("ok: 2 lines, last hash "), "{out}");
    cut_last_line(&home.audit());
    assert_eq!(home.run(&["verify"]).0, 0, "a cut end leaves no trace by itself");
    let (code, out, _) = home.run(&["verify", "--holds", &last]);
    assert_eq!(code, 3);
    assert!(out.contains("lines were cut off the end"), "{out}");
    let text = fs::read_to_string(home.audit()).unwrap().replace("allow", "ask");
    fs::write(home.audit(), text).unwrap();
    let (code, out, _) = home.run(&["verify"]);
    assert_eq!(code, 3);
    assert!(out.ends_with("audit.jsonl: line 1: it was changed, or is no record\n"), "{out}");
}

fn cut_last_line(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(file, format!("{}\n", lines[..lines.len() - 1].join("\n"))).unwrap();
}
