//! The audit log on a real disk: its chain, its sharing, and what becomes of a line that was cut short.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use callgate::analyse::Confidence;
use callgate::gate::{AnswerNote, Choice, Finding, Key, Kind, RefusalReason, Verdict};
use callgate::policy::{Direction, Effect};
use callgate::report::audit::{Break, Fault, Log, Record, Summary, verify};

use crate::support::verdicts::plain_verdict;

fn verdict(tool: &str) -> Verdict {
    plain_verdict(tool, Effect::Allow)
}

fn record(verdict: &Verdict) -> Record<'_> {
    Record { time: SystemTime::UNIX_EPOCH, session: "s1", verdict, arguments: None }
}

fn check(path: &Path) -> Result<Summary, Break> {
    verify(fs::read(path).unwrap().as_slice()).unwrap()
}

fn written(path: &Path, count: usize) {
    let mut log = Log::open(path).unwrap();
    (0..count).for_each(|number| log.append(&[record(&verdict(&number.to_string()))]).unwrap());
}

#[test]
fn a_line_says_what_was_decided_and_the_file_is_private() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state/audit.jsonl");
    written(&path, 1);
    let line: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!((&line["time"], &line["verdict"], &line["tool"]), (&"1970-01-01T00:00:00.000Z".into(), &"allow".into(), &"0".into()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}

#[test]
fn two_gates_share_one_chain() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| written(&path, 100)))));
    let summary = check(&path).unwrap();
    assert_eq!((summary.lines, summary.torn.len(), summary.ends_torn), (400, 0, None));
}

#[test]
fn every_kind_of_change_is_named_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    written(&path, 5);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let broken = |lines: Vec<&str>| verify(lines.join("\n").as_bytes()).unwrap().unwrap_err();
    let changed = lines[2].replace("\"allow\"", "\"deny\"");
    assert_eq!(broken(vec![lines[0], lines[1], &changed, lines[3]]), Break { line: 3, what: Fault::Changed });
    assert_eq!(broken(vec![lines[0], lines[2], lines[3]]), Break { line: 2, what: Fault::Unlinked });
    assert_eq!(broken(vec![lines[0], lines[2], lines[1]]), Break { line: 2, what: Fault::Unlinked });
    assert_eq!(broken(vec![lines[1], lines[2]]), Break { line: 1, what: Fault::Headless });
    assert_eq!(broken(vec![lines[0], &lines[1][..40], lines[2]]), Break { line: 2, what: Fault::Changed });
}

#[test]
fn a_line_that_was_cut_short_anywhere_is_noted_and_the_chain_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    written(&path, 2);
    let whole = fs::read(&path).unwrap();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for length in second + 1..whole.len() - 3 {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(check(&path).unwrap().ends_torn, Some(2), "at {length}");
        written(&path, 1);
        let summary = check(&path).unwrap();
        assert_eq!((summary.lines, summary.torn, summary.ends_torn), (4, vec![2], None), "at {length}");
    }
    // Only the line end is missing: nothing is lost.
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    written(&path, 1);
    assert_eq!(check(&path).unwrap().torn, Vec::<usize>::new());
    // A note that was itself cut short.
    fs::write(&path, [&whole[..second + 9], b"\n{\"time\":\"19"].concat()).unwrap();
    written(&path, 1);
    assert_eq!((check(&path).unwrap().lines, check(&path).unwrap().torn), (5, vec![2]));
    // Nothing whole at all, and longer than one look back.
    fs::write(&path, vec![b'x'; 100_000]).unwrap();
    written(&path, 1);
    assert_eq!((check(&path).unwrap().lines, check(&path).unwrap().torn), (3, vec![1]));
}

#[test]
fn a_removed_or_emptied_file_begins_a_new_chain() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mut log = Log::open(&path).unwrap();
    log.append(&[record(&verdict("a"))]).unwrap();
    fs::remove_file(&path).unwrap();
    log.append(&[record(&verdict("b"))]).unwrap();
    assert_eq!(check(&path).unwrap().lines, 1);
    fs::write(&path, "").unwrap();
    log.append(&[record(&verdict("c"))]).unwrap();
    assert_eq!(check(&path).unwrap().lines, 1);
}

#[cfg(unix)]
#[test]
fn links_pipes_devices_and_directories_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    for path in [link.as_path(), Path::new("/dev/null"), Path::new("/dev/full"), directory.path()] {
        let message = Log::open(path).unwrap_err().to_string();
        assert!(message.starts_with("the audit log `/") && message.contains("--audit"), "{message}");
    }
}

#[test]
fn a_file_that_another_program_holds_is_an_error_and_no_hang() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mut log = Log::open(&path).unwrap();
    let holder = fs::File::open(&path).unwrap();
    holder.lock().unwrap();
    assert!(log.append(&[record(&verdict("a"))]).unwrap_err().to_string().contains("another program holds it"));
    holder.unlock().unwrap();
    log.append(&[record(&verdict("a"))]).unwrap();
    assert_eq!(check(&path).unwrap().lines, 1);
}

#[test]
fn a_hostile_name_of_a_log_cannot_mislead_whoever_reads_the_error() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a\u{1b}[2Jb", "safe\u{202e}txt", "p\u{430}th"] {
        let taken = directory.path().join(name);
        fs::create_dir(&taken).unwrap();
        let error = Log::open(&taken).map(drop).unwrap_err().to_string();
        assert!(callgate::escape::masked(&error) == error && error.contains("\\u{"), "{}", error.escape_debug());
    }
}

#[test]
fn a_line_holds_these_members_in_this_order() {
    let findings = vec![finding(Some("/out/a\u{202e}b".into())), Finding { kind: Kind::Rule, ..finding(None) }];
    let answer = AnswerNote {
        channel: "socket",
        peer: Some("process 7".to_owned()),
        asserted_by_client: false,
        choices: vec![(Key::Directory("/out".into()), Choice::Once), (Key::Call("d".to_owned()), Choice::Deny)],
        latency: Duration::from_micros(1_234_567),
    };
    let verdict = Verdict {
        client: Some("ide".to_owned()),
        effect: Effect::Deny,
        refusal: Some(RefusalReason::DeniedByUser),
        findings,
        answer: Some(answer),
        ..verdict("read_file")
    };
    let record = Record { arguments: Some("{\"path\":\"/out/a\"}"), ..record(&verdict) };
    let line = serde_json::to_string(&record).unwrap();
    let wanted = concat!(
        r#"{"time":"1970-01-01T00:00:00.000Z","session":"s1","client":"ide","server":"files","tool":"read_file","method":"tools/call","#,
        r#""id":"1","digest":"d","verdict":"deny","refusal":"denied_by_user","findings":[{"kind":"outside","action":"ask","key":"/out","#,
        "\"path\":\"/out/a\u{202e}b\",",
        r#""direction":"read or write","argument":"/path","because":"argument `path` (name)"},{"kind":"rule","action":"ask","#,
        r#""key":"/out","direction":"read or write","argument":"/path","because":"argument `path` (name)"}],"answer":{"channel":"socket","#,
        r#""peer":"process 7","asserted_by_client":false,"choices":[["/out","allow once"],["d","deny"]],"latency_ms":1234},"#,
        r#""arguments":"{\"path\":\"/out/a\"}"}"#,
    );
    assert_eq!(line, wanted);
    let plain = serde_json::to_string(&self::record(&self::verdict("t"))).unwrap();
    assert_eq!(
        plain,
        r#"{"time":"1970-01-01T00:00:00.000Z","session":"s1","server":"files","tool":"t","method":"tools/call","id":"1","digest":"d","verdict":"allow","findings":[]}"#
    );
}

fn finding(path: Option<PathBuf>) -> Finding {
    Finding {
        kind: Kind::Outside,
        action: Effect::Ask,
        key: Key::Directory("/out".into()),
        path,
        covered: Vec::new(),
        direction: Direction::Unknown,
        argument: "/path".to_owned(),
        raw: "a".to_owned(),
        confidence: Confidence::Guess,
        because: "argument `path` (name)".to_owned(),
    }
}
