//! What time does to a session, by a clock that the test moves: deadlines, signs of life, late answers, and what has no limit.
use std::sync::Arc;
use std::time::Duration;

use crate::support::bare_session::{Bench, call, config};
use crate::support::gate_process::own_key;
use callgate::gate::{Answer, Channel as Answered, Choice, Ending, Located, Outcome, Place};
use callgate::policy::{Channel, Text, Trust, load};
use callgate::session::Event;
use serde_json::{Value, json};

const OUT: &str = "/gate/out/k";

fn kind(message: &Value) -> &Value {
    &message["result"]["_meta"]["callgate/refusal"]["kind"]
}

fn accepts(bench: &mut Bench, question: &Value, words: &str) {
    let result = json!({ "action": "accept", "content": { "decision": words } });
    bench.client_says(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
}

#[test]
fn a_question_ends_a_little_before_its_client_gives_up() {
    // g034, g035, g037
    for (client, seconds) in [("unheard-of", 50), ("claude-code", 1500), ("codex-mcp-client", 280), ("goose", 290)] {
        let mut bench = Bench::opened(config(|_| {}), client);
        bench.client_says(&call(1, "read_file", OUT));
        let question = bench.client.remove(0);
        bench.at(seconds - 1);
        assert!(bench.client.iter().all(|message| message["method"] == "notifications/progress"), "{client}");
        bench.client.clear();
        bench.at(seconds);
        let ends: Vec<&Value> = bench.client.iter().filter(|message| message["method"] != "notifications/progress").collect();
        assert_eq!((&ends[0]["method"], &ends[0]["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
        assert_eq!(kind(ends[1]), "timed_out", "{client}");
        accepts(&mut bench, &question, "allow once");
        assert!(bench.server.is_empty());
    }
}

#[test]
fn what_was_denied_of_a_file_says_nothing_of_a_directory_of_its_name() {
    // Both stand directly below `/`, so the file is asked about by itself.
    const NAME: &str = "/held";
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.disk_answers = false;
    let looked_up = |bench: &mut Bench, is_directory| {
        let (call, mentions) = bench.lookups.remove(0);
        let place =
            Place { path: NAME.into(), spelled: NAME.into(), exists: true, is_directory, through_link: false, reaches_elsewhere: false };
        let found = |mention| Located { mention, outcome: Outcome::Places(vec![place.clone()]) };
        bench.feed(Event::Located { call, located: mentions.into_iter().map(found).collect() });
    };
    for id in 1..4 {
        bench.client_says(&call(id, "read_file", NAME));
        looked_up(&mut bench, false);
        let question = bench.client.remove(0);
        accepts(&mut bench, &question, "deny");
        assert_eq!(kind(&bench.client.remove(0)), "denied_by_user");
    }
    bench.client_says(&call(4, "read_file", NAME));
    looked_up(&mut bench, false);
    assert_eq!(kind(&bench.client.remove(0)), "silenced");
    bench.client_says(&call(5, "read_file", NAME));
    looked_up(&mut bench, true);
    assert_eq!(bench.client.remove(0)["method"], "elicitation/create", "the directory was never asked about");
}

#[test]
fn signs_of_life_rise_and_the_servers_progress_goes_on_above_them() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(7, "read_file", OUT));
    let question = bench.client.remove(0);
    for second in 1..45 {
        bench.at(second);
    }
    let beats = bench.client.len();
    assert_eq!(beats, 4, "one every ten seconds: {:?}", bench.client);
    accepts(&mut bench, &question, "allow once");
    assert_eq!(bench.server.len(), 1);
    for progress in [0.0, 0.5, 1.0] {
        let params = json!({ "progressToken": 7, "progress": progress, "total": 1.0 });
        bench.server_says(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }));
    }
    let values: Vec<f64> = bench.client.iter().map(|message| message["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(values.len(), beats + 3);
    let unsteady = values.windows(2).find(|pair| pair[1] < pair[0]);
    assert_eq!(unsteady, None, "{values:?}");
    assert!(bench.client.iter().all(|message| message["params"]["progressToken"] == 7));
}

#[test]
fn a_sealed_state_serves_until_it_expires_and_not_after() {
    for (second, good) in [(599, true), (601, false)] {
        let mut bench = Bench::opened(config(|_| {}), "unheard-of");
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        });
        let mut line = call(1, "read_file", OUT);
        line["params"]["_meta"] = meta;
        bench.client_says(&line);
        let asked = bench.client.remove(0);
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        bench.at(second);
        line["id"] = json!(2);
        line["params"]["requestState"] = asked["result"]["requestState"].clone();
        let own = own_key(asked["result"]["requestState"].as_str().unwrap());
        line["params"]["inputResponses"] = json!({ own: { "action": "accept", "content": { "decision": "allow once" } } });
        bench.client_says(&line);
        assert_eq!(bench.server.len(), usize::from(good), "after {second} s: {:?}", bench.client);
        let refused = bench.client.iter().any(|message| message["error"]["code"] == -32602);
        assert_eq!(refused, !good, "after {second} s: {:?}", bench.client);
    }
}

#[test]
fn a_server_that_starts_slowly_has_all_the_time_it_needs() {
    // f040, f041
    let mut bench = Bench::new(config(|_| {}));
    bench.client_says(
        &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {} } }),
    );
    for second in [40, 60, 3600] {
        bench.at(second);
        assert!(bench.client.is_empty());
    }
    let reply = json!({ "jsonrpc": "2.0", "id": 0, "result": { "protocolVersion": "2025-06-18", "capabilities": {} } });
    bench.server_says(&reply);
    assert_eq!(bench.client, [reply]);
}

#[test]
fn a_list_that_does_not_come_ends_the_call_after_a_minute() {
    let mut bench = Bench::new(config(|_| {}));
    bench.client_says(&call(1, "read_file", "a.txt"));
    assert!(bench.server[0].contains("tools/list"));
    bench.at(59);
    assert!(bench.client.is_empty());
    bench.at(60);
    assert_eq!(kind(&bench.client[0]), "unknown_tool");
    assert_eq!(bench.server.len(), 1);
}

#[test]
fn a_disk_that_does_not_answer_makes_the_call_one_that_is_asked_about() {
    let mut bench = Bench::opened(config(|config| config.channels = Vec::new()), "unheard-of");
    bench.disk_answers = false;
    bench.client_says(&call(1, "read_file", "a.txt"));
    bench.at(9);
    assert!(bench.client.is_empty());
    bench.at(10);
    assert!(kind(&bench.client[0]).is_string(), "{:?}", bench.client);
    assert!(bench.server.is_empty());
}

#[test]
fn a_call_that_takes_too_long_is_given_up_on_both_sides() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "read_file", "a.txt"));
    bench.at(899);
    assert_eq!((bench.server.len(), bench.client.len()), (1, 0));
    bench.at(900);
    assert!(bench.server[1].contains("notifications/cancelled"));
    assert_eq!(kind(&bench.client[0]), "call_timed_out");
    bench.at(5000);
    assert_eq!(bench.client.len(), 1);
}

#[test]
fn a_late_yes_is_good_for_one_repeat_of_the_same_call_for_a_while() {
    // g037; the question stays in the approver when the client has been told no
    let answers = |bench: &mut Bench| {
        let question = bench.asked.last().unwrap();
        let decisions = question.items.iter().map(|item| (item.key.clone(), Choice::Once)).collect();
        let channel = Answered::Socket { peer: "1 ann /dev/pts/1".to_owned() };
        let answer = Answer { decisions, reason: None, channel, asserted_by_client: false, ending: Ending::Decided };
        let question = question.id.clone();
        bench.feed(Event::Answered { question, answer });
    };
    for (wait, path, sent) in [(10, OUT, true), (10, "/gate/out/other", false), (16 * 60, OUT, false)] {
        let mut bench = Bench::opened(config(|config| config.channels = vec![Channel::Socket]), "unheard-of");
        bench.feed(Event::Approvers(true));
        bench.client_says(&call(1, "read_file", OUT));
        bench.at(50);
        assert_eq!(kind(bench.client.last().unwrap()), "timed_out");
        bench.at(60);
        answers(&mut bench);
        assert!(bench.server.is_empty(), "a late yes runs nothing by itself");
        bench.at(60 + wait);
        bench.client_says(&call(2, "read_file", path));
        assert_eq!(bench.server.len(), usize::from(sent), "{path} after {wait} s");
        let asked = bench.asked.len();
        bench.client_says(&call(3, "read_file", path));
        assert_eq!((bench.server.len(), bench.asked.len()), (usize::from(sent), asked + 1), "and only once");
    }
}

#[test]
fn a_sealed_state_expires() {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let params = json!({ "name": "read_file", "arguments": { "path": OUT }, "_meta": meta });
    for (seconds, good) in [(599, true), (601, false)] {
        let mut bench = Bench::opened(config(|_| {}), "unheard-of");
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
        let state = bench.client.remove(0)["result"]["requestState"].clone();
        bench.at(seconds);
        let mut retry = params.clone();
        retry["inputResponses"] =
            json!({ own_key(state.as_str().unwrap()): { "action": "accept", "content": { "decision": "allow once" } } });
        retry["requestState"] = state;
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": retry }));
        assert_eq!(bench.server.len(), usize::from(good));
        assert_eq!(bench.client.first().map(|message| message["error"]["code"].clone()), (!good).then_some(json!(-32602)));
    }
}

#[test]
fn calls_on_one_file_go_one_after_the_other_also_when_one_cannot_be_recorded() {
    let text = "version = 1\n[tools.write_file]\nwrite_paths = [\"/path\"]\n".to_owned();
    let policy = load(&[Text { name: "t.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap();
    let mut bench = Bench::opened(config(|config| config.policy = Arc::new(policy)), "unheard-of");
    for id in 1..=4 {
        bench.client_says(&call(id, "write_file", "a.txt"));
    }
    assert_eq!(bench.server.len(), 1);
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(bench.server.len(), 2);
    bench.client.clear();
    bench.records = false;
    bench.server_says(&json!({ "jsonrpc": "2.0", "id": 2, "result": {} }));
    let refused = bench.client.iter().filter(|message| kind(message) == "unrecorded").count();
    assert_eq!((refused, bench.server.len()), (2, 2), "the third does not keep the fourth waiting");
}

#[test]
fn a_clock_that_jumps_ahead_ends_what_is_open_and_no_answer_counts_after_it() {
    const DAY: u64 = 24 * 3600;
    for ticks in [true, false] {
        let mut bench = Bench::opened(config(|_| {}), "unheard-of");
        bench.client_says(&call(1, "write_file", "/gate/root/a.txt"));
        bench.client_says(&call(2, "read_file", OUT));
        let question = bench.client.remove(0);
        // The process may have slept, so that the answer is seen before the clock is.
        if ticks {
            bench.at(DAY)
        } else {
            bench.now = Duration::from_secs(DAY)
        }
        accepts(&mut bench, &question, "allow once");
        let ends: Vec<&Value> = bench.client.iter().map(kind).filter(|kind| !kind.is_null()).collect();
        assert_eq!(ends, ["timed_out", "call_timed_out"], "{ticks}");
        assert_eq!(bench.server.iter().filter(|line| line.contains("read_file")).count(), 0);
        bench.client.clear();
        bench.client_says(&call(3, "read_file", OUT));
        assert_eq!(bench.client[0]["method"], "elicitation/create", "the session goes on");
    }
}

#[test]
fn a_clock_that_jumps_back_ends_nothing_and_keeps_nothing_open_for_longer() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.at(1000);
    bench.client_says(&call(1, "read_file", OUT));
    let question = bench.client.remove(0);
    bench.at(0);
    accepts(&mut bench, &question, "allow once");
    assert_eq!(bench.server.len(), 1);
    bench.client_says(&call(2, "read_file", OUT));
    bench.client.clear();
    bench.at(900);
    assert!(bench.client.is_empty());
    bench.at(1050);
    assert_eq!(kind(bench.client.last().unwrap()), "timed_out");
}

#[test]
fn an_approver_that_goes_away_leaves_its_question_until_the_deadline() {
    let mut bench = Bench::opened(config(|config| config.channels = vec![Channel::Socket]), "unheard-of");
    bench.feed(Event::Approvers(true));
    bench.client_says(&call(1, "read_file", OUT));
    bench.feed(Event::Approvers(false));
    bench.client.clear();
    bench.at(49);
    assert!(bench.client.iter().all(|message| message["method"] == "notifications/progress"), "another approver may come");
    bench.client_says(&call(2, "read_file", OUT));
    assert_eq!(kind(bench.client.last().unwrap()), "no_approver", "a call that comes meanwhile does not wait");
    bench.at(50);
    assert_eq!(kind(bench.client.last().unwrap()), "timed_out");
    assert!(bench.server.is_empty());
}

#[test]
fn a_disk_that_fills_up_while_a_person_thinks_keeps_the_allowed_call_back() {
    let mut bench = Bench::opened(config(|_| {}), "unheard-of");
    bench.client_says(&call(1, "read_file", OUT));
    let question = bench.client.remove(0);
    bench.records = false;
    accepts(&mut bench, &question, "allow for this session");
    assert_eq!(kind(bench.client.last().unwrap()), "unrecorded");
    bench.records = true;
    bench.client_says(&call(2, "read_file", OUT));
    assert_eq!(bench.server.len(), 1, "the answer for the session holds once there is room again");
}

/// A session at an approver, with this `[approval]`.
fn paced(approval: &str) -> Bench {
    let text = format!("version = 1\n[approval]\n{approval}\n");
    let policy = load(&[Text { name: "t.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap();
    let mut bench = Bench::opened(config(|config| (config.policy, config.channels) = (Arc::new(policy), vec![Channel::Socket])), "any");
    bench.feed(Event::Approvers(true));
    bench
}

fn refuses(bench: &mut Bench) {
    let question = bench.asked.last().unwrap().id.clone();
    let answer = Answer::nothing(Answered::Socket { peer: "1 ann".to_owned() }, Ending::Declined);
    bench.feed(Event::Answered { question, answer });
}

/// How the last call was refused, and what the model reads.
fn last(bench: &Bench) -> (&Value, &str) {
    let message = bench.client.last().unwrap();
    (kind(message), message["result"]["content"][0]["text"].as_str().unwrap())
}

#[test]
fn many_refusals_of_one_kind_end_the_questions_about_it_for_a_while() {
    // g043
    let mut bench = paced("");
    for number in 0..16_u64 {
        bench.now = Duration::from_secs(number);
        bench.client_says(&call(number, "read_file", &format!("/gate/{number}/f")));
        refuses(&mut bench);
        assert_eq!(kind(bench.client.last().unwrap()), "denied_by_user");
    }
    bench.client_says(&call(100, "read_file", "/gate/100/f17"));
    assert_eq!((bench.asked.len(), last(&bench).0), (16, &json!("paused")));
    let told = "16 questions of the kind `outside` were refused within a minute; the gate asks again in 45 seconds";
    assert!(last(&bench).1.contains(told), "{}", last(&bench).1);
    bench.client_says(&call(101, "read_file", ".env"));
    assert_eq!(bench.asked.len(), 17, "another kind");
    bench.at(60);
    bench.client_says(&call(102, "read_file", "/gate/102/f"));
    assert_eq!(bench.asked.len(), 18, "the first of the sixteen is a minute ago");
}

#[test]
fn more_questions_than_a_person_can_read_are_not_asked() {
    for (approval, most) in [("", 60), ("questions_per_minute = 2", 2), ("questions_per_minute = 0", 100)] {
        let mut bench = paced(approval);
        for number in 0..100 {
            bench.client_says(&call(number, "read_file", &format!("/gate/{number}/f")));
        }
        assert_eq!(bench.asked.len(), most, "`{approval}`");
        assert_eq!(bench.client.iter().filter(|message| kind(message) == "paused").count(), 100 - most);
        if most < 100 {
            let told = format!("{most} questions were asked within a minute; the gate asks again in 60 seconds");
            assert!(last(&bench).1.contains(&told), "{}", last(&bench).1);
        }
        bench.at(61);
        bench.client_says(&call(200, "read_file", "/gate/200/f"));
        assert_eq!(bench.asked.len(), most + 1);
    }
}

#[test]
fn calls_that_wait_for_their_turn_are_not_asked_about_once_too_many_were_refused() {
    let text = "version = 1\n[approval]\nrefusals_per_minute = 2\n".to_owned();
    let policy = load(&[Text { name: "t.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap();
    let mut bench = Bench::opened(config(|config| config.policy = Arc::new(policy)), "any");
    for number in 0..20 {
        bench.client_says(&call(number, "read_file", &format!("/gate/{number}/f")));
    }
    for _ in 0..2 {
        let question = bench.client.iter().rfind(|message| message["method"] == "elicitation/create").unwrap().clone();
        bench.client_says(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }));
    }
    let count = |word: &str| bench.client.iter().filter(|message| kind(message) == word).count();
    assert_eq!((count("denied_by_user"), count("paused")), (1 + 4, 15));
}

#[test]
fn a_question_says_which_tool_is_known_to_destroy() {
    let text = "version = 1\n[tools.write_file]\ndestructive = true\n".to_owned();
    let policy = load(&[Text { name: "t.toml".to_owned(), text, trust: Trust::Trusted }]).unwrap();
    let mut bench = Bench::opened(config(|config| config.policy = Arc::new(policy)), "any");
    bench.client_says_together(&[call(1, "read_file", "/gate/a/f"), call(2, "write_file", "/gate/b/f")]);
    let message = bench.client[0]["params"]["message"].as_str().unwrap();
    assert!(message.contains("call 1: tool `read_file`, the agent") && message.contains("call 2: tool `write_file` (known to destroy)"));
}
