//! How fast a line is admitted: a small call, and a large result from a server with and without many escapes.
use bytes::Bytes;
use callgate::wire::{Limits, Message, Side, decode, read};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn call_of_1_kb() -> Bytes {
    let arguments: Vec<String> = (0..20).map(|at| format!(r#""option_{at}":"src/module_{at}/file_{at}.rs","n{at}":{at}.5"#)).collect();
    let head = r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"read_file","arguments":{"#;
    format!("{head}{}}},\"_meta\":{{\"progressToken\":17}}}}}}", arguments.join(",")).into()
}

fn result_of_10_mb(line: &str) -> Bytes {
    let text = line.repeat(10_000_000 / line.len());
    format!(r#"{{"jsonrpc":"2.0","id":17,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#).into()
}

fn structured_of_10_mb() -> Bytes {
    let row = r#"{"name":"src/main.rs","size":12345,"modified":1700000000.25,"directory":false},"#;
    let rows = row.repeat(10_000_000 / row.len());
    format!(r#"{{"jsonrpc":"2.0","id":17,"result":{{"structuredContent":{{"rows":[{rows}null]}}}}}}"#).into()
}

fn admission(criterion: &mut Criterion) {
    let source = r"    let total = lines.iter().map(|line| line.len()).sum::<usize>();\n";
    let cases = [
        ("call of 1 KB", Side::Client, call_of_1_kb()),
        ("result of 10 MB, one plain string", Side::Server, result_of_10_mb("abcdefghijklmnopqrstuvwxyz0123456789")),
        ("result of 10 MB, source text", Side::Server, result_of_10_mb(source)),
        ("result of 10 MB, rows of members", Side::Server, structured_of_10_mb()),
    ];
    let mut group = criterion.benchmark_group("read");
    for (name, from, line) in cases {
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &line, |bencher, line| {
            bencher.iter(|| read(line.clone(), from, &Limits::default()).is_ok());
        });
    }
    group.finish();
}

fn judging(criterion: &mut Criterion) {
    let line = call_of_1_kb();
    let Ok(Message::Request(request)) = read(line.clone(), Side::Client, &Limits::default()) else { return };
    let mut group = criterion.benchmark_group("call of 1 KB");
    group.throughput(Throughput::Bytes(line.len() as u64));
    group.bench_function("into a call", |bencher| bencher.iter(|| request.clone().into_call().is_ok()));
    if let Ok(call) = request.clone().into_call() {
        group.bench_function("digest", |bencher| bencher.iter(|| call.digest()));
    }
    group.bench_function("decode", |bencher| bencher.iter(|| decode(&line)));
    group.finish();
}

criterion_group!(benches, admission, judging);
criterion_main!(benches);
