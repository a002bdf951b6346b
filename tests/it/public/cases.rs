//! Calls from public reports and made by hand (`tests/cases/calls.jsonl`), each judged by the built binary in a tree of its own.
#![cfg(unix)]
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

/// One line of the file. `{{B}}` stands for the row's own directory, `{{B8}}` for the same with octal escapes for its slashes,
/// `{{N}}` for its name; `@REP(text,n)@` is a text n times over, `{"@list": [text, n]}` the array `text0`, `text1`, ….
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    /// What `check` gets on its standard input.
    request: Value,
    /// `["dir", path]`, `["file", path, text]`, `["program", path, text]`, `["link", path, target]`, `["hard", path, target]`.
    tree: Vec<Vec<String>>,
    home: String,
    /// The working directory.
    directory: String,
    options: Vec<String>,
    policy: Option<String>,
    #[serde(default)]
    environment: std::collections::BTreeMap<String, String>,
    /// `allow`, `ask` or `deny`.
    verdict: String,
    /// Kinds that must be among the findings.
    kinds: Vec<String>,
}

#[test]
fn every_call_gets_its_verdict_and_its_reason() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/calls.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 500, "only {} rows", lines.len());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let start = |worker: usize| {
            let lines = &lines;
            scope.spawn(move || lines.iter().skip(worker).step_by(workers).filter_map(|line| judge(line).err()).collect::<Vec<_>>())
        };
        let running: Vec<_> = (0..workers).map(start).collect();
        running.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{} of {} rows:\n{}", failures.len(), lines.len(), failures.join("\n"));
}

/// A session admits 512 levels (design 4), so `check` does too, and refuses what a session refuses.
#[test]
fn arguments_are_admitted_as_in_a_session() {
    let scratch = tempfile::tempdir().unwrap();
    let nested = |levels: usize| format!("{}\"/etc/passwd\"{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    for (arguments, verdict, error) in [
        (nested(500), "\"verdict\":\"ask\"", ""),
        (nested(600), "", "nests deeper than 512"),
        (r#"{"path":"a","path":"/etc/passwd"}"#.to_owned(), "", "appears twice"),
        ("[".repeat(100_000), "", "is not understood"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.args(["check", "--json", "--call", "-", "--root", "."]).current_dir(scratch.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        write!(child.stdin.take().unwrap(), "{{\"tool\":\"t\",\"arguments\":{arguments}}}").unwrap();
        let done = child.wait_with_output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(out.contains(verdict) && err.contains(error), "{out}\n{err}");
        assert_eq!(done.status.code(), Some(if error.is_empty() { 3 } else { 1 }));
    }
}

fn judge(line: &str) -> Result<(), String> {
    let scratch = tempfile::Builder::new().prefix("callgate-case").tempdir().unwrap();
    let base = scratch.path().canonicalize().unwrap();
    let row = placed(line, base.to_str().unwrap());
    for entry in &row.tree {
        make(entry);
    }
    let answer = answer(&row, &base)?;
    let kinds: Vec<&str> = answer["findings"].as_array().into_iter().flatten().filter_map(|finding| finding["kind"].as_str()).collect();
    let all_there = row.kinds.iter().all(|kind| kinds.contains(&kind.as_str()));
    if answer["verdict"] == row.verdict.as_str() && all_there {
        return Ok(());
    }
    Err(format!("{}: {} {kinds:?}, wanted {} {:?}", row.id, answer["verdict"], row.verdict, row.kinds))
}

fn placed(line: &str, base: &str) -> Row {
    let name = base.rsplit('/').next().unwrap();
    let line = line.replace("{{B8}}", &base.replace('/', "\\\\057")).replace("{{B}}", base).replace("{{N}}", name);
    let mut row: Row = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {}", &line[..60]));
    row.request = unfolded(row.request);
    row
}

fn unfolded(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(repeated(&text)),
        Value::Array(items) => items.into_iter().map(unfolded).collect(),
        Value::Object(members) => match members.get("@list").and_then(Value::as_array).map(Vec::as_slice) {
            Some([Value::String(text), count]) => (0..count.as_u64().unwrap()).map(|at| json!(format!("{text}{at}"))).collect(),
            _ => members.into_iter().map(|(key, value)| (repeated(&key), unfolded(value))).collect(),
        },
        other => other,
    }
}

fn repeated(text: &str) -> String {
    let Some((before, rest)) = text.split_once("@REP(") else { return text.to_owned() };
    let (inside, after) = rest.split_once(")@").unwrap();
    let (unit, count) = inside.rsplit_once(',').unwrap();
    format!("{before}{}{}", unit.repeat(count.parse().unwrap()), repeated(after))
}

fn make(entry: &[String]) {
    let path = Path::new(&entry[1]);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match entry[0].as_str() {
        "dir" => std::fs::create_dir_all(path).unwrap(),
        "link" => std::os::unix::fs::symlink(&entry[2], path).unwrap(),
        "hard" => std::fs::hard_link(&entry[2], path).unwrap(),
        kind => {
            std::fs::write(path, &entry[2]).unwrap();
            if kind == "program" {
                std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            }
        }
    }
}

fn answer(row: &Row, base: &Path) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["check", "--json", "--call", "-"]).args(&row.options);
    if let Some(policy) = &row.policy {
        let path = base.join("policy.toml");
        std::fs::write(&path, policy).unwrap();
        command.arg("--policy").arg(path);
    }
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &row.home).env("USER", "user").env("LANG", "C.UTF-8");
    command.envs(&row.environment).current_dir(&row.directory).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(row.request.to_string().as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    serde_json::from_slice(&done.stdout).map_err(|error| format!("{}: {error}: {}", row.id, String::from_utf8_lossy(&done.stderr)))
}
