//! Times reading, finding and searching on a generated tree of 20,000 files, against `rg`, `head` and `tail` where they are installed.
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use callgate_workspace::files::{find, read, search};
use callgate_workspace::place::Base;
use callgate_workspace::work::Stop;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use tempfile::TempDir;

const DIRECTORIES: usize = 200;
const FILES: usize = 100;

/// A tree of 200 directories with 100 files each, half of them Rust, and one long log.
fn tree() -> TempDir {
    let tree = tempfile::tempdir().expect("a scratch directory");
    for directory in 0..DIRECTORIES {
        let path = tree.path().join(format!("crate_{}/src/module_{directory}", directory % 20));
        std::fs::create_dir_all(&path).expect("a directory");
        for file in 0..FILES {
            let extension = if file % 2 == 0 { "rs" } else { "toml" };
            std::fs::write(path.join(format!("file_{file}.{extension}")), source(directory * FILES + file)).expect("a file");
        }
    }
    let log: String = (0..2_000_000).map(|line| format!("{line:09} INFO the worker finished its step\n")).collect();
    std::fs::write(tree.path().join("run.log"), log).expect("a log");
    std::fs::write(tree.path().join(".gitignore"), "*.log\n").expect("an ignore file");
    tree
}

/// About 2 KB of text; one file in fifty holds the needle.
fn source(number: usize) -> String {
    let mut text: String = (0..40).map(|line| format!("    let value_{line} = compute({number}, {line})?; // step {line}\n")).collect();
    if number % 50 == 7 {
        text.push_str("    let found = needle_in_the_haystack();\n");
    }
    text
}

fn stop() -> Stop {
    Stop::after(Duration::from_secs(600))
}

/// Runs a program in the tree and reads all it says, or tells that it is not installed.
fn program(tree: &Path, words: &[&str]) -> Option<usize> {
    let (name, rest) = words.split_first()?;
    let output = Command::new(name).args(rest).current_dir(tree).stdin(Stdio::null()).output().ok()?;
    Some(output.stdout.len())
}

/// One comparison: our tool and a program that does the same.
fn compare(criterion: &mut Criterion, tree: &Path, name: &str, ours: impl Fn(&Base) -> usize, words: &[&str]) {
    let base = Base::new(tree.to_owned());
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).measurement_time(Duration::from_secs(4)).warm_up_time(Duration::from_secs(1));
    group.bench_function("callgate", |bencher| bencher.iter(|| black_box(ours(&base))));
    if program(tree, words).is_some() {
        group.bench_function(words[0], |bencher| bencher.iter(|| black_box(program(tree, words))));
    }
    group.finish();
}

fn files(base: &Base, pattern: &str) -> usize {
    let arguments = serde_json::from_value(json!({"pattern": pattern, "max_results": 10_000})).expect("arguments");
    find::find_files(base, &arguments, &stop()).files.len()
}

fn lines(base: &Base, pattern: &str) -> usize {
    let arguments = serde_json::from_value(json!({"pattern": pattern, "max_results": 1_000, "context_lines": 2})).expect("arguments");
    search::grep(base, &arguments, &stop()).hunks.len()
}

fn page(base: &Base, offset: i64) -> usize {
    let arguments = serde_json::from_value(json!({"path": "run.log", "offset": offset, "line_numbers": false})).expect("arguments");
    read::read_file(base, &arguments, &stop()).content.len()
}

fn tools(criterion: &mut Criterion) {
    let tree = tree();
    let place = tree.path();
    let rg = |more: &[&'static str]| [&["rg", "--hidden", "--no-require-git"], more].concat();
    compare(criterion, place, "find *.rs", |base| files(base, "*.rs"), &rg(&["--files", "-g", "*.rs"]));
    compare(
        criterion,
        place,
        "grep without a match",
        |base| lines(base, "no_such_word_anywhere"),
        &rg(&["-n", "-C2", "no_such_word_anywhere"]),
    );
    compare(criterion, place, "grep 400 matches", |base| lines(base, "needle_\\w+_haystack"), &rg(&["-n", "-C2", "needle_\\w+_haystack"]));
    compare(criterion, place, "read the first page", |base| page(base, 1), &["head", "-n", "500", "run.log"]);
    compare(criterion, place, "read the last page", |base| page(base, -500), &["tail", "-n", "500", "run.log"]);
}

criterion_group!(benches, tools);
criterion_main!(benches);
