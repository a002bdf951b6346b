//! The question on the controlling terminal, in front of a real gate and server: `callgate call` at a terminal.
use crate::support::HANG;
use crate::support::terminal::{Parent, Terminal};

const BIN: &str = env!("CARGO_BIN_EXE_callgate");

/// A project, and a directory beside it with a file in it.
fn places() -> (tempfile::TempDir, String, String) {
    let scratch = tempfile::tempdir().expect("a directory");
    let (project, outside) = (scratch.path().join("project"), scratch.path().join("outside"));
    std::fs::create_dir(&project).expect("made");
    std::fs::create_dir(&outside).expect("made");
    std::fs::write(outside.join("note.txt"), "the text of the note\n").expect("written");
    let (root, file) = (project.to_str().expect("text").to_owned(), outside.join("note.txt").to_str().expect("text").to_owned());
    (scratch, root, file)
}

fn call(scratch: &tempfile::TempDir, root: &str, file: &str) -> Terminal {
    Terminal::running(BIN, &["call", "--root", root, "read_file", &format!("path={file}")], scratch.path(), Parent::Test)
}

#[test]
fn a_typed_word_lets_the_call_pass() {
    let (scratch, root, file) = places();
    let mut person = call(&scratch, &root, &file);
    let screen = person.wait_for("\n> ");
    for part in ["outside the permitted directories", "read_file", "note.txt", "allow - this call only"] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    person.type_line("y");
    person.wait_for("type one of: deny, allow");
    person.wait_for("> ");
    person.type_line("allow");
    assert!(person.wait_for_end().contains("the text of the note"));
}

#[test]
fn enter_alone_and_the_end_of_input_are_a_no() {
    for keys in ["\n", "\u{4}", "yes\nok\nsure\n"] {
        let (scratch, root, file) = places();
        let mut person = call(&scratch, &root, &file);
        person.wait_for("\n> ");
        person.type_keys(keys);
        let screen = person.wait_for_end();
        assert!(!screen.contains("the text of the note"), "{screen}");
    }
}

#[test]
fn a_terminal_that_is_closed_is_a_no() {
    let (scratch, root, file) = places();
    let mut person = call(&scratch, &root, &file);
    person.wait_for("\n> ");
    person.hang_up();
    let log = scratch.path().join("callgate/audit.jsonl");
    let until = std::time::Instant::now() + HANG;
    let verdict = loop {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        if let Some(line) = text.lines().last() {
            break serde_json::from_str::<serde_json::Value>(line).expect("a line of the log");
        }
        assert!(std::time::Instant::now() < until, "nothing is on record");
        std::thread::yield_now();
    };
    assert_eq!(verdict["verdict"], "deny", "{verdict}");
}

#[test]
fn what_is_typed_before_the_question_is_not_an_answer() {
    let (scratch, root, file) = places();
    let mut person = call(&scratch, &root, &file);
    person.type_keys("allow\nallow\n");
    person.wait_for("\n> ");
    person.type_line("deny not today");
    let screen = person.wait_for_end();
    assert!(!screen.contains("the text of the note"), "{screen}");
    assert!(screen.contains("not today"), "{screen}");
}

#[test]
fn a_tool_that_destroys_is_allowed_by_typing_its_name() {
    let (scratch, root, file) = places();
    let arguments = ["call", "--root", &root, "write_file", &format!("path={file}"), "content=over"];
    let mut person = Terminal::running(BIN, &arguments, scratch.path(), Parent::Test);
    let screen = person.wait_for("\n> ");
    assert!(screen.contains("tool `write_file` (known to destroy)"), "{screen}");
    person.type_line("allow");
    person.wait_for("type one of: deny, write_file, session write_file");
    person.wait_for("> ");
    person.type_line("write_file");
    person.wait_for("allowed; `callgate log` shows it");
    person.wait_for_end();
}
