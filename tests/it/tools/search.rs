//! Reading, finding and searching on real trees.
use std::path::Path;
use std::time::Duration;

use crate::support::HANG;
use callgate_workspace::files::read::{self, ReadFile, read_file};
use callgate_workspace::files::text::Truncation;
use callgate_workspace::files::{find, list, search};
use callgate_workspace::place::Base;
use callgate_workspace::work::Stop;
use serde_json::{Value, json};

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            tree.write(name, content);
        }
        tree
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn base(&self) -> Base {
        Base::new(self.0.path().to_owned())
    }

    fn read(&self, name: &str, mut arguments: Value) -> ReadFile {
        arguments["path"] = json!(name);
        read_file(&self.base(), &serde_json::from_value::<read::Arguments>(arguments).unwrap(), &stop())
    }

    fn find(&self, arguments: Value) -> find::FindFiles {
        find::find_files(&self.base(), &serde_json::from_value(arguments).unwrap(), &stop())
    }

    fn list(&self, arguments: Value) -> list::ListFiles {
        list::list_files(&self.base(), &serde_json::from_value(arguments).unwrap(), &stop())
    }

    fn grep(&self, arguments: Value) -> search::Grep {
        search::grep(&self.base(), &serde_json::from_value(arguments).unwrap(), &stop())
    }
}

fn stop() -> Stop {
    Stop::after(HANG)
}

fn content(page: &ReadFile) -> &str {
    assert_eq!(page.error, None);
    &page.content
}

#[test]
fn pages_from_the_start_and_from_the_end_agree() {
    let text: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
    let tree = Tree::new(&[("a", &text)]);
    let page = tree.read("a", json!({"offset": 10, "limit": 2, "line_numbers": false}));
    assert_eq!((content(&page), page.line_start, page.line_end, page.next_offset), ("line 10\nline 11", Some(10), Some(11), Some(12)));
    assert_eq!((page.truncation_reason, page.total_lines), (Some(Truncation::LineLimit), Some(1000)));
    let tail = tree.read("a", json!({"offset": -2}));
    assert_eq!(
        (content(&tail), tail.line_start, tail.line_end, tail.truncated),
        ("-2\tline 999\n-1\tline 1000", Some(-2), Some(-1), false)
    );
    let cut = tree.read("a", json!({"offset": -3, "limit": 1}));
    assert_eq!((content(&cut), cut.next_offset, cut.total_lines), ("-3\tline 998", Some(-2), None));
    let clamped = tree.read("a", json!({"offset": -5000, "limit": 1}));
    assert_eq!((content(&clamped), clamped.total_lines), ("-1000\tline 1", Some(1000)));
    let past = tree.read("a", json!({"offset": 2000}));
    assert_eq!((content(&past), past.total_lines), ("", Some(1000)));
    assert!(past.note.unwrap().contains("1000 lines"));
    assert_eq!(tree.read("a", json!({"offset": i64::MIN, "limit": 1})).content, "-1000\tline 1");
    assert!(tree.read("a", json!({"offset": i64::MAX})).note.unwrap().contains("past the end"));
    assert!(tree.read("a", json!({"limit": 0})).error.unwrap().contains("at least 1"));
}

#[test]
fn every_line_end_is_a_line_end_and_the_mark_is_no_text() {
    let tree = Tree::new(&[("a", "\u{feff}one\r\ntwo\rthree\n\nfive"), ("empty", ""), ("mark", "\u{feff}"), ("ends", "\n\r\n\r")]);
    let page = tree.read("a", json!({}));
    assert_eq!((content(&page), page.total_lines), ("1\tone\n2\ttwo\n3\tthree\n4\t\n5\tfive", Some(5)));
    let tail = tree.read("a", json!({"offset": -5, "line_numbers": false}));
    assert_eq!((content(&tail), tail.total_lines), ("one\ntwo\nthree\n\nfive", Some(5)));
    assert_eq!(tree.read("empty", json!({})).note.as_deref(), Some("the file is empty"));
    assert_eq!(tree.read("mark", json!({"offset": -3})).content, "");
    assert_eq!(tree.read("ends", json!({})).total_lines, Some(3));
    assert_eq!(tree.read("ends", json!({"offset": -9})).total_lines, Some(3));
}

#[test]
fn a_long_line_is_read_by_characters() {
    let line: String = (0..50_000).map(|index| if index % 2 == 0 { 'é' } else { 'x' }).collect();
    let tree = Tree::new(&[("a", &format!("first\n{line}\nlast\n"))]);
    let first = tree.read("a", json!({"line_numbers": false}));
    assert_eq!((content(&first), first.next_offset, first.next_char_offset), ("first", Some(2), None));
    let (mut read, mut from) = (String::new(), 0);
    loop {
        let page = tree.read("a", json!({"offset": 2, "char_offset": from, "line_numbers": false}));
        read.push_str(content(&page));
        let Some(next) = page.next_char_offset else { break };
        from = next;
    }
    assert_eq!(read, format!("{line}\nlast"));
}

#[test]
fn what_is_not_utf8_text_is_refused_with_a_reason() {
    let tree = Tree::new(&[]);
    tree.write("binary", b"abc\0def");
    tree.write("utf16", b"\xff\xfea\0b\0");
    tree.write("latin1", b"one\ncaf\xe9\n");
    tree.write("late", [vec![b'a'; 20_000], vec![b'\n', 0, b'\n']].concat());
    tree.write("stray", b"\x80abc");
    for (name, reason) in
        [("binary", "binary"), ("utf16", "UTF-16"), ("latin1", "line 2 is not valid UTF-8"), ("stray", "line 1 is not valid")]
    {
        let error = tree.read(name, json!({})).error.unwrap();
        assert!(error.contains(reason), "{name}: {error}");
    }
    assert!(tree.read("late", json!({"offset": 2})).error.unwrap().contains("binary"));
}

#[test]
fn the_ends_of_a_sparse_giant_cost_a_page() {
    let tree = Tree::new(&[("giant", "")]);
    let path = tree.0.path().join("giant");
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    use std::os::unix::fs::FileExt;
    file.write_all_at(&b"0123456789abcde\n".repeat(20_000), 0).unwrap();
    file.write_all_at(b"\nthe end\n", 5 << 30).unwrap();
    let first = tree.read("giant", json!({"limit": 2}));
    assert_eq!((content(&first), first.total_lines), ("1\t0123456789abcde\n2\t0123456789abcde", None));
    let last = tree.read("giant", json!({"offset": -1}));
    assert_eq!(content(&last), "-1\tthe end");
    let far = tree.read("giant", json!({"offset": 1_000_000}));
    assert_eq!(far.truncation_reason, Some(Truncation::ScanCap));
}

#[test]
fn a_file_that_the_system_makes_up_is_read() {
    let tree = Tree::new(&[]);
    assert!(content(&tree.read("/proc/self/status", json!({}))).contains("Name:"));
}

proptest::proptest! {
    /// A page by lines shows what splitting the text shows, from either end.
    #[test]
    fn any_page_is_a_slice_of_the_lines(text in "[ab\u{e9}\r\n]{0,60}", offset in -12i64..12, limit in 1u64..6) {
        let plain = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut lines: Vec<_> = plain.split('\n').collect();
        if lines.last() == Some(&"") { lines.pop(); }
        let start = if offset < 0 { lines.len().saturating_sub(offset.unsigned_abs() as usize) } else { (offset.max(1) - 1) as usize };
        let expected: Vec<_> = lines.iter().skip(start).take(limit as usize).copied().collect();
        let tree = Tree::new(&[("a", &text)]);
        let page = tree.read("a", json!({"offset": offset, "limit": limit, "line_numbers": false}));
        proptest::prop_assert_eq!(page.error, None);
        proptest::prop_assert_eq!(page.content, expected.join("\n"));
        proptest::prop_assert_eq!(page.truncated, start + expected.len() < lines.len());
    }
}

#[test]
fn numbers_of_lines_count_as_characters() {
    let tree = Tree::new(&[("blank", &"\n".repeat(50_000)), ("words", &"four words in line\n".repeat(5_000))]);
    for name in ["blank", "words"] {
        let (mut offset, mut lines) = (1, 0);
        loop {
            let page = tree.read(name, json!({"offset": offset, "limit": 100_000}));
            let length = page.content.chars().count() as u64;
            assert!(length <= page.char_budget, "{name}: {length}");
            lines += page.content.split('\n').count();
            assert!(page.next_offset.is_none() || length + 30 > page.char_budget, "{name}: a page is filled, not {length}");
            let Some(next) = page.next_offset else { break };
            assert_eq!(next, page.line_end.unwrap() + 1);
            offset = next;
        }
        assert_eq!(lines, if name == "blank" { 50_000 } else { 5_000 });
    }
}

#[test]
fn characters_past_the_end_of_a_line_are_an_error() {
    let tree = Tree::new(&[("a", "four\nfive\n")]);
    for offset in [4, 400] {
        let page = tree.read("a", json!({"char_offset": offset}));
        assert!(page.error.as_deref().is_some_and(|error| error.contains("line 1 has no more characters")), "{page:?}");
    }
    assert_eq!(tree.read("a", json!({"char_offset": 3, "line_numbers": false})).content, "r\nfive");
}

#[test]
fn what_is_left_out_is_said() {
    let tree = project();
    let listed = tree.list(json!({}));
    assert_eq!(listed.notes, ["1 ignored entry is not shown; set include_ignored to see it"]);
    assert_eq!(tree.list(json!({"include_ignored": true})).notes, Vec::<String>::new());
    tree.write("src/target/deep", "x");
    tree.write("src/target/deeper", "x");
    assert_eq!(tree.list(json!({"recursive": true})).notes, ["2 ignored entries are not shown; set include_ignored to see them"]);
    assert_eq!(
        tree.list(json!({"recursive": true, "max_depth": 1})).notes,
        ["1 ignored entry is not shown; set include_ignored to see it"]
    );
    assert_eq!(tree.list(json!({"path": "src/deep"})).notes, Vec::<String>::new());

    tree.write("target/only.zig", "x");
    let ignored = "ignored files match; set include_ignored to see them";
    assert!(tree.find(json!({"pattern": "*.zig"})).notes.iter().any(|note| note == ignored));
    assert!(tree.grep(json!({"pattern": "x", "include": "*.zig"})).notes.iter().any(|note| note == ignored));
    assert!(!tree.find(json!({"pattern": "*.none"})).notes.iter().any(|note| note == ignored));
    for path in [".", "image.png"] {
        let notes = tree.grep(json!({"pattern": "run", "path": path})).notes;
        assert!(notes.iter().any(|note| note.starts_with("1 binary file")), "{path}: {notes:?}");
    }

    let globs = vec!["*.rs"; 65].join(" ");
    for error in [
        tree.find(json!({"pattern": globs})).error,
        tree.list(json!({"pattern": globs})).error,
        tree.grep(json!({"pattern": "x", "include": globs})).error,
    ] {
        assert!(error.as_deref().is_some_and(|error| error.contains("65 globs and 64 can be taken")), "{error:?}");
    }
    assert_eq!(tree.find(json!({"pattern": vec!["*.md"; 64].join(" ")})).files, ["README.md"]);
}

#[test]
fn a_pattern_that_cannot_be_searched_for_says_what_can() {
    let tree = project();
    for (pattern, words) in
        [("a\nb", "one of the lines"), (r"a\nb", "one of the lines"), ("(?=a)", "grep -P"), (r"(a)\1", "grep -P"), ("run(", "`literal`")]
    {
        let error = tree.grep(json!({"pattern": pattern})).error.unwrap();
        assert!(error.contains(words), "{pattern:?}: {error}");
    }
}

fn project() -> Tree {
    let tree = Tree::new(&[
        ("src/main.rs", "fn main() {\n    run();\n}\n"),
        ("src/deep/run.rs", "pub fn run() {}\n"),
        ("README.md", "how to run\n"),
        ("target/main.rs", "ignored run\n"),
        (".git/HEAD", "run\n"),
        ("node_modules/p/run.rs", "run\n"),
        (".hidden.rs", "run\n"),
        (".gitignore", "target/\n"),
    ]);
    tree.write("image.png", b"run\0run\n");
    std::os::unix::fs::symlink("/etc", tree.0.path().join("link")).unwrap();
    std::os::unix::fs::symlink("README.md", tree.0.path().join("linked.md")).unwrap();
    tree
}

#[test]
fn files_are_found_by_name_and_by_path() {
    let tree = project();
    assert_eq!(tree.find(json!({"pattern": "*.rs"})).files, [".hidden.rs", "src/deep/run.rs", "src/main.rs"]);
    assert_eq!(
        tree.find(json!({"pattern": "*.rs", "include_ignored": true})).files,
        [".hidden.rs", "src/deep/run.rs", "src/main.rs", "target/main.rs"]
    );
    assert_eq!(tree.find(json!({"pattern": "src/*.rs"})).files, ["src/main.rs"]);
    assert_eq!(tree.find(json!({"pattern": "./src/**/*.rs *.md"})).files, ["README.md", "src/deep/run.rs", "src/main.rs"]);
    assert_eq!(tree.find(json!({"pattern": "*", "path": "node_modules"})).files, ["p/run.rs"]);
    let none = tree.find(json!({"pattern": "*.zig"}));
    assert!(none.notes[0].contains("no file matches `*.zig`; there are 6 files here: 3 *.rs"), "{:?}", none.notes);
    let capped = tree.find(json!({"max_results": 2}));
    assert_eq!((capped.files, capped.truncated), (vec![".gitignore".to_owned(), ".hidden.rs".to_owned()], true));
    assert!(tree.find(json!({"pattern": "[z-a]"})).error.unwrap().contains("no glob"));
    assert!(tree.find(json!({"path": "README.md"})).error.unwrap().contains("no directory"));
    assert_eq!(tree.find(json!({"path": "source"})).nearby[0], ".git");
}

#[test]
fn an_unreadable_directory_is_noted_and_the_rest_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[("open/a", "x"), ("closed/b", "x")]);
    let closed = tree.0.path().join("closed");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable_anyway = std::fs::read_dir(&closed).is_ok();
    let found = tree.find(json!({}));
    assert!(found.files.contains(&"open/a".to_owned()));
    assert_eq!(found.notes.iter().any(|note| note.starts_with("left out")), !readable_anyway);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
}

fn places(found: &search::Grep) -> Vec<(&str, u64, u64)> {
    assert_eq!(found.error, None);
    found.hunks.iter().map(|hunk| (hunk.path.as_str(), hunk.start_line, hunk.end_line)).collect()
}

#[test]
fn matching_lines_come_in_hunks_with_their_context() {
    let tree = project();
    let found = tree.grep(json!({"pattern": "run", "context_lines": 1}));
    assert_eq!(places(&found), [(".hidden.rs", 1, 1), ("README.md", 1, 1), ("src/deep/run.rs", 1, 1), ("src/main.rs", 1, 3)]);
    let lines: Vec<_> = found.hunks[3].lines.iter().map(|line| (line.line_number, line.line.as_str(), line.matches)).collect();
    assert_eq!(lines, [(1, "fn main() {", false), (2, "    run();", true), (3, "}", false)]);
    assert_eq!((found.matches, found.truncated), (4, false));
    assert_eq!(places(&tree.grep(json!({"pattern": "RUN", "case_sensitive": false, "include": "*.md"}))), [("README.md", 1, 1)]);
    assert_eq!(places(&tree.grep(json!({"pattern": "run();", "literal": true}))), [("src/main.rs", 1, 3)]);
    assert_eq!(places(&tree.grep(json!({"pattern": "run", "path": "README.md"}))), [("README.md", 1, 1)]);
    assert_eq!(places(&tree.grep(json!({"pattern": "ignored", "include_ignored": true}))), [("target/main.rs", 1, 1)]);
    assert!(tree.grep(json!({"pattern": "x", "include": "*.zig"})).notes[0].contains("no file matches"));
    assert!(tree.grep(json!({"pattern": "run("})).error.unwrap().contains("literal"));
    assert!(tree.grep(json!({"pattern": "(a{1000}){1000}"})).error.is_some());
    assert_eq!(tree.grep(json!({"pattern": "x", "path": "source"})).nearby[0], ".git");
}

#[test]
fn the_first_matches_are_the_same_at_every_time() {
    let tree = Tree::new(&[]);
    for file in 0..200 {
        tree.write(&format!("{file:03}"), "hit\nmiss\nmiss\nmiss\nhit\n");
    }
    for _ in 0..5 {
        let found = tree.grep(json!({"pattern": "hit", "context_lines": 0, "max_results": 3}));
        assert_eq!(places(&found), [("000", 1, 1), ("000", 5, 5), ("001", 1, 1)]);
        assert_eq!((found.matches, found.truncated), (3, true));
    }
    assert!(!tree.grep(json!({"pattern": "hit", "max_results": 400})).truncated);
}

#[test]
fn long_lines_and_carriage_returns_are_shown_readably() {
    let tree = Tree::new(&[("min.js", &format!("{}needle{}", "a".repeat(100_000), "b".repeat(100_000))), ("dos", "one\r\ntwo\r\n")]);
    let found = tree.grep(json!({"pattern": "needle"}));
    let line = &found.hunks[0].lines[0].line;
    assert!(line.len() < 600 && line.contains("needle") && line.starts_with("[…]") && line.ends_with("[…]"), "{line}");
    assert_eq!(tree.grep(json!({"pattern": "one$"})).hunks[0].lines[0].line, "one");
}

#[test]
fn a_search_that_must_stop_says_so() {
    let tree = project();
    let arguments = serde_json::from_value(json!({"pattern": "run"})).unwrap();
    let found = search::grep(&Base::new(Path::new(tree.0.path()).to_owned()), &arguments, &Stop::after(Duration::ZERO));
    assert!(found.truncated && found.notes.iter().any(|note| note.contains("given up")), "{found:?}");
}
