//! The helper program: which one is run, what it is given, and what its end means. Real scripts are run.
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::support::{HANG, write_program};
use callgate::analyse::Confidence;
use callgate::approve::program::{HelperError, Program};
use callgate::gate::{Answer, Channel, Choice, Finding, Key, Kind, Question, Scopes};
use callgate::policy::{Direction, Effect};

/// A directory nobody else can write to, with a script in it.
struct Helper {
    scratch: tempfile::TempDir,
    path: PathBuf,
}

impl Helper {
    fn new(script: &str) -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join("helper.sh");
        write_program(&path, &format!("#!/bin/sh\n{script}\n"));
        Self { scratch, path }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn ask(&self, time: Duration) -> Option<Answer> {
        Program::at(&self.path).expect("fit").ask(&question(), time, &AtomicBool::new(false))
    }
}

fn question() -> Question {
    let finding = Finding {
        kind: Kind::Outside,
        action: Effect::Ask,
        key: Key::Directory("/etc".into()),
        path: Some("/etc/hosts".into()),
        covered: vec!["/etc/hosts".into()],
        direction: Direction::Read,
        argument: "/path".to_owned(),
        raw: "/etc/hosts".to_owned(),
        confidence: Confidence::Declared,
        because: "argument named `path`".to_owned(),
    };
    Question::from_findings("q-1", "files", "read_file", "d", "{\"path\":\"/etc/hosts\u{202e}\"}", &[finding], &Scopes::ALL)
}

#[test]
fn the_end_of_the_program_is_the_answer() {
    let yes = Helper::new("exit 0");
    let answer = yes.ask(HANG).expect("answered");
    assert_eq!(answer.channel, Channel::Program);
    assert_eq!(question().settle(&answer).allowed, [(Key::Directory("/etc".into()), Choice::Once)]);

    for refusing in ["exit 1", "exit 255", "kill -9 $$", "echo allow; exit 2", "no-such-command"] {
        let answer = Helper::new(refusing).ask(HANG).expect("answered");
        assert!(!question().settle(&answer).is_cleared(), "`{refusing}`");
    }

    let given = Helper::new(r#"d=$(dirname "$0"); cat > "$d/input"; printf '%s' "$1" > "$d/text"; env > "$d/env"; pwd > "$d/cwd""#);
    given.ask(HANG).expect("answered");
    let input: serde_json::Value = serde_json::from_slice(&std::fs::read(given.file("input")).expect("written")).expect("JSON");
    assert_eq!(input["calls"][0]["tool"], "read_file");
    assert_eq!(input["items"][0]["path"], "/etc/hosts");
    assert_eq!(input["items"][0]["offered"][0], "deny");
    insta::assert_snapshot!("askpass_text", std::fs::read_to_string(given.file("text")).expect("written"));
    let environment = std::fs::read_to_string(given.file("env")).expect("written");
    assert!(!environment.contains("CARGO"), "{environment}");
    assert_eq!(std::fs::read_to_string(given.file("cwd")).expect("written"), "/\n");
}

#[test]
fn a_program_that_does_not_answer_is_ended_with_all_it_started() {
    let slow = Helper::new(r#"sleep 600 & echo $! > "$(dirname "$0")/child"; wait"#);
    assert_eq!(slow.ask(Duration::from_millis(700)), None);
    let started = Instant::now();
    let child = std::fs::read_to_string(slow.file("child")).expect("written");
    let runs = || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).is_ok_and(|text| !text.contains(") Z "));
    // The kernel takes a moment to end what was killed.
    while runs() {
        assert!(started.elapsed() < HANG, "the program's child runs on");
        std::thread::yield_now();
    }
}

#[test]
fn a_withdrawn_question_ends_the_program() {
    let slow = Helper::new("exec sleep 600");
    let answer = Program::at(&slow.path).expect("fit").ask(&question(), HANG, &AtomicBool::new(true));
    assert_eq!(answer, None);
}

#[test]
fn a_program_that_others_could_replace_is_not_run() {
    let helper = Helper::new("exit 0");
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("mode");
    mode(&helper.path, 0o722);
    assert!(matches!(Program::at(&helper.path), Err(HelperError::Writable(_))));
    mode(&helper.path, 0o600);
    assert!(matches!(Program::at(&helper.path), Err(HelperError::NotExecutable(_))));
    mode(&helper.path, 0o700);
    let fit = Program::at(&helper.path).expect("fit");
    mode(helper.scratch.path(), 0o777);
    assert!(matches!(Program::at(&helper.path), Err(HelperError::Writable(_))));
    assert_eq!(fit.ask(&question(), HANG, &AtomicBool::new(false)), None, "it is looked at again before it is run");
    mode(helper.scratch.path(), 0o700);
    assert!(matches!(Program::at(Path::new("helper.sh")), Err(HelperError::Relative(_))));
    assert!(matches!(Program::at(helper.scratch.path()), Err(HelperError::NotExecutable(_))));
    assert!(matches!(Program::at(&helper.file("none")), Err(HelperError::Missing(..))));
}

#[test]
fn every_recipe_is_a_shell_script_that_says_what_it_is() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/askpass");
    let mut recipes = 0;
    for entry in std::fs::read_dir(directory).expect("there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        assert!(text.starts_with("#!/bin/sh\n# callgate helper program: "), "{path:?}");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o111, 0o111, "{path:?}");
        let checked = std::process::Command::new("sh").arg("-n").arg(&path).status().expect("a shell");
        assert!(checked.success(), "{path:?}");
        recipes += 1;
    }
    assert_eq!(recipes, 5);
}
