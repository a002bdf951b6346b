//! Runs what the README tells a stranger to do: each command, each configuration to paste, each policy.
use std::fs;
use std::process::Stdio;

use crate::support::project::{Block, Scratch, blocks, configured, repository};
use serde_json::Value;

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).unwrap()
}

fn of(language: &str) -> Vec<Block> {
    let found: Vec<Block> = blocks(&readme()).into_iter().filter(|block| block.language == language).collect();
    assert!(!found.is_empty(), "no `{language}` block");
    found
}

/// The commands of the first block are run by this test run itself, by the demo test below, and by `.ci/run`.
#[test]
fn the_set_up_is_what_the_check_runs() {
    let check = fs::read_to_string(repository().join(".ci/run")).unwrap();
    let first = of("sh").remove(0);
    assert_eq!(first.text.lines().count(), 2);
    for command in first.text.lines() {
        let with_lock =
            command.replacen("cargo run --release", "cargo run --release --locked", 1).replacen("cargo test", "cargo test --locked", 1);
        assert!(check.contains(&with_lock), "`.ci/run` does not run `{command}`");
    }
}

#[test]
fn the_demo_needs_no_terminal() {
    let scratch = Scratch::new();
    let run = scratch.command("callgate").arg("demo").env_remove("CALLGATE_ALLOW_ROOT_TOOLS").stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{shown}\n{}", String::from_utf8_lossy(&run.stderr));
    for word in ["allow", "ask", "deny"] {
        assert!(shown.to_lowercase().contains(word), "no `{word}` in the demo:\n{shown}");
    }
}

/// `console` blocks: each `$ ` line is run by a shell in a scratch project; the lines after it must be what it prints.
#[test]
fn the_commands_print_what_is_shown() {
    for block in of("console") {
        let scratch = Scratch::new();
        scratch.write("project/src/main.rs", "fn main() {}\n");
        scratch.write("home/.ssh/id_rsa", "a key\n");
        for example in block.text.split("$ ").filter(|example| !example.is_empty()) {
            let (command, wanted) = example.split_once('\n').unwrap();
            let run = scratch.command("sh").args(["-c", command]).stdin(Stdio::null()).output().unwrap();
            let shown = String::from_utf8(run.stdout).unwrap();
            let shown = shown
                .replace(scratch.at("home").to_str().unwrap(), "/home/you")
                .replace(scratch.at("project").to_str().unwrap(), "/home/you/project");
            assert_eq!(shown, wanted, "README.md:{}: {command}\n{}", block.line, String::from_utf8_lossy(&run.stderr));
        }
    }
}

/// Each configuration starts a session. No test reaches the network, so `npx` is a stand-in that starts the built-in server.
#[test]
fn the_configurations_start() {
    let json = of("json").into_iter().map(|block| (serde_json::from_str(&block.text).unwrap(), block.line));
    let toml = of("toml").into_iter().map(|block| (serde_json::to_value(block.text.parse::<toml::Table>().unwrap()).unwrap(), block.line));
    let mut started = 0;
    for (config, line) in json.chain(toml).collect::<Vec<(Value, usize)>>() {
        for words in configured(&config) {
            let scratch = Scratch::new();
            scratch.program("npx", "#!/bin/sh\nexec callgate tools\n");
            let mut client = scratch.client(&words, false);
            assert!(client.tools().contains(&"read_file".to_owned()), "README.md:{line}");
            client.close();
            started += 1;
        }
    }
    assert!(started >= 6, "{started} configurations");
}

/// The lock is written for a server that any machine has, and the same server still fits it.
#[test]
fn the_lock_is_written_and_fits() {
    let command = of("sh").into_iter().find(|block| block.text.starts_with("callgate lock")).unwrap().text;
    let scratch = Scratch::new();
    scratch.program("npx", "#!/bin/sh\nexec callgate tools\n");
    for command in [command.clone(), command.replacen("lock", "lock --check", 1)] {
        let run = scratch.command("sh").args(["-c", &command]).stdin(Stdio::null()).output().unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }
    assert!(fs::read_to_string(scratch.at("project/callgate.lock")).unwrap().contains("[servers.files.tools.read_file]"));
}

#[test]
fn the_policies_are_accepted() {
    let mut checked = 0;
    for block in of("toml").into_iter().filter(|block| block.text.contains("version = 1")) {
        let scratch = Scratch::new();
        scratch.write("project/callgate.toml", &block.text);
        let run = scratch.command("callgate").args(["policy", "check", "callgate.toml"]).output().unwrap();
        assert!(run.status.success(), "README.md:{}: {}", block.line, String::from_utf8_lossy(&run.stderr));
        checked += 1;
    }
    assert!(checked > 0);
}

/// Each command of the table exists.
#[test]
fn the_commands_exist() {
    let text = readme();
    let table = text.lines().filter(|line| line.starts_with("| `callgate ")).collect::<Vec<_>>();
    assert!(table.len() > 8);
    let spans = table.iter().flat_map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    for span in spans.filter_map(|span| span.strip_prefix("callgate ")) {
        let name = span.split_whitespace().next().unwrap();
        let run = Scratch::new().command("callgate").args([name, "--help"]).output().unwrap();
        assert!(run.status.success(), "callgate {name}");
    }
}

#[test]
fn the_links_lead_somewhere() {
    let text = readme();
    for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|target| !target.starts_with("http")) {
        assert!(repository().join(target).exists(), "`{target}`");
    }
}
