//! `callgate approve` as a process of its own at a terminal, and a gate's socket in front of it.
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::support::HANG;
use crate::support::terminal::{Parent, Terminal};
use callgate::analyse::Confidence;
use callgate::approve::socket::{Change, Heard, Listener, PermittedPlaces};
use callgate::gate::{Channel, Choice, Ending, Finding, Key, Kind, Question, Scopes};
use callgate::policy::{Direction, Effect};

/// How long a question stands: longer than any test.
const LONG: Duration = Duration::from_secs(3_600);
const BIN: &str = env!("CARGO_BIN_EXE_callgate");

/// A gate in this process, with a runtime directory and a project of its own.
struct Gate {
    scratch: tempfile::TempDir,
    listener: Listener,
    heard: Receiver<Heard>,
    // The thread that drives the listener ends when this is dropped.
    _running: tokio::sync::oneshot::Sender<()>,
}

impl Gate {
    fn start() -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path().join("project");
        std::fs::create_dir(&root).expect("made");
        let directory = scratch.path().join("callgate");
        let root = root.canonicalize().expect("there");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (listener, mut heard) = Listener::start_in(&directory, runtime.handle(), root).expect("listening");
        let (running, ended) = tokio::sync::oneshot::channel::<()>();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            runtime.spawn(async move {
                while let Some(next) = heard.recv().await {
                    sender.send(next).expect("the test listens");
                }
            });
            let _ = runtime.block_on(ended);
        });
        Self { scratch, listener, heard: receiver, _running: running }
    }

    fn approver(&self, arguments: &[&str]) -> Terminal {
        Terminal::running(BIN, &[&["approve"], arguments].concat(), self.scratch.path(), Parent::Nobody)
    }

    fn next(&mut self) -> Heard {
        self.heard.recv_timeout(HANG).expect("in time")
    }

    fn answer(&mut self) -> (String, callgate::gate::Answer, bool) {
        match self.next() {
            Heard::Answer { id, answer, late } => (id, answer, late),
            other => panic!("{other:?}"),
        }
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.scratch.path().join("callgate")).expect("there");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}

fn outside(directory: &str, path: &str, raw: &str) -> Finding {
    Finding {
        kind: Kind::Outside,
        action: Effect::Ask,
        key: Key::Directory(directory.into()),
        path: Some(path.into()),
        covered: vec![path.into()],
        direction: Direction::Write,
        argument: "/path".to_owned(),
        raw: raw.to_owned(),
        confidence: Confidence::Declared,
        because: "argument named `path`".to_owned(),
    }
}

fn question(id: &str, findings: &[Finding], arguments: &str) -> Question {
    let mut question = Question::from_findings(id, "files", "write_file", "d", arguments, findings, &Scopes::ALL);
    question.client = Some("opencode".to_owned());
    question.directory = "/home/ann/project".to_owned();
    question
}

fn simple(id: &str) -> Question {
    question(id, &[outside("/etc", "/etc/hosts", "../../etc/hosts")], r#"{"path":"../../etc/hosts"}"#)
}

#[test]
fn a_typed_word_and_code_answer_the_question() {
    let mut gate = Gate::start();
    assert!(gate.listener.publish(simple("q-1"), LONG));
    assert!(!gate.listener.attached());
    let mut person = gate.approver(&[]);
    let screen = person.wait_for("type one of these");
    for part in [
        "1 gate, 1 open question",
        "write /etc/hosts: outside the permitted directories",
        "`../../etc/hosts`",
        "server `files`",
        "`write_file`",
        "`opencode`",
    ] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    let code = person.code();
    person.type_line("allow");
    person.wait_for("type one of: deny, allow ");
    person.type_line(&format!("session {code}"));
    let (id, answer, late) = gate.answer();
    assert_eq!((id.as_str(), late, answer.asserted_by_client), ("q-1", false, false));
    assert!(matches!(&answer.channel, Channel::Socket { peer } if peer.contains("pts/")), "{:?}", answer.channel);
    assert_eq!(simple("q-1").settle(&answer).allowed, [(Key::Directory("/etc".into()), Choice::Session)]);
    person.wait_for("allowed by process");
    person.wait_for("waiting for a question");
    person.wait_for("> ");
    assert!(gate.listener.attached());
    person.type_line("quit");
    person.wait_for_end();
}

#[test]
fn a_tool_that_destroys_is_allowed_by_typing_its_name() {
    let mut gate = Gate::start();
    let mut destructive = simple("q-1");
    destructive.calls[0].destructive = true;
    gate.listener.publish(destructive, LONG);
    let mut person = gate.approver(&["--plain"]);
    let screen = person.wait_for("the tool may destroy, so its name is typed");
    assert!(screen.contains("tool `write_file` (known to destroy)"), "{screen}");
    let (_, typed) = screen.rsplit_once("  write_file ").expect("what to type");
    let code = typed.split_whitespace().next().expect("a code").to_owned();
    person.wait_for("> ");
    for line in [format!("allow {code}"), format!("session {code}"), "write_file".to_owned()] {
        person.type_line(&line);
        person.wait_for("type one of: deny, write_file ");
        person.wait_for("> ");
    }
    person.type_line(&format!("write_file {code}"));
    assert!(simple("q-1").settle(&gate.answer().1).is_cleared());
}

#[test]
fn a_denial_brings_its_reason() {
    let mut gate = Gate::start();
    gate.listener.publish(simple("q-1"), LONG);
    let mut person = gate.approver(&["--plain"]);
    person.code();
    person.type_line("deny use the project's own hosts file");
    let (_, answer, _) = gate.answer();
    assert_eq!(answer.reason.as_deref(), Some("use the project's own hosts file"));
    assert_eq!(answer.ending, Ending::Decided);
    assert!(simple("q-1").settle(&answer).allowed.is_empty());
    let rest = person.wait_for("refused by process");
    assert!(!rest.contains('\u{1b}'), "plain lines move no cursor: {rest:?}");
}

#[test]
fn each_key_of_a_question_is_asked_and_a_no_ends_it() {
    let mut gate = Gate::start();
    let both = question("q-1", &[outside("/etc", "/etc/a", "a"), outside("/srv", "/srv/b", "b")], "{}");
    gate.listener.publish(both.clone(), LONG);
    let mut person = gate.approver(&[]);
    person.wait_for("1 of 2");
    let code = person.code();
    person.type_line(&format!("allow {code}"));
    person.wait_for("2 of 2");
    person.code();
    person.type_line("");
    let (_, answer, _) = gate.answer();
    let settlement = both.settle(&answer);
    assert_eq!(settlement.allowed, [(Key::Directory("/etc".into()), Choice::Once)]);
    assert_eq!(settlement.denied, [Key::Directory("/srv".into())]);
}

#[test]
fn a_no_for_one_call_of_several_leaves_the_others_to_be_asked() {
    let mut gate = Gate::start();
    let mut plan = question("q-1", &[outside("/etc", "/etc/a", "a"), outside("/opt", "/opt/b", "b")], r#"{"path":"a"}"#);
    plan.join(question("q-1", &[outside("/srv", "/srv/c", "c")], r#"{"path":"c"}"#));
    plan.join(question("q-1", &[outside("/etc", "/etc/d", "d")], r#"{"path":"d"}"#));
    gate.listener.publish(plan.clone(), LONG);
    let mut person = gate.approver(&["--plain"]);
    let screen = person.wait_for("1 of 3");
    for part in [
        "3 calls of files",
        "calls 1, 3 (tool `write_file`): write /etc/a",
        "server `files` wants to run 3 calls",
        "call 2: tool `write_file`, the agent's arguments: {\"path\":\"c\"}",
    ] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    person.code();
    person.type_line("deny not there");
    person.wait_for("3 of 3");
    let code = person.code();
    person.type_line(&format!("allow {code}"));
    let (_, answer, _) = gate.answer();
    let cleared: Vec<bool> = (0..3).map(|place| plan.settle_call(place, &answer).is_cleared()).collect();
    assert_eq!((cleared, answer.reason.as_deref()), (vec![false, true, false], Some("not there")));
    person.wait_for("allowed in part by process");
}

#[test]
fn questions_come_go_and_are_put_off_while_a_person_looks_on() {
    let mut gate = Gate::start();
    let mut person = gate.approver(&[]);
    person.wait_for("1 gate, 0 open questions");
    gate.listener.publish(simple("q-1"), LONG);
    person.code();
    gate.listener.publish(simple("q-2"), LONG);
    person.wait_for("one more question: write_file of files (q-2)");
    person.wait_for("> ");
    person.type_line("later");
    person.wait_for("question q-2");
    gate.listener.withdraw("q-2", "the client cancelled the call");
    person.wait_for("(q-2): the client cancelled the call");
    person.wait_for("> ");
    gate.listener.expire("q-1");
    person.wait_for("the time for write_file of files (q-1) is up");
    person.wait_for("> ");
    person.type_line("next 1");
    person.wait_for("late: a yes is for the next try");
    let code = person.code();
    person.type_line(&format!("allow {code}"));
    let (id, answer, late) = gate.answer();
    assert_eq!((id.as_str(), late), ("q-1", true));
    assert!(simple("q-1").settle(&answer).is_cleared());
}

#[test]
fn the_first_of_two_approvers_answers() {
    let mut gate = Gate::start();
    gate.listener.publish(simple("q-1"), LONG);
    let (mut first, mut second) = (gate.approver(&[]), gate.approver(&[]));
    let code = first.code();
    second.code();
    first.type_line(&format!("allow {code}"));
    gate.answer();
    second.wait_for("(q-1): allowed by process");
    second.wait_for("0 open questions");
    second.wait_for("> ");
    second.type_line(&format!("allow {code}"));
    second.wait_for("nothing is asked");
    assert!(gate.heard.try_recv().is_err(), "an answer counts once");
}

#[test]
fn an_approver_that_dies_leaves_the_question_open_for_the_next() {
    let mut gate = Gate::start();
    gate.listener.publish(simple("q-1"), LONG);
    let mut dying = gate.approver(&[]);
    dying.code();
    dying.hang_up();
    while gate.listener.attached() {
        std::thread::yield_now();
    }
    let mut next = gate.approver(&[]);
    let code = next.code();
    next.type_line(&format!("allow {code}"));
    assert!(simple("q-1").settle(&gate.answer().1).is_cleared());
}

#[test]
fn a_process_of_the_gated_client_is_turned_away() {
    let gate = Gate::start();
    gate.listener.publish(simple("q-1"), LONG);
    // This test's parent is the gate's client, so what this test starts is started by the client.
    let mut agent = Terminal::running(BIN, &["approve"], gate.scratch.path(), Parent::Test);
    let screen = agent.wait_for("was started by the client that");
    assert!(!screen.contains("/etc/hosts"));
    assert!(!gate.listener.attached());
}

#[test]
fn without_a_terminal_there_is_no_approver() {
    let gate = Gate::start();
    let output = std::process::Command::new("setsid")
        .args(["--wait", BIN, "approve"])
        .env("XDG_RUNTIME_DIR", gate.scratch.path())
        .stdin(std::process::Stdio::piped())
        .output()
        .expect("ran");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("at a terminal"), "{output:?}");
}

#[test]
fn hostile_text_is_shown_as_escapes_and_whole_on_request() {
    let mut gate = Gate::start();
    let hostile = format!("{{\"path\":\"\u{1b}]0;x\u{7}\u{202e}{}end-of-it\"}}", "x\u{200b}".repeat(5_000));
    gate.listener.publish(question("q-1", &[outside("/etc", "/etc/\u{1b}[2Jhosts", "\u{202e}")], &hostile), LONG);
    let mut person = gate.approver(&["--plain"]);
    let screen = person.wait_for("type one of these");
    assert!(screen.contains("/etc/\\u{1b}[2Jhosts") && screen.contains("characters not shown"), "{screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}') && !screen.contains('\u{200b}'), "{screen:?}");
    person.code();
    person.type_line("view");
    person.wait_for("(1 of ");
    let mut pages = 1;
    while !person.wait_for("; ").contains("nothing") && pages < 40 {
        person.type_line("");
        pages += 1;
        if person.wait_for(")").contains("the end") {
            break;
        }
    }
    assert!(pages > 5, "{pages} pages");
    person.type_line("");
    let code = person.code();
    person.type_line(&format!("always {code}"));
    person.wait_for("type one of: deny, allow");
    person.type_line("");
    assert!(simple("q-1").settle(&gate.answer().1).allowed.is_empty());
}

#[test]
fn a_thousand_questions_queue_and_the_gate_never_waits() {
    let mut gate = Gate::start();
    let mut person = gate.approver(&["--plain"]);
    person.wait_for("1 gate, 0 open questions");
    // The person's process is there and reads slowly; the gate publishes all the same.
    let taken = (0..1_100).filter(|number| gate.listener.publish(simple(&format!("q-{number}")), LONG)).count();
    assert_eq!(taken, 1_024, "the rest is not taken, so its calls are refused");
    person.wait_for("one more question: write_file of files (q-7)");
    // Questions beyond those listed come in silence, so the person asks for the last one until it is there.
    let shown = loop {
        person.wait_for("> ");
        person.type_line("next 1024");
        let shown = person.wait_for_first(&["* 1024. write_file of files (q-1023)", "no such number"]);
        if !shown.ends_with("no such number") {
            break shown;
        }
    };
    assert!(shown.contains("1024 open questions"), "{shown}");
    person.wait_for("and 1015 more");
    person.code();
    person.type_line("next 1");
    person.wait_for("* 1. write_file of files (q-0)");
    let code = person.code();
    person.type_line(&format!("allow {code}"));
    assert_eq!(gate.answer().0, "q-0");
}

#[test]
fn sockets_are_the_users_alone_and_do_not_stay() {
    let gate = Gate::start();
    let directory = gate.scratch.path().join("callgate");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    let sockets = gate.sockets();
    assert_eq!(sockets.len(), 1);
    assert_eq!(mode(&sockets[0]), 0o600);
    let stale = directory.join("gate-1999999999.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).expect("bound"));
    let mut person = gate.approver(&[]);
    person.wait_for("1 gate, 0 open questions");
    assert!(!stale.exists());
    drop(gate.listener);
    person.wait_for("0 gates");
    assert!(!sockets[0].exists());
}

#[test]
fn a_directory_open_to_others_or_a_link_is_not_used() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let open = scratch.path().join("open");
    std::fs::create_dir(&open).expect("made");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o750)).expect("mode");
    let link = scratch.path().join("link");
    std::os::unix::fs::symlink(scratch.path().join("real"), &link).expect("linked");
    std::fs::create_dir(scratch.path().join("real")).expect("made");
    for directory in [open, link] {
        assert!(Listener::start_in(&directory, runtime.handle(), "/".into()).is_err(), "{directory:?}");
    }
}

#[test]
fn noise_and_silence_on_the_socket_hold_up_nothing() {
    use std::io::Write;
    let mut gate = Gate::start();
    let path = gate.sockets().remove(0);
    let _silent = UnixStream::connect(&path).expect("connected");
    let mut noisy = UnixStream::connect(&path).expect("connected");
    // It is turned away already, so it may not be able to write all of this.
    let _ = noisy.write_all(&vec![b'x'; 1 << 20]);
    gate.listener.publish(simple("q-1"), LONG);
    assert!(!gate.listener.attached());
    let mut person = gate.approver(&[]);
    let code = person.code();
    person.type_line(&format!("allow {code}"));
    assert_eq!(gate.answer().0, "q-1");
}

#[test]
fn places_of_a_running_gate_are_listed_added_and_removed() {
    let mut gate = Gate::start();
    let shared = gate.scratch.path().join("shared");
    std::fs::create_dir(&shared).expect("made");
    let link = gate.scratch.path().join("link");
    std::os::unix::fs::symlink(&shared, &link).expect("linked");
    let mut person = Terminal::running(BIN, &["paths", "add", link.to_str().expect("text")], gate.scratch.path(), Parent::Nobody);
    person.wait_for("type `add ");
    let code = person.wait_for("`").trim_end_matches('`').to_owned();
    person.wait_for("> ");
    person.type_line(&format!("add {code}"));
    let Heard::Places { change, reply } = gate.next() else { panic!("no change") };
    let Change::Add(place) = change else { panic!("{change:?}") };
    assert_eq!(place.path(), shared.canonicalize().expect("there"));
    let places = PermittedPlaces { directories: vec!["/p".into(), place.path().to_owned()], files: vec![], said: "added".to_owned() };
    reply.send(places).expect("somebody waits");
    let screen = person.wait_for_end();
    assert!(screen.contains("added") && screen.contains("shared"), "{screen}");
}

#[test]
fn what_is_not_permitted_by_a_person_is_not_taken_back() {
    let mut gate = Gate::start();
    let places = |directories: &[&str]| PermittedPlaces {
        directories: directories.iter().map(Into::into).collect(),
        files: vec![],
        said: "took it back".to_owned(),
    };
    for (before, after, words) in [
        (vec!["/p"], vec![], "is not permitted there"),
        (vec!["/p", "/no/such"], vec!["/p", "/no/such"], "stays so"),
        (vec!["/p", "/no/such"], vec!["/p"], "took it back"),
    ] {
        let mut person = Terminal::running(BIN, &["paths", "remove", "/no/such"], gate.scratch.path(), Parent::Nobody);
        for (change, answer) in [(Change::Look, &before), (Change::Remove("/no/such".into()), &after)] {
            if answer.is_empty() {
                continue;
            }
            let Heard::Places { change: heard, reply } = gate.next() else { panic!("no change") };
            assert_eq!(heard, change);
            reply.send(places(answer)).expect("somebody waits");
        }
        let screen = person.wait_for_end();
        assert!(screen.contains(words), "{screen}");
    }
}

#[test]
fn a_place_in_the_root_or_of_no_kind_is_not_added() {
    let gate = Gate::start();
    let inside = gate.scratch.path().join("project/src");
    std::fs::create_dir(&inside).expect("made");
    for (path, why) in [
        (inside.to_str().expect("text"), "lies in the root"),
        ("/dev/null", "neither a directory"),
        ("/", "whole system"),
        ("/no/such", "cannot be permitted"),
    ] {
        let mut person = Terminal::running(BIN, &["paths", "add", path], gate.scratch.path(), Parent::Nobody);
        let screen = person.wait_for_end();
        assert!(screen.contains(why), "`{path}`: {screen}");
    }
}
