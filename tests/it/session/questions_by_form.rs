//! Questions in the client's own form (2025-06-18 and 2025-11-25) in front of a live gate: every answer, and every wrong turn.
use crate::support::gate_process::{self, Gate, call, refusal, reply};
use serde_json::{Value, json};

const ONCE: &str = "allow once";
const SESSION: &str = "allow for this session";

/// A gate in front of a client that can be asked.
fn gate(options: &[&str]) -> Gate {
    gate_of("2025-06-18", options)
}

fn gate_of(version: &str, options: &[&str]) -> Gate {
    let mut gate = Gate::start(options);
    gate.initialize(version, &json!({ "elicitation": {} }));
    gate
}

/// A call that reads something outside the root.
fn outside(gate: &Gate, id: u64, below: &str) -> String {
    call(id, "read_file", &json!({ "path": gate.path(below) }))
}

/// The client has to be asked about the call; this is the question.
fn asks(gate: &mut Gate, line: &str) -> Value {
    gate.client_says(line);
    gate.asked()
}

#[test]
fn once_sends_the_call_once_and_asks_the_next_time() {
    // g010, g014, g038
    for version in ["2025-06-18", "2025-11-25"] {
        let mut gate = gate_of(version, &[]);
        for id in [1, 2] {
            let line = outside(&gate, id, "outside/k");
            let question = asks(&mut gate, &line);
            assert_eq!(question["params"]["mode"], if version == "2025-06-18" { Value::Null } else { json!("form") });
            gate.accepts(&question, ONCE);
            assert_eq!(gate.at_server(), line, "sent as it came");
            gate.nothing_for_server();
            gate.server_says(reply(id));
            assert_eq!(gate.client_gets()["id"], id);
        }
    }
}

#[test]
fn an_answer_for_the_session_covers_its_directory_and_no_sibling() {
    // d068, d073, g013
    let mut gate = gate(&[]);
    std::fs::create_dir(gate.path("beside")).unwrap();
    let first = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &first);
    gate.accepts(&question, SESSION);
    assert_eq!(gate.at_server(), first);
    let again = call(2, "read_file", &json!({ "path": gate.path("outside/k"), "description": "try 2" }));
    gate.client_says(&again);
    assert_eq!(gate.at_server(), again, "keyed on what was asked, not on the rest");
    for sibling in ["beside/k", "outsides/k", "k"] {
        let line = outside(&gate, 3, sibling);
        let question = asks(&mut gate, &line);
        gate.answers(&question, &json!({ "action": "decline" }));
        assert_eq!(refusal(&gate.client_gets()), "denied_by_user", "{sibling}");
    }
    gate.nothing_for_server();
}

#[test]
fn whatever_is_no_yes_refuses() {
    // g040, g041
    let table = [
        (json!({ "action": "accept", "content": { "decision": "deny" } }), "denied_by_user"),
        (json!({ "action": "decline" }), "denied_by_user"),
        (json!({ "action": "cancel" }), "dismissed"),
        (json!({ "action": "accept" }), "bad_answer"),
        (json!({ "action": "accept", "content": {} }), "bad_answer"),
        (json!({ "action": "accept", "content": null }), "bad_answer"),
        (json!({ "action": "accept", "content": "allow once" }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": "sure" } }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": "Allow once" } }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": ["allow once"] } }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": true } }), "bad_answer"),
        (json!({ "action": "accept", "content": { "decision": "allow once", "more": 1 } }), "bad_answer"),
        (json!({ "action": "ACCEPT", "content": { "decision": "allow once" } }), "bad_answer"),
        (json!({ "content": { "decision": "allow once" } }), "bad_answer"),
        (json!([]), "bad_answer"),
    ];
    let mut gate = gate(&[]);
    for (number, (answer, kind)) in (1..).zip(&table) {
        // A directory of its own, because three denials of one silence it.
        let line = outside(&gate, number, &format!("outside/{number}/k"));
        let question = asks(&mut gate, &line);
        gate.answers(&question, answer);
        let refused = gate.client_gets();
        assert_eq!((&refused["id"], refusal(&refused)), (&json!(number), *kind), "{answer}");
    }
    gate.nothing_for_server();
}

#[test]
fn an_error_instead_of_an_answer_refuses() {
    let mut gate = gate(&[]);
    let line = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &line);
    gate.client_says(
        json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -32601, "message": "no such method" } }).to_string(),
    );
    assert_eq!(refusal(&gate.client_gets()), "bad_answer");
    gate.nothing_for_server();
}

#[test]
fn an_answer_counts_once_and_for_its_own_question_only() {
    // g019
    let mut gate = gate(&[]);
    let first = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &first);
    gate.accepts(&json!({ "id": "callgate-other" }), ONCE);
    gate.accepts(&json!({ "id": 1 }), ONCE);
    gate.nothing_for_server();
    gate.accepts(&question, ONCE);
    gate.accepts(&question, ONCE);
    assert_eq!(gate.at_server(), first);
    gate.nothing_for_server();
    let second = outside(&gate, 2, "outside/k");
    let open = asks(&mut gate, &second);
    assert_ne!(open["id"], question["id"]);
    gate.accepts(&question, ONCE);
    gate.nothing_for_server();
    gate.accepts(&open, "deny");
    assert_eq!(gate.client_gets()["id"], 2);
    gate.nothing_for_server();
}

/// The client fills in a form whose fields are about these paths, in any order.
fn fills_in(gate: &mut Gate, question: &Value, choices: &[(String, &str)]) {
    let properties = question["params"]["requestedSchema"]["properties"].as_object().unwrap();
    let word = |field: &Value| choices.iter().find(|(path, _)| field["description"].as_str().unwrap().contains(path)).unwrap().1;
    let content: Value = properties.iter().map(|(name, field)| (name.clone(), json!(word(field)))).collect();
    gate.answers(question, &json!({ "action": "accept", "content": content }));
}

#[test]
fn calls_that_arrive_together_are_asked_about_together_and_each_is_settled_by_its_own_word() {
    // wire g016, g017
    let mut gate = gate(&[]);
    gate.client_says(r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#);
    assert!(gate.at_server().contains("list"));
    gate.server_says(format!(r#"{{"jsonrpc":"2.0","id":"list","result":{}}}"#, gate_process::TOOLS));
    gate.client_gets();
    let ids = 1..=5_u64;
    let lines: Vec<String> = ids.clone().map(|id| outside(&gate, id, &format!("outside/{id}/n"))).collect();
    gate.client_says(lines.join("\n"));
    let words = |id: u64| if id % 2 == 1 { ONCE } else { "deny" };
    let choices: Vec<(String, &str)> = ids.clone().map(|id| (gate.path(&format!("outside/{id}/n")), words(id))).collect();
    for fields in [4, 1] {
        let question = gate.asked();
        gate.nothing_for_client();
        assert_eq!(question["params"]["requestedSchema"]["required"].as_array().unwrap().len(), fields, "{question}");
        fills_in(&mut gate, &question, &choices);
        for id in if fields == 4 { 1..=4 } else { 5..=5 } {
            match words(id) {
                ONCE => assert_eq!(gate.at_server(), lines[id as usize - 1]),
                _ => {
                    let refused = gate.client_gets();
                    assert_eq!((&refused["id"], refusal(&refused)), (&json!(id), "denied_by_user"));
                }
            }
        }
    }
    gate.nothing_for_server();
}

#[test]
fn calls_that_arrive_one_by_one_while_a_question_is_open_are_the_next_question() {
    let mut gate = gate(&[]);
    let first = outside(&gate, 1, "outside/1/n");
    let question = asks(&mut gate, &first);
    let lines: Vec<String> = (2..=3).map(|id| outside(&gate, id, &format!("outside/{id}/n"))).collect();
    for line in &lines {
        gate.client_says(line);
    }
    gate.nothing_for_server();
    gate.accepts(&question, ONCE);
    assert_eq!(gate.at_server(), first);
    let next = gate.asked();
    let choices = [(gate.path("outside/2/n"), "deny"), (gate.path("outside/3/n"), ONCE)];
    fills_in(&mut gate, &next, &choices);
    assert_eq!(gate.client_gets()["id"], 2);
    assert_eq!(gate.at_server(), lines[1]);
    gate.accepts(&question, ONCE);
    gate.nothing_for_server();
}

#[test]
fn an_answer_for_the_session_settles_what_still_waits_for_its_turn() {
    let mut gate = gate(&[]);
    let lines: Vec<String> = (1..=4).map(|id| outside(&gate, id, &format!("outside/f{id}"))).collect();
    for line in &lines {
        gate.client_says(line);
    }
    let question = gate.asked();
    gate.accepts(&question, SESSION);
    let mut arrived: Vec<String> = (0..4).map(|_| gate.at_server()).collect();
    arrived.sort();
    assert_eq!(arrived, lines);
    gate.nothing_for_client();
}

#[test]
fn a_held_call_delays_nothing_else() {
    let mut gate = gate(&[]);
    let line = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &line);
    let free = call(2, "read_file", &json!({ "path": "a.txt" }));
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    for other in [free.as_str(), ping] {
        gate.client_says(other);
        assert_eq!(gate.at_server(), other);
    }
    for id in [3, 2] {
        gate.server_says(reply(id));
        assert_eq!(gate.client_gets()["id"], id);
    }
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    gate.server_says(asked);
    assert_eq!(gate.at_client(), asked, "the server's ids are its own");
    gate.accepts(&question, ONCE);
    assert_eq!(gate.at_server(), line);
}

#[test]
fn a_question_has_a_deadline_and_a_late_yes_runs_nothing() {
    // g034, g035, g037
    let mut gate = gate(&["--ask-timeout", "1"]);
    let line = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &line);
    let withdrawn = gate.client_gets();
    assert_eq!((&withdrawn["method"], &withdrawn["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
    let refused = gate.client_gets();
    assert_eq!((&refused["id"], refusal(&refused)), (&json!(1), "timed_out"));
    gate.accepts(&question, ONCE);
    gate.nothing_for_server();
    gate.nothing_for_client();
}

#[test]
fn three_denials_silence_the_question_for_the_session() {
    // g043
    let mut gate = gate(&[]);
    for id in 1..=3 {
        let line = outside(&gate, id, "outside/k");
        let question = asks(&mut gate, &line);
        gate.accepts(&question, "deny");
        assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
    }
    gate.client_says(outside(&gate, 4, "outside/f17"));
    assert_eq!(refusal(&gate.client_gets()), "silenced");
    let elsewhere = outside(&gate, 5, "k");
    asks(&mut gate, &elsewhere);
}

#[test]
fn a_no_is_not_overruled_by_an_older_once() {
    // g010
    let mut gate = gate(&[]);
    for (id, words) in [(1, ONCE), (2, "deny")] {
        let line = outside(&gate, id, "outside/k");
        let question = asks(&mut gate, &line);
        gate.accepts(&question, words);
    }
    gate.at_server();
    assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
    let line = outside(&gate, 3, "outside/k");
    asks(&mut gate, &line);
}

#[test]
fn who_cannot_or_must_not_be_asked_is_refused_at_once_with_a_way_out() {
    // g031, g032
    let able = json!({ "elicitation": {} });
    let table: [(&[&str], Value, &str); 4] = [
        (&["--non-interactive"], able.clone(), "2025-11-25"),
        (&[], json!({}), "2025-11-25"),
        (&[], json!({ "elicitation": { "url": {} } }), "2025-11-25"),
        (&[], json!({ "elicitation": null }), "2025-06-18"),
    ];
    for (options, capabilities, version) in table {
        let mut gate = Gate::start(options);
        gate.initialize(version, &capabilities);
        gate.client_says(outside(&gate, 1, "outside/k"));
        let refused = gate.client_gets();
        assert_eq!(refusal(&refused), "no_approver", "{capabilities}");
        let text = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("callgate approve") && text.contains("--allow-dir"), "{text}");
        gate.nothing_for_server();
    }
}

#[test]
fn nothing_is_sent_for_a_client_that_left_while_it_was_asked() {
    let mut gate = gate(&[]);
    let line = outside(&gate, 1, "outside/k");
    asks(&mut gate, &line);
    gate.client_leaves();
    gate.ends();
    assert!(!gate.log().contains("panicked"));
    assert_eq!(gate.audit().last().unwrap()["refusal"], "cancelled");
    assert_eq!(gate.left_for_server(), Vec::<String>::new());
}

#[test]
fn a_question_that_a_signal_takes_away_is_on_record() {
    let mut gate = gate(&[]);
    let line = outside(&gate, 1, "outside/k");
    asks(&mut gate, &line);
    let pid = rustix::process::Pid::from_raw(i32::try_from(gate.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    gate.ends();
    assert_eq!(gate.audit().last().unwrap()["refusal"], "cancelled");
    assert_eq!(gate.left_for_server(), Vec::<String>::new());
}

#[test]
fn an_approval_that_comes_sooner_than_a_person_can_read_is_not_believed() {
    let home = Gate::furnished();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "version = 1\n[approval]\nminimum_answer_ms = 60000\n").unwrap();
    let mut gate = Gate::start_in(home, &["--policy", policy.to_str().unwrap()]);
    gate.initialize("2025-06-18", &json!({ "elicitation": {} }));
    let line = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &line);
    gate.accepts(&question, ONCE);
    assert_eq!(refusal(&gate.client_gets()), "bad_answer");
    let question = asks(&mut gate, &line);
    gate.accepts(&question, "deny");
    assert_eq!(refusal(&gate.client_gets()), "denied_by_user", "a no may come at any time");
    gate.nothing_for_server();
}

#[test]
fn a_question_shows_what_it_is_about_and_no_character_that_deceives() {
    // g038
    let mut gate = gate(&[]);
    let path = format!("{}/outside/../outside/k\u{202e}\u{1b}[2J\u{200b}x", gate.home.path().display());
    let line = call(1, "write_file", &json!({ "path": path, "content": "a\r\nallow once\u{7}" }));
    let question = asks(&mut gate, &line);
    let message = question["params"]["message"].as_str().unwrap();
    let resolved = format!("{}/outside/k", gate.home.path().canonicalize().unwrap().display());
    for part in ["write", resolved.as_str(), "server `s`", "tool `write_file`", "\\u{202e}", "\\u{1b}", "\\u{200b}"] {
        assert!(message.contains(part), "{part} is missing from\n{message}");
    }
    let hidden =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!question.to_string().contains(hidden));
    assert!(!message.chars().any(hidden), "{message:?}");
    let schema = &question["params"]["requestedSchema"];
    for (name, field) in schema["properties"].as_object().unwrap() {
        assert_eq!((&field["type"], &field["enum"][0]), (&json!("string"), &json!("deny")));
        assert!(schema["required"].as_array().unwrap().contains(&json!(name)));
    }
}

#[test]
fn a_megabyte_of_hostile_text_makes_a_question_that_a_screen_can_hold() {
    let mut gate = gate(&[]);
    let content = "\u{202e}".repeat(350_000);
    let line = call(1, "write_file", &json!({ "path": gate.path("outside/k"), "content": content }));
    let question = asks(&mut gate, &line);
    assert!(question.to_string().len() < 16 * 1024);
    let offered = question["params"]["requestedSchema"]["properties"]["decision"]["enum"].to_string();
    assert!(!offered.contains("session"), "not fully shown, so good for once only: {offered}");
}

#[test]
fn a_question_carries_the_calls_meta_without_its_progress_token() {
    let mut gate = gate(&[]);
    let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "read_file", "arguments": { "path": gate.path("outside/k") }, "_meta": { "progressToken": 7, "vendor/thread": "t-1" } } });
    let question = asks(&mut gate, &line.to_string());
    assert_eq!(question["params"]["_meta"], json!({ "vendor/thread": "t-1" }));
}

#[test]
fn a_place_that_moves_while_the_question_is_open_is_asked_about_again() {
    // a043: the answer was for one directory, and the link now leads to another
    let mut gate = gate(&[]);
    let link = gate.path("root/out");
    for directory in ["one", "two"] {
        std::fs::create_dir(gate.path(directory)).unwrap();
    }
    std::os::unix::fs::symlink(gate.path("one"), &link).unwrap();
    let line = call(1, "write_file", &json!({ "path": "out/r.txt", "content": "x" }));
    let question = asks(&mut gate, &line);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(gate.path("two"), &link).unwrap();
    gate.accepts(&question, ONCE);
    let again = gate.asked();
    assert!(again["params"]["message"].as_str().unwrap().contains("/two"), "{again}");
    gate.accepts(&again, "deny");
    assert_eq!(refusal(&gate.client_gets()), "denied_by_user");
    gate.nothing_for_server();
}

#[test]
fn a_flood_of_questions_is_bounded_and_every_call_is_answered() {
    let mut gate = gate(&[]);
    let total = 1000_u64;
    for id in 1..=total {
        gate.client_says(outside(&gate, id, &format!("outside/{id}/k")));
    }
    let (mut answered, mut shown) = (0, 0);
    while answered < total {
        let message = gate.client_gets();
        if message["method"] == "elicitation/create" {
            shown += 1;
            gate.answers(&message, &json!({ "action": "decline" }));
        } else {
            assert!(matches!(refusal(&message), "denied_by_user" | "no_approver" | "paused"), "{message}");
            answered += 1;
        }
    }
    assert!((1..=total).contains(&shown));
    gate.nothing_for_server();
    gate.nothing_for_client();
}

/// A tool that runs commands, and nothing else.
const SHELL: &str = r#"{"tools":[{"name":"bash","inputSchema":{"type":"object"}}]}"#;

/// A gate in front of a shell, with this policy.
fn shell_gate(policy: &str) -> Gate {
    let home = Gate::furnished();
    let file = home.path().join("policy.toml");
    std::fs::write(&file, format!("version = 1\n{policy}")).unwrap();
    std::fs::create_dir_all(home.path().join("root/frontend/app")).unwrap();
    let mut gate = Gate::start_in(home, &["--policy", file.to_str().unwrap()]);
    gate.tools = Some(SHELL.to_owned());
    gate.initialize("2025-11-25", &json!({ "elicitation": {} }));
    gate
}

#[test]
fn a_rule_that_allows_a_command_answers_for_no_path_in_it() {
    // b044, b068, g011, g022
    let rules: String = ["ls *", "export *", "make", "cd frontend/app &&*", "git status"]
        .map(|command| {
            format!("[[rules]]\ntool = \"bash\"\nwhen = {{ \"/command\" = \"{command}\" }}\naction = \"allow\"\nreason = \"x\"\n")
        })
        .concat();
    let mut gate = shell_gate(&rules);
    let outside = gate.path("outside");
    let table = [
        (json!({ "command": format!("ls {outside}") }), "/outside"),
        (json!({ "command": format!("export GIT_PAGER='cat {outside}/k'; git -p log -1") }), "/outside/k"),
        (json!({ "command": "make", "env": { "CC": format!("{outside}/cc") } }), "/outside/cc"),
        (json!({ "command": "cd frontend/app && cat ../../../outside/k" }), "/outside/k"),
    ];
    for (id, (arguments, path)) in (1_u64..).zip(table) {
        let question = asks(&mut gate, &call(id, "bash", &arguments));
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("{path}: outside the permitted directories")), "{message}");
        assert!(message.contains(&callgate::escape::visible(&arguments.to_string())), "every argument is shown: {message}");
        gate.answers(&question, &json!({ "action": "cancel" }));
        gate.client_gets();
    }
    gate.nothing_for_server();
}

#[test]
fn what_is_kept_of_a_command_line_is_a_place_and_never_the_line() {
    // g020, g022
    let mut gate = shell_gate("");
    let line = call(1, "bash", &json!({ "command": "cd frontend/app && sh -c 'cat ../../../outside/k' | sort" }));
    let question = asks(&mut gate, &line);
    let field = question["params"]["requestedSchema"]["properties"]["decision"]["description"].as_str().unwrap();
    let (_, rule) = field.split_once("`allow always` means: ").unwrap();
    let place = std::fs::canonicalize(gate.path("outside")).unwrap();
    let exact = format!("allow tool `bash` of server `s` to reach {} and all below it, as long as", place.display());
    assert!(rule.starts_with(&exact), "{rule}");
    gate.accepts(&question, "allow always");
    assert_eq!(gate.at_server(), line);
    let grants = std::fs::read_to_string(gate.path(".local/state/callgate/grants.toml")).unwrap();
    assert!(grants.contains("/outside"), "{grants}");
    for part in ["cd ", "&&", "|", "sh -c", "cat", "sort"] {
        assert!(!grants.contains(part), "`{part}` is kept:\n{grants}");
    }
    // The place is free for this tool now, whatever the command; another place is not.
    let same = call(2, "bash", &json!({ "command": format!("wc -l {}", gate.path("outside/k")) }));
    gate.client_says(&same);
    assert_eq!(gate.at_server(), same);
    let other = call(3, "bash", &json!({ "command": format!("cat {}", gate.path("k")) }));
    asks(&mut gate, &other);
}

#[test]
fn what_is_kept_for_good_is_kept_for_its_tool_alone() {
    let mut gate = gate(&[]);
    let first = outside(&gate, 1, "outside/k");
    let question = asks(&mut gate, &first);
    gate.accepts(&question, "allow always");
    assert_eq!(gate.at_server(), first);
    let again = outside(&gate, 2, "outside/l");
    gate.client_says(&again);
    assert_eq!(gate.at_server(), again);
    let other = call(3, "write_file", &json!({ "path": gate.path("outside/k"), "content": "x" }));
    asks(&mut gate, &other);
}
