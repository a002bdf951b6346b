//! The built-in server as a client sees it: definitions, results, errors, cancellation.
use std::path::Path;

use crate::support::project::Scratch;
use crate::support::workspace::{self, Session, error, payload};
use callgate_workspace::left_out;
use serde_json::{Value, json};

#[tokio::test]
async fn every_tool_declares_hints_paths_tags_and_schemas() {
    let session = Session::start().await;
    let tools = session.client.list_all_tools().await.unwrap();
    for tool in &tools {
        let hints = tool.annotations.as_ref().unwrap();
        let name = tool.name.as_ref();
        let reads = !["write_file", "edit_file", "download_file", "run_command"].contains(&name);
        assert_eq!(hints.read_only_hint, Some(reads), "{name}");
        assert_eq!(hints.destructive_hint, Some(!reads), "{name}");
        assert_eq!(hints.open_world_hint, Some(["run_command", "web_fetch", "download_file"].contains(&name)), "{name}");
        let meta = tool.meta.as_ref().unwrap();
        let properties = tool.input_schema.get("properties").and_then(Value::as_object).unwrap();
        for declared in meta.0["checkpaths"].as_array().unwrap() {
            assert!(properties.contains_key(declared.as_str().unwrap()), "{name} declares {declared}");
        }
        assert!(meta.0["tags"].as_array().unwrap().contains(&json!("bundled")), "{name}");
        assert_eq!(tool.input_schema.get("additionalProperties"), Some(&json!(false)), "{name}");
        assert_eq!(tool.output_schema.as_ref().unwrap().get("type"), Some(&json!("object")), "{name}");
        assert!(properties.values().all(|property| property.get("description").is_some()), "{name}");
        let schemas = json!([tool.input_schema, tool.output_schema]).to_string();
        assert!(!["int64", "int32", "double"].iter().any(|width| schemas.contains(width)), "{name}: {schemas}");
        assert!(tool.description.as_ref().is_some_and(|text| text.len() > 20), "{name}");
    }
}

#[tokio::test]
async fn results_are_text_and_structure_alike() {
    let session = Session::start().await;
    session.file("a.txt", "one\ntwo\n");
    let result = session.call("read_file", json!({"path": "a.txt"})).await;
    let text: Value = serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap();
    assert_eq!(Some(&text), result.structured_content.as_ref());
    assert_eq!(result.is_error, Some(false));
    assert_eq!(payload(&result)["content"], "1\tone\n2\ttwo");
    assert_eq!(payload(&result)["total_lines"], 2);
}

#[tokio::test]
async fn null_is_absent_and_wrong_arguments_are_explained_without_type_names() {
    let session = Session::start().await;
    session.file("a.txt", "one\n");
    let result = session.call("read_file", json!({"path": "a.txt", "offset": null, "limit": null, "line_numbers": null})).await;
    assert_eq!(payload(&result)["content"], "1\tone");
    for wrong in [
        json!({"path": null}),
        json!({"path": 7}),
        json!({"path": ["a.txt"]}),
        json!({"path": "a.txt", "limit": -3}),
        json!({"path": "a.txt", "offset": "first"}),
        json!({"path": "a.txt", "offset": 1e300}),
        json!({"path": "a.txt", "unknown": true}),
    ] {
        let message = error(&session.call("read_file", wrong.clone()).await);
        assert!(message.starts_with("the arguments of `read_file` do not fit"), "{wrong}: {message}");
        assert!(!["u64", "i64", "usize", "struct", "Arguments"].iter().any(|word| message.contains(word)), "{wrong}: {message}");
    }
}

#[tokio::test]
async fn whole_numbers_may_be_written_with_a_fraction_of_zero() {
    let session = Session::start().await;
    session.file("n", "one\ntwo\nthree\n");
    let page = session.call("read_file", json!({"path": "n", "offset": 2.0, "limit": 1e0, "char_offset": 0.0})).await;
    assert_eq!(payload(&page)["content"], "2\ttwo");
    assert_eq!(payload(&session.call("read_file", json!({"path": "n", "offset": -1.0})).await)["content"], "-1\tthree");
    assert_eq!(payload(&session.call("list_files", json!({"max_results": 1.0})).await)["entries"].as_array().unwrap().len(), 1);
    for (arguments, words) in [
        (json!({"path": "n", "limit": 2.5}), "a whole number of at least 0"),
        (json!({"path": "n", "limit": -1}), "a whole number of at least 0"),
        (json!({"path": "n", "limit": -1.0}), "a whole number of at least 0"),
        (json!({"path": "n", "offset": 0.5}), "a whole number"),
        (json!({"path": "n", "limit": 1e300}), "a whole number of at least 0"),
        (json!({"path": 2.0}), "a string"),
    ] {
        let message = error(&session.call("read_file", arguments.clone()).await);
        assert!(message.contains(words), "{arguments}: {message}");
    }
}

#[tokio::test]
async fn hostile_paths_are_refused_with_a_reason() {
    let session = Session::start().await;
    std::fs::create_dir(session.root().join("directory")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, session.root().join("pipe"), 0o600.into()).unwrap();
    let long = "x/".repeat(5000);
    for tool in ["read_file", "list_files", "write_file"] {
        for path in ["", "a\0b", "pipe", "/dev/null", "pipe/below", long.as_str()] {
            let mut arguments = json!({"path": path});
            if tool == "write_file" {
                arguments["content"] = json!("text");
            }
            let message = error(&session.call(tool, arguments).await);
            assert!(!message.contains("os error") && message.contains(' '), "{tool} {path:?}: {message}");
        }
    }
    assert!(error(&session.call("read_file", json!({"path": "directory"})).await).contains("list_files"));
    assert!(error(&session.call("write_file", json!({"path": "directory", "content": ""})).await).contains("directory"));
}

#[tokio::test]
async fn the_root_guard_refuses_every_tool_and_names_its_variable() {
    let session = Session::with(|settings| settings.refusal = Some("set `CALLGATE_ALLOW_ROOT_TOOLS=1`".into())).await;
    for tool in session.client.list_all_tools().await.unwrap() {
        let result = session.call(&tool.name, json!({})).await;
        assert!(error(&result).contains("CALLGATE_ALLOW_ROOT_TOOLS"));
    }
}

#[tokio::test]
async fn tags_select_tools() {
    let session = Session::with(|settings| settings.include = vec![callgate_workspace::Tag::Shell]).await;
    let names: Vec<_> = session.client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["run_command"]);
    assert!(session.try_call("read_file", json!({"path": "a"})).await.is_err());
}

#[tokio::test]
async fn a_tool_that_is_left_out_is_not_listed_and_says_which_feature_brings_it() {
    let session = Session::start().await;
    let listed: Vec<_> = session.client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    for (tool, feature) in [("web_fetch", "web"), ("download_file", "web"), ("sqlite_query", "sqlite"), ("sqlite_schema", "sqlite")] {
        assert_eq!(listed.iter().any(|name| name == tool), left_out::has(feature), "{tool}");
        let message = error(&session.call(tool, json!({})).await);
        assert_eq!(message.contains(&format!("`cargo install --path . --features {feature}`")), !left_out::has(feature), "{message}");
    }
    let session = Session::with(|settings| settings.include = vec![callgate_workspace::Tag::Shell]).await;
    assert!(session.try_call("sqlite_query", json!({})).await.is_err(), "what the tags leave out is unknown in every build");
}

#[tokio::test]
async fn a_document_whose_format_is_left_out_says_which_feature_brings_it() {
    let session = Session::start().await;
    for (name, features) in [
        ("a.html", ["web", "documents"]),
        ("a.pdf", ["documents"; 2]),
        ("a.docx", ["documents"; 2]),
        ("a.ods", ["documents"; 2]),
        ("a.epub", ["documents"; 2]),
    ] {
        session.file(name, "not really");
        let result = session.call("read_file", json!({"path": name})).await;
        let here = features.iter().any(|feature| left_out::has(feature));
        let said = payload(&result)["error"].as_str().unwrap_or_default().contains(&format!("--features {}`", features[0]));
        assert_eq!(said, !here, "{name}: {result:?}");
        let raw = session.call("read_file", json!({"path": name, "raw": true})).await;
        assert_eq!(payload(&raw)["content"], "1\tnot really", "{name}");
    }
}

#[tokio::test]
async fn a_missing_file_is_answered_with_what_is_there() {
    let session = Session::start().await;
    session.file("src/main.rs", "");
    session.file("src/lib.rs", "");
    let result = session.call("read_file", json!({"path": "src/deep/mian.rs"})).await;
    assert_eq!(error(&result), "`src/deep/mian.rs` does not exist");
    assert_eq!(payload(&result)["nearest_directory"], "src");
    assert_eq!(payload(&result)["nearby"], json!(["lib.rs", "main.rs"]));
    let result = session.call("read_file", json!({"path": "src"})).await;
    assert!(error(&result).contains("is a directory"));
    assert_eq!(payload(&result)["nearby"], json!(["lib.rs", "main.rs"]), "a directory shows its own entries");
}

#[tokio::test]
async fn nothing_above_the_root_is_listed() {
    let above = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(above.path().join("project/src")).unwrap();
    std::fs::write(above.path().join("payroll"), "").unwrap();
    std::os::unix::fs::symlink(above.path(), above.path().join("project/up")).unwrap();
    let root = above.path().join("project").canonicalize().unwrap();
    let session = Session::with(|settings| settings.root = root).await;
    for path in
        [".", "./", "src/..", "..", "../", "../nothing", "../../nothing", "src/../../nothing", "up", "up/nothing", "up/deep/nothing"]
    {
        for path in [path.to_owned(), above.path().join("project").join(path).to_str().unwrap().to_owned()] {
            for (tool, arguments) in [
                ("read_file", json!({"path": path})),
                ("edit_file", json!({"path": path, "old_string": "a", "new_string": "b"})),
                ("list_files", json!({"path": path.clone() + "/nothing"})),
                ("find_files", json!({"path": path.clone() + "/nothing"})),
                ("grep", json!({"path": path.clone() + "/nothing", "pattern": "x"})),
            ] {
                let result = session.call(tool, arguments).await;
                let shown = payload(&result)["nearby"].to_string();
                assert!(!shown.contains("payroll"), "{tool} {path}: {shown}");
            }
        }
    }
    let shown = session.call("read_file", json!({"path": "."})).await;
    assert_eq!(payload(&shown)["nearby"], json!(["src", "up"]));
}

#[tokio::test]
async fn a_write_keeps_mode_mark_and_line_ends() {
    use std::os::unix::fs::PermissionsExt;
    let session = Session::start().await;
    let path = session.file("script.bat", "\u{feff}one\r\ntwo\r\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let result = session.call("write_file", json!({"path": "script.bat", "content": "one\n2\n"})).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "\u{feff}one\r\n2\r\n");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o750);
    assert_eq!((&payload(&result)["additions"], &payload(&result)["deletions"]), (&json!(1), &json!(1)));
    assert!(payload(&result)["diff"].as_str().unwrap().contains("+2"));

    let result = session.call("write_file", json!({"path": "new/deep/file.txt", "content": "x"})).await;
    assert_eq!(payload(&result)["created"], true);
    assert_eq!(std::fs::read_to_string(session.root().join("new/deep/file.txt")).unwrap(), "x");
}

#[tokio::test]
async fn a_write_through_a_link_keeps_the_link() {
    let session = Session::start().await;
    let target = session.file("target.txt", "old");
    std::os::unix::fs::symlink("target.txt", session.root().join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", session.root().join("dangling")).unwrap();
    session.call("write_file", json!({"path": "link", "content": "new"})).await;
    assert_eq!(std::fs::read_to_string(target).unwrap(), "new");
    assert!(session.root().join("link").is_symlink());
    assert!(error(&session.call("write_file", json!({"path": "dangling", "content": "new"})).await).contains("link to nothing"));
}

fn names(result: &rmcp::model::CallToolResult) -> Vec<String> {
    payload(result)["entries"].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_listing_honours_ignore_files_and_never_follows_links() {
    let session = Session::start().await;
    for file in ["src/a.rs", "src/deep/b.rs", "target/out", "node_modules/x/index.js", ".git/config", "notes.md"] {
        session.file(file, "x");
    }
    session.file(".gitignore", "target\n");
    std::os::unix::fs::symlink("/", session.root().join("everything")).unwrap();
    let plain = session.call("list_files", json!({})).await;
    assert_eq!(names(&plain), [".git", ".gitignore", "everything", "node_modules", "notes.md", "src"]);
    let deep = session.call("list_files", json!({"recursive": true, "include_ignored": true, "include_directories": false})).await;
    assert_eq!(names(&deep), [".gitignore", "everything", "notes.md", "src/a.rs", "src/deep/b.rs", "target/out"]);
    let filtered = session.call("list_files", json!({"recursive": true, "pattern": "*.rs *.md"})).await;
    assert_eq!(names(&filtered), ["notes.md", "src/a.rs", "src/deep/b.rs"]);
    let shallow = session.call("list_files", json!({"recursive": true, "max_depth": 2, "pattern": "*.rs"})).await;
    assert_eq!(names(&shallow), ["src/a.rs"]);
    let nothing = session.call("list_files", json!({"pattern": "*.zig"})).await;
    assert_eq!(names(&nothing), names(&plain));
    assert!(payload(&nothing)["notes"][0].as_str().unwrap().contains("nothing matches `*.zig`"));
    let capped = session.call("list_files", json!({"max_results": 2})).await;
    assert_eq!((names(&capped).len(), &payload(&capped)["truncated"]), (2, &json!(true)));
}

#[tokio::test]
async fn a_command_reports_code_output_and_directory() {
    let session = Session::start().await;
    session.file("sub/x", "");
    let result = session.call("run_command", json!({"command": "pwd; echo oops >&2; exit 3", "working_directory": "sub"})).await;
    assert_eq!(result.is_error, Some(false));
    let payload = payload(&result);
    assert_eq!((&payload["returncode"], &payload["stderr"]), (&json!(3), &json!("oops\n")));
    assert!(Path::new(payload["stdout"].as_str().unwrap().trim()).ends_with("sub"));
    let input = session.call("run_command", json!({"command": "cat; echo done"})).await;
    assert_eq!(workspace::payload(&input)["stdout"], "done\n");
}

#[tokio::test]
async fn hostile_command_arguments_are_refused() {
    let session = Session::start().await;
    for arguments in [
        json!({"command": "  "}),
        json!({"command": "echo \u{0}"}),
        json!({"command": "true", "working_directory": "missing"}),
        json!({"command": "true", "timeout_seconds": 0}),
        json!({"command": "true", "timeout_seconds": -1}),
        json!({"command": format!("echo {}", "x".repeat(300_000))}),
    ] {
        error(&session.call("run_command", arguments).await);
    }
}

#[tokio::test]
async fn long_output_keeps_both_ends() {
    let session = Session::start().await;
    let result = session.call("run_command", json!({"command": "seq 1 200000", "max_output_chars": 100})).await;
    let stdout = payload(&result)["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("199999\n200000\n") && stdout.len() < 200, "{stdout}");
    assert_eq!(payload(&result)["stdout_truncated"], true);
    let fifteen = json!({"command": "printf ééééééééééééééé", "max_output_chars": 15});
    let result = session.call("run_command", fifteen).await;
    assert_eq!((&payload(&result)["stdout"], &payload(&result)["stdout_truncated"]), (&json!("é".repeat(15)), &json!(false)));
    let eleven = json!({"command": "printf ééééééééééééééé", "max_output_chars": 11});
    let result = session.call("run_command", eleven).await;
    assert_eq!(payload(&result)["stdout"], "éééééé\n[4 characters are not shown]\nééééé");
}

/// Whether no process of the group runs any more. One that has ended but that nobody waited for does not count.
fn group_is_gone(group: &str) -> bool {
    let running = |entry: &std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.get(2) == Some(&group.trim()) && fields[0] != "Z"
    };
    !std::fs::read_dir("/proc").unwrap().flatten().any(|entry| running(&entry))
}

#[tokio::test]
async fn a_command_out_of_time_ends_with_all_it_started_and_keeps_its_output() {
    let session = Session::start().await;
    let command = "echo $$; trap '' TERM; sleep 600 & sleep 600";
    let result = session.call("run_command", json!({"command": command, "timeout_seconds": 0.2})).await;
    assert!(error(&result).contains("0.2 seconds"));
    assert_eq!(payload(&result)["timed_out"], true);
    let group = payload(&result)["stdout"].as_str().unwrap();
    workspace::eventually(|| group_is_gone(group).then_some(())).await;
}

#[tokio::test]
async fn the_ceiling_bounds_what_a_command_may_ask_for() {
    let session = Session::with(|settings| settings.command_ceiling = std::time::Duration::from_millis(200)).await;
    for long in [1e9, 1e20, f64::MAX] {
        let result = session.call("run_command", json!({"command": "sleep 600", "timeout_seconds": long})).await;
        assert_eq!(payload(&result)["timed_out"], true, "{long}");
    }
}

#[tokio::test]
async fn a_background_process_that_holds_the_output_is_ended_with_a_note() {
    let session = Session::start().await;
    let result = session.call("run_command", json!({"command": "echo $$; sleep 600 &"})).await;
    assert!(payload(&result)["note"].as_str().unwrap().contains("background"));
    let group = payload(&result)["stdout"].as_str().unwrap();
    workspace::eventually(|| group_is_gone(group).then_some(())).await;
    assert_eq!(payload(&result)["returncode"], 0);
}

#[tokio::test]
async fn a_process_that_left_the_group_is_said_to_run_on() {
    let session = Session::start().await;
    // Perl and setsid are not everywhere; a shell's own job control gives a job a group of its own.
    let result = session.call("run_command", json!({"command": "set -m; sleep 600 & echo $!"})).await;
    let note = payload(&result)["note"].as_str().unwrap();
    assert!(note.contains("runs on"), "{note}");
    let group = payload(&result)["stdout"].as_str().unwrap().trim();
    assert!(!group_is_gone(group), "it was ended after all");
    let ended = std::process::Command::new("kill").args(["-9", group]).status().unwrap();
    assert!(ended.success());
}

#[tokio::test]
async fn cancelling_a_call_ends_its_command() {
    let session = Session::start().await;
    let pid = session.root().join("pid");
    let handle = session.begin("run_command", json!({"command": "echo $$ > tmp; mv tmp pid; sleep 600"})).await;
    let group = workspace::eventually(|| std::fs::read_to_string(&pid).ok()).await;
    handle.cancel(Some("enough".into())).await.unwrap();
    workspace::eventually(|| group_is_gone(&group).then_some(())).await;
}

#[tokio::test]
async fn closing_the_session_ends_its_commands() {
    let session = Session::start().await;
    let pid = session.root().join("pid");
    let _handle = session.begin("run_command", json!({"command": "echo $$ > tmp; mv tmp pid; sleep 600"})).await;
    let group = workspace::eventually(|| std::fs::read_to_string(&pid).ok()).await;
    let _root = session.close().await;
    workspace::eventually(|| group_is_gone(&group).then_some(())).await;
}

#[tokio::test]
async fn output_growth_is_reported_as_progress() {
    let session = Session::start().await;
    rustix::fs::mkfifoat(rustix::fs::CWD, session.root().join("gate"), 0o600.into()).unwrap();
    let handle = session.begin("run_command", json!({"command": "echo first; cat gate; echo last"})).await;
    let progress = std::sync::Arc::clone(&session.listener.progress);
    let first = workspace::eventually(|| progress.lock().unwrap().first().cloned()).await;
    assert_eq!((first.progress, first.message.as_deref()), (6.0, Some("6 bytes of output: first")));
    let gate = session.root().join("gate");
    tokio::task::spawn_blocking(move || std::fs::write(gate, "")).await.unwrap().unwrap();
    handle.await_response().await.unwrap();
}

/// A server in a process of its own that runs a command, and the process group of that command.
async fn server_with_a_command(root: &Path) -> (std::process::Child, String) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["tools", "--root"]).arg(root).env("CALLGATE_ALLOW_ROOT_TOOLS", "1");
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let call = json!({"name": "run_command", "arguments": {"command": "echo $$ > tmp; mv tmp pid; sleep 600", "timeout_seconds": 600}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        writeln!(server.stdin.as_mut().unwrap(), "{message}").unwrap();
    }
    let pid = root.join("pid");
    let group = workspace::eventually(|| std::fs::read_to_string(&pid).ok()).await;
    (server, group)
}

#[tokio::test]
async fn a_server_that_is_told_to_end_ends_its_commands() {
    let root = tempfile::tempdir().unwrap();
    let (mut server, group) = server_with_a_command(root.path()).await;
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(128 + 15));
    workspace::eventually(|| group_is_gone(&group).then_some(())).await;
}

#[tokio::test]
async fn a_server_whose_client_is_gone_ends_with_its_commands() {
    let root = tempfile::tempdir().unwrap();
    let (mut server, group) = server_with_a_command(root.path()).await;
    drop(server.stdin.take());
    workspace::eventually(|| server.try_wait().unwrap()).await;
    workspace::eventually(|| group_is_gone(&group).then_some(())).await;
}

#[test]
fn the_list_on_the_command_line_names_every_tool() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_callgate")).args(["tools", "--list", "--exclude", "web,data"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["edit_file", "find_files", "grep", "list_files", "read_file", "run_command", "write_file"]);
    assert!(text.contains("read-only Reads a text file"));
}

/// `run` offers the same choice of its own tools as `tools`, and for no other server.
#[test]
fn the_gate_serves_the_tools_that_are_chosen() {
    let scratch = Scratch::new();
    let words =
        |options: &[&str]| std::iter::once("callgate").chain(["run"]).chain(options.iter().copied()).map(str::to_owned).collect::<Vec<_>>();
    for (options, wanted) in [
        (&["--include", "shell"][..], &["run_command"][..]),
        (&["--include", "files,shell", "--exclude", "files"], &["run_command"]),
        (
            &["--exclude", "web,data,shell", "--allow-internal"],
            &["edit_file", "find_files", "grep", "list_files", "read_file", "write_file"],
        ),
    ] {
        let mut client = scratch.client(&words(options), false);
        let mut tools = client.tools();
        tools.sort();
        assert_eq!(tools, wanted, "{options:?}");
        client.close();
    }
    for option in [&["--include", "files"][..], &["--exclude", "web"], &["--allow-internal"]] {
        let run = scratch.command("callgate").arg("run").args(option).args(["--", "true"]).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{option:?}");
    }
}

/// The gate knows the built-in tools by a profile; a tool or an argument that is new here must be new there.
#[tokio::test]
async fn the_gate_has_a_role_for_every_path_of_every_tool() {
    let profile = callgate::policy::profile_named("callgate-workspace").unwrap();
    let text = include_str!("../../../policy/servers/callgate-workspace.toml");
    let session = Session::start().await;
    let tools = session.client.list_all_tools().await.unwrap();
    let mut names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
    names.extend(left_out::tools().map(|(tool, _)| tool.to_owned()));
    names.sort();
    let mut known: Vec<_> = profile.tool_names().map(str::to_owned).collect();
    known.sort();
    assert_eq!(names, known);
    for tool in tools {
        let section = text.split(&format!("[tools.\"{}\"]", tool.name)).nth(1).unwrap().split("[tools.").next().unwrap();
        for path in tool.meta.unwrap().0["checkpaths"].as_array().unwrap() {
            assert!(section.contains(&format!("paths = [{path}]")), "{}: {path}", tool.name);
        }
    }
}
