//! Runs the stories of `examples/` as they are written down: the configuration to paste, each call, each answer, each result.
use std::fs;

use crate::support::project::{Client, Scratch, blocks, configured, repository};
use serde_json::Value;

/// A story with its files laid out and its client connected.
struct Story {
    scratch: Scratch,
    script: Value,
    client: Client,
}

fn read(example: &str, file: &str) -> String {
    fs::read_to_string(repository().join("examples").join(example).join(file)).unwrap()
}

fn open(example: &str) -> Story {
    let script: toml::Table = read(example, "story.toml").parse().unwrap();
    let script = serde_json::to_value(script).unwrap();
    let scratch = Scratch::new();
    for (name, text) in script["files"].as_object().unwrap() {
        scratch.write(name, text.as_str().unwrap());
    }
    if let Ok(policy) = fs::read_to_string(repository().join("examples").join(example).join("callgate.toml")) {
        scratch.write("project/callgate.toml", &policy);
    }
    let config: Value = serde_json::from_str(&read(example, "mcp.json")).unwrap();
    let client = scratch.client(&configured(&config)[0], true);
    Story { scratch, script, client }
}

/// Fills in the folders of this run.
fn place(value: &Value, scratch: &Scratch) -> Value {
    let text = value.to_string().replace("{project}", scratch.at("project").to_str().unwrap());
    serde_json::from_str(&text.replace("{beside}", scratch.at("beside").to_str().unwrap())).unwrap()
}

fn play(example: &str) {
    let Story { scratch, script, mut client } = open(example);
    let listed = client.tools();
    for name in script["hidden"].as_array().into_iter().flatten() {
        assert!(!listed.iter().any(|tool| tool == name), "{name} is listed");
    }
    let steps = script["step"].as_array().unwrap();
    for step in steps {
        check(step, &mut client, &scratch);
    }
    client.close();
    if let Some(log) = script["audit"].as_str() {
        let verified = scratch.command("callgate").args(["verify", log]).output().unwrap();
        assert!(verified.status.success(), "{verified:?}");
        assert!(fs::read_to_string(scratch.at("project").join(log)).unwrap().lines().count() >= steps.len());
    }
}

fn check(step: &Value, client: &mut Client, scratch: &Scratch) {
    let before = client.asked;
    client.answer = step["answer"].as_str().map(str::to_owned);
    let reply = client.call(step["tool"].as_str().unwrap(), &place(&step["arguments"], scratch));
    let refusal = reply["result"]["_meta"]["callgate/refusal"]["kind"].as_str();
    let result = if reply["result"]["isError"] == true { refusal.unwrap_or("an error of the server") } else { "passes" };
    let about = &step["about"];
    assert_eq!(step["result"], result, "{about}: {reply}");
    assert_eq!(step["answer"].is_string(), client.asked > before, "{about}: asked");
    if let Some(text) = step["contains"].as_str() {
        assert!(reply.to_string().contains(text), "{about}: {reply}");
    }
}

#[test]
fn between_an_ide_and_its_tools() {
    play("between-ide-and-tools");
}

#[test]
fn in_ci() {
    play("in-ci");
}

#[test]
fn the_texts_show_the_files_as_they_are() {
    for example in ["around-a-server", "between-ide-and-tools", "in-ci"] {
        let text = read(example, "README.md");
        for block in blocks(&text).iter().filter(|block| block.language == "json") {
            assert_eq!(block.text, read(example, "mcp.json"), "examples/{example}/README.md:{}", block.line);
        }
        for block in blocks(&text).iter().filter(|block| block.language == "toml") {
            assert_eq!(block.text, read(example, "callgate.toml"), "examples/{example}/README.md:{}", block.line);
        }
    }
}
