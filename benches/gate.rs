//! Times the deciding half: admitting a line, finding the places a call names, judging it. Inputs are typical ones and the large ones of the design.
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;

use bytes::Bytes;
use callgate::analyse::{Discovered, DiscoveryInput, Form, Mention, Scripts, Surroundings, discover};
use callgate::gate::{Facts, GrantStore, Judge, Located, Outcome, PinStatus, Place, Sensitive, Step};
use callgate::policy::{Access, Platform, Policy, ToolSettings};
use callgate::wire::{Call, Limits, Side, read};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

/// The calls that are timed: a name, the tool, its arguments.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let words = "a permission that is given is one that was shown ".repeat(22_000);
    let many: Vec<String> = (0..10_000).map(|number| format!("src/module_{number}.rs")).collect();
    let pipeline = "git log --oneline -n 50 -- src | grep -v 'fixup!' | sort -u > target/log.txt && wc -l target/log.txt";
    vec![
        ("a read", "read_file", json!({"path": "src/main.rs", "offset": 1, "limit": 200})),
        ("1 KB of text", "echo", json!({"message": "x".repeat(1_000)})),
        ("a pipeline", "run_command", json!({"command": pipeline})),
        ("1 MB of prose", "write_file", json!({"path": "notes.md", "content": words})),
        ("10,000 paths", "read_files", json!({"paths": many})),
    ]
}

fn line(tool: &str, arguments: &Value) -> Bytes {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}).to_string().into()
}

fn scan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scan");
    let mut lines: Vec<(&str, Side, Bytes)> =
        calls().iter().map(|(name, tool, arguments)| (*name, Side::Client, line(tool, arguments))).collect();
    let text = "a line of a result, with \"quotes\"\n".repeat(300_000);
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
    lines.push(("a 10 MB result", Side::Server, result.to_string().into()));
    for (name, side, bytes) in lines {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bench| {
            bench.iter(|| read(black_box(bytes.clone()), side, &Limits::default()))
        });
    }
    group.finish();
}

fn surroundings() -> Surroundings {
    let root = PathBuf::from("/home/you/project");
    Surroundings {
        root: root.clone(),
        spelled_root: root.clone(),
        home: Some(PathBuf::from("/home/you")),
        allowed_directories: vec![root],
        allowed_files: Vec::new(),
        variables: BTreeMap::from([("HOME".to_owned(), "/home/you".to_owned())]),
        platform: Platform::Linux,
        folds_case: false,
    }
}

fn found(tool: &str, arguments: &Value, settings: &ToolSettings, surroundings: &Surroundings) -> Discovered {
    discover(&DiscoveryInput {
        tool,
        arguments,
        definition: None,
        settings,
        expected: &[],
        surroundings,
        scripts: &Scripts::default(),
        explain: false,
    })
}

fn discovering(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("discover");
    let (policy, surroundings) = (Policy::builtin(), surroundings());
    for (name, tool, arguments) in calls() {
        let settings = policy.tool("bench", tool);
        group.bench_function(BenchmarkId::from_parameter(name), |bench| {
            bench.iter(|| found(tool, black_box(&arguments), &settings, &surroundings));
        });
    }
    group.finish();
}

/// What the disk would say of plain paths inside the root.
fn located(discovered: &Discovered) -> Vec<Located> {
    let inside = |mention: &Mention| {
        let Form::Path(path) = &mention.form else { return Outcome::Void };
        let path = PathBuf::from(path);
        Outcome::Places(vec![Place {
            spelled: path.clone(),
            path,
            exists: true,
            is_directory: false,
            through_link: false,
            reaches_elsewhere: false,
        }])
    };
    discovered.mentions.iter().map(|mention| Located { mention: mention.clone(), outcome: inside(mention) }).collect()
}

fn judging(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("judge");
    let (policy, surroundings, pin_status) = (Policy::builtin(), surroundings(), PinStatus::Known);
    let sensitive = Sensitive::new(&[], &[]).expect("the built-in list is valid");
    let facts = Facts {
        policy: &policy,
        sensitive: &sensitive,
        surroundings: &surroundings,
        server: "bench",
        access: Access::Full,
        definition: None,
        pin_status: &pin_status,
        granted: &GrantStore::default(),
        expected: &[],
        rewrite_relative: false,
        explain: false,
    };
    for (name, tool, arguments) in calls() {
        let call = Call::synthetic(tool, &arguments).expect("the call can be sent");
        // A call without mentions is decided at once, so there is nothing to time here.
        let Step::Locate(judge) = Judge::of(call).begin(&facts) else { continue };
        let located = located(judge.discovered());
        let call = judge.located(located);
        group.bench_function(BenchmarkId::from_parameter(name), |bench| bench.iter(|| black_box(&call).findings(&facts)));
    }
    group.finish();
}

criterion_group!(gate, scan, discovering, judging);
criterion_main!(gate);
