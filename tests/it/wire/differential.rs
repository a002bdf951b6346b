//! The admission grammar against serde_json's, on mutated lines of the fidelity corpus.
//!
//! `CALLGATE_MUTATIONS` sets how many lines; each is judged as the client's and as the server's, single and as a batch. No difference is
//! allowed: serde_json's own syntax check accepts lone surrogates, any depth and `1e400` as this reader does. Where it builds a value it
//! refuses those three; there this reader goes further on purpose, because real peers send them.
use crate::support::lines::Dice;
use crate::support::reader_checks;

const DEFAULT_MUTATIONS: usize = 200_000;

/// Fragments at which JSON readers are known to disagree.
const FRAGMENTS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u0000",
    b"\\x",
    b"\r",
    b"\n",
    b"\t",
    b" ",
    b"\0",
    b"\x0c",
    b"\x1f",
    b"\x7f",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"0",
    b"-",
    b"-0",
    b"01",
    b"1.",
    b".5",
    b"1e",
    b"1e+",
    b"1E400",
    b"1e-400",
    b"NaN",
    b"Infinity",
    b"nul",
    b"null",
    b"true",
    b"True",
    b"//",
    b"/**/",
    b"'",
    b"{\"a\":1,\"a\":2}",
    b"[[[[[[[[",
    b"]]]]]]]]",
    b"\"id\":",
    b"\"ID\":",
    b"\"method\":\"tools/call\"",
];

fn mutate(dice: &mut Dice, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut line = lines[dice.below(lines.len())].clone();
    for _ in 0..=dice.below(8) / 3 {
        let at = dice.below(line.len() + 1);
        match dice.below(12) {
            0 => drop(line.splice(at..at, FRAGMENTS[dice.below(FRAGMENTS.len())].iter().copied())),
            1 => line.truncate(at),
            2 if at < line.len() => line[at] = dice.below(256) as u8,
            3 => {
                let end = (at + dice.below(12)).min(line.len());
                line.drain(at..end);
            }
            4 => {
                let end = (at + dice.below(40)).min(line.len());
                let copy = line[at..end].to_vec();
                let to = dice.below(line.len() + 1);
                line.splice(to..to, copy);
            }
            5 => {
                let other = &lines[dice.below(lines.len())];
                let tail = &other[dice.below(other.len())..];
                line.truncate(at);
                line.extend_from_slice(tail);
            }
            6..=8 => gently(dice, &mut line, at),
            _ => {
                let place = line.iter().skip(at).position(|byte| b"{[,:".contains(byte)).map_or(0, |found| at + found + 1);
                line.insert(place, b" \t\r\n"[dice.below(4)]);
            }
        }
    }
    line
}

/// Exchanges the next letter by a letter and the next digit by a digit, which often leaves JSON.
fn gently(dice: &mut Dice, line: &mut [u8], at: usize) {
    let Some(byte) = line.iter_mut().skip(at).find(|byte| byte.is_ascii_alphanumeric()) else { return };
    *byte = if byte.is_ascii_digit() { b'1' + dice.below(9) as u8 } else { b'a' + dice.below(26) as u8 };
}

#[test]
fn mutated_lines_are_read_as_serde_json_reads_them() {
    let corpus: Vec<Vec<u8>> = include_str!("../../cases/fidelity.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().as_bytes().to_vec())
        .filter(|line| line.len() < 2_000)
        .collect();
    let mutations = std::env::var("CALLGATE_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(DEFAULT_MUTATIONS);
    let mut passed = 0;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..mutations {
        let line = mutate(&mut dice, &corpus);
        let outcome = std::panic::catch_unwind(|| reader_checks::check(&line));
        assert!(outcome.is_ok(), "round {round}: {:?}", String::from_utf8_lossy(&line));
        passed += usize::from(outcome.is_ok_and(|passed| passed));
    }
    println!("{passed} of {mutations} mutated lines are messages");
    assert!(passed * 10 > mutations, "the mutations must not all be broken: {passed} of {mutations} passed");
}

#[test]
fn what_serde_json_cannot_hold_is_admitted_all_the_same() {
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    for value in [r#""a\ud83d""#, "1e400", &deep] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x/y","params":{{"v":{value}}}}}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_err(), "{value}");
        assert!(reader_checks::check(line.as_bytes()), "{value}");
    }
}
