//! `edit_file` on real files: what is found, what is refused, what stays as it was.
use crate::support::HANG;
use callgate_workspace::files::edit::{Arguments, EditFile, edit_file};
use callgate_workspace::place::Base;
use callgate_workspace::work::Stop;

struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("file"), content).unwrap();
        Self { directory }
    }

    fn edit(&self, old: &str, new: &str, all: bool) -> EditFile {
        let base = Base::new(self.directory.path().to_owned());
        let arguments = Arguments { path: "file".into(), old_string: old.into(), new_string: new.into(), replace_all: all };
        edit_file(&base, &arguments, &Stop::after(HANG))
    }

    fn content(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("file")).unwrap()
    }
}

/// What one row of the table expects: the reading and the new content.
fn found(content: &str, old: &str, new: &str, matcher: &str, after: &str) {
    let scratch = Scratch::new(content);
    let result = scratch.edit(old, new, false);
    assert_eq!(result.error, None, "{old:?}");
    assert_eq!((result.matcher.as_deref(), scratch.content().as_str()), (Some(matcher), after), "{old:?}");
    assert_eq!(result.note.is_some(), matcher != "exact");
}

#[test]
fn each_line_keeps_the_indentation_of_its_own() {
    found("def f():\n    x = 9\n", "def f():\n  x = 9", "def f():\n  x = 0", "line-trimmed", "def f():\n    x = 0\n");
    found(
        "if a:\n\tif b:\n\t\tc\n",
        "    if b:\n        c",
        "    if b:\n        if d:\n            c",
        "line-trimmed",
        "if a:\n\tif b:\n\t\tif d:\n\t\t\tc\n",
    );
}

#[test]
fn in_a_very_long_file_only_exact_quotes_are_looked_for_and_that_is_said() {
    let scratch = Scratch::new("    x\n".to_owned() + &"line\n".repeat(25_000));
    let result = scratch.edit("\tx\nline", "y", false);
    assert!(result.error.as_deref().is_some_and(|error| error.contains("25002 lines nothing but an exact quote")), "{result:?}");
    assert_eq!(scratch.edit("    x\nline", "y", false).error, None);
}

const FUNCTION: &str = "fn main() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n    print(a, b, c);\n}\n";

#[test]
fn each_reading_finds_what_the_stricter_ones_miss() {
    found("a = 1\nb = 2\n", "b = 2", "b = 3", "exact", "a = 1\nb = 3\n");
    found("a\n\n", "a\n", "", "exact", "\n");
    // The whole block was quoted without its indentation: what replaces it is moved as well.
    found(
        FUNCTION,
        "let a = 1;\nlet b = 2;\n",
        "let a = 7;\nif b {\n    c\n}\n",
        "line-trimmed",
        "fn main() {\n    let a = 7;\n    if b {\n        c\n    }\n    let c = 3;\n    print(a, b, c);\n}\n",
    );
    found(
        FUNCTION,
        "fn main() {\n    let a = 11;\n    let bb = 2;\n    let c = 3;\n    print(a, b, c);\n}",
        "fn main() {}",
        "block-anchor",
        "fn main() {}\n",
    );
    found("call(one,   two,\n     three)\n", "call(one, two, three)", "call()", "whitespace-normalised", "call()\n");
    // Two lines are equal when trimmed, but only one stands at the quoted depth relative to its neighbour.
    found(
        "if a:\n  x\n  if b:\n    y\nif a:\n  x\nif b:\n  y\n",
        "    x\n    if b:\n      y",
        "    z",
        "indentation-flexible",
        "if a:\n  z\nif a:\n  x\nif b:\n  y\n",
    );
    found("begin\none\ntwo\nqqqqqqqq\nzzzzzzzz\nend\n", "begin\none\ntwo\n11111111\n22222222\nend", "x", "context-aware", "x\n");
}

fn refused(content: &str, old: &str, new: &str, because: &str) {
    let scratch = Scratch::new(content);
    let error = scratch.edit(old, new, false).error.unwrap_or_else(|| panic!("{old:?} was accepted"));
    assert!(error.contains(because), "{old:?}: {error}");
    assert_eq!(scratch.content(), content, "{old:?}");
}

#[test]
fn what_is_ambiguous_missing_or_too_loose_changes_nothing() {
    refused("x\ny\nx\n", "x", "z", "2 places (lines 1, 3)");
    refused("  x\n  y\n\n    x\n    y\n", "x\ny", "z", "2 places (lines 1, 4)");
    refused("a\nb\n", "c", "d", "not even its first line is there");
    refused("a\nb\n", "a\nc", "d", "stands at line 1");
    refused("a", "", "d", "empty");
    refused("a", "a", "a", "nothing would change");
    refused("a\n \t\n", "\t\t\t", "b", "not found");
    let far = format!("start{}end\n", " ".repeat(3000));
    refused(&far, "start  end", "x", "far larger");
    // Two blocks are equally like the quoted one.
    refused("b\nxx1\nee\nb\nxx2\nee\n", "b\nxx3\nee", "z", "not found");
}

#[test]
fn all_places_are_replaced_on_request() {
    let scratch = Scratch::new("aaa b aa\n");
    let result = scratch.edit("aa", "c", true);
    assert_eq!((result.replacements, scratch.content().as_str()), (2, "ca b c\n"));
}

#[test]
fn mark_line_ends_and_mode_stay_as_they_were() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("\u{feff}one\r\ntwo\r\nlone\rcarriage\r\nthree\n");
    let path = scratch.directory.path().join("file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o711)).unwrap();
    let result = scratch.edit("two\nlone", "2\n2½\nlone", false);
    assert_eq!(result.error, None);
    assert_eq!(scratch.content(), "\u{feff}one\r\n2\r\n2½\r\nlone\rcarriage\r\nthree\n");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o711);
    assert_eq!((result.additions, result.deletions), (2, 1));
    assert!(result.diff.contains("+2½"), "{}", result.diff);
    // Nothing is left beside the file.
    assert_eq!(std::fs::read_dir(scratch.directory.path()).unwrap().count(), 1);
}

#[test]
fn binary_foreign_and_missing_files_are_refused() {
    assert!(Scratch::new(b"\xff\xfe\x00a").edit("a", "b", false).error.unwrap().contains("UTF-8"));
    assert!(Scratch::new(b"a\0").edit("a", "b", false).error.unwrap().contains("binary"));
    let scratch = Scratch::new("");
    std::fs::rename(scratch.directory.path().join("file"), scratch.directory.path().join("other")).unwrap();
    let result = scratch.edit("a", "b", false);
    assert_eq!((result.error.as_deref(), result.nearby), (Some("`file` does not exist"), vec!["other".to_owned()]));
}

#[test]
fn a_large_file_with_repeated_anchors_is_answered_quickly_and_correctly() {
    let block = "begin\nbody\nother\nend\n".repeat(4_000);
    refused(&block, "begin\nbxdy\nother\nend", "z", "not found");
    let long = format!("{}\n", "x ".repeat(400_000));
    refused(&long, "x y", "z", "not found");
}

proptest::proptest! {
    /// An exact quotation that stands once is replaced and every other byte stays, whatever the line ends.
    #[test]
    fn the_rest_of_a_file_keeps_every_byte(before in "[ab\r\n\u{e9}]{0,40}", after in "[ab\r\n\u{e9}]{0,40}") {
        let scratch = Scratch::new(format!("{before}<quoted>{after}"));
        let result = scratch.edit("<quoted>", "<new>", false);
        proptest::prop_assert_eq!(result.error, None);
        proptest::prop_assert_eq!(scratch.content(), format!("{before}<new>{after}"));
    }
}
