//! `callgate demo`: a short tour on the built-in server and a scratch project, with a real gate in between.
use std::fs;
use std::io::{BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::report::audit::verify;

use crate::assembly::client::{Answers, GateClient, Handler, indented, text_of};

/// Take a two-minute tour on a scratch project.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Answer the questions by script, as without a terminal
    #[arg(long)]
    scripted: bool,
}

/// One stop of the tour.
struct Stop {
    title: &'static str,
    tool: &'static str,
    arguments: Value,
    /// What the tour promises: whether the call is refused when the question, if there is one, is answered as scripted.
    refused: bool,
}

/// A person takes about this long; the gate does not believe faster answers.
const PAUSE: Duration = Duration::from_millis(600);
const SHOWN_LINES: usize = 8;

/// Runs the subcommand.
///
/// # Errors
/// When the tour does not go as it should: it is also a test of the installation.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let by_hand = !arguments.scripted && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let scratch = tempfile::tempdir().context("no scratch directory can be made")?;
    let scratch_root = dunce::canonicalize(scratch.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime cannot be started")?;
    runtime.block_on(tour(&scratch_root, by_hand))?;
    Ok(ExitCode::SUCCESS)
}

async fn tour(scratch: &Path, by_hand: bool) -> anyhow::Result<()> {
    let (project, neighbour, audit) = (scratch.join("project"), scratch.join("neighbour"), scratch.join("audit.jsonl"));
    furnish(&project, &neighbour)?;
    say(&introduction(&project, by_hand))?;
    let mut words: Vec<String> = ["--root", &text(&project), "--audit", &text(&audit), "--server", "workspace"].map(str::to_owned).to_vec();
    if by_hand {
        words.push("--tty".to_owned());
    }
    let handler = Handler { answer: (!by_hand).then_some((scripted as Answers, PAUSE)) };
    // The tools refuse to run as the superuser unless told otherwise; here they only touch the scratch project.
    let client = GateClient::start(&words, &[("CALLGATE_ALLOW_ROOT_TOOLS", "1")], handler).await?;
    for (number, stop) in stops(&neighbour).into_iter().enumerate() {
        say(&format!("\n{}. {}\n   call {} {}", number + 1, stop.title, stop.tool, stop.arguments))?;
        visit(&client, stop, by_hand).await?;
    }
    client.end().await?;
    say(&show_audit(&audit)?)
}

/// What somebody might answer: yes to the notes next door, no to credentials.
fn scripted(message: &str) -> &'static str {
    if message.contains("credentials") { "deny" } else { "allow once" }
}

/// What a person wants to see of a result: the tools' own text where there is one, else all of it.
fn readable(result: &CallToolResult) -> (String, bool) {
    let (text, refused) = text_of(result);
    let part = |name: &str| result.structured_content.as_ref()?.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let shown = ["content", "stdout", "diff"].into_iter().find_map(part).unwrap_or(text);
    (shown, refused)
}

async fn visit(client: &GateClient, stop: Stop, by_hand: bool) -> anyhow::Result<()> {
    let Value::Object(arguments) = stop.arguments else { anyhow::bail!("a stop's arguments are an object") };
    let result = client.call(stop.tool, arguments).await?;
    let (text, refused) = readable(&result);
    let shown: Vec<&str> = text.lines().take(SHOWN_LINES).collect();
    say(&format!("   {}\n{}", if refused { "refused:" } else { "went through:" }, indented(&shown.join("\n"))))?;
    anyhow::ensure!(by_hand || refused == stop.refused, "the gate did not decide as this tour promises");
    Ok(())
}

fn furnish(project: &Path, neighbour: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(project.join("src"))?;
    fs::create_dir_all(neighbour)?;
    fs::write(project.join("README.md"), "# A scratch project\nNothing here matters.\n")?;
    fs::write(project.join("src/main.rs"), "fn main() {\n    println!(\"hello\");\n}\n")?;
    fs::write(project.join(".env"), "TOKEN=not-a-real-one\n")?;
    fs::write(neighbour.join("notes.txt"), "Notes of the project next door.\n")?;
    Ok(())
}

fn stops(neighbour: &Path) -> [Stop; 6] {
    let outside = text(&neighbour.join("notes.txt"));
    [
        Stop { title: "Inside the project nothing is asked", tool: "read_file", arguments: json!({ "path": "README.md" }), refused: false },
        Stop {
            title: "Writing inside it is your business, too",
            tool: "write_file",
            arguments: json!({ "path": "notes/today.md", "content": "one line\n" }),
            refused: false,
        },
        Stop {
            title: "A command that stays inside goes through",
            tool: "run_command",
            arguments: json!({ "command": "ls -a && grep -c hello src/main.rs" }),
            refused: false,
        },
        Stop { title: "A file next door is asked about", tool: "read_file", arguments: json!({ "path": outside }), refused: false },
        Stop {
            title: "So is a command that sneaks out, and a file with credentials",
            tool: "run_command",
            arguments: json!({ "command": "cat .env ../neighbour/notes.txt" }),
            refused: true,
        },
        Stop { title: "A tool the server does not have is refused", tool: "format_disk", arguments: json!({}), refused: true },
    ]
}

fn introduction(project: &Path, by_hand: bool) -> String {
    let how = if by_hand { "You answer the questions." } else { "Without a terminal the questions are answered by script." };
    format!(
        "callgate stands between an MCP client and a server, here the built-in workspace server.\nThe project is {}. {how}",
        project.display()
    )
}

fn show_audit(audit: &Path) -> anyhow::Result<String> {
    let lines = fs::read_to_string(audit).context("the audit of the tour cannot be read")?;
    let checked = verify(BufReader::new(fs::File::open(audit)?))?;
    checked.map_err(|broken| anyhow::anyhow!("the audit of the tour does not hold: {broken:?}"))?;
    let entries = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rows = entries.map(|entry| {
        let part = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let kinds: Vec<&str> =
            entry.get("findings").and_then(Value::as_array).into_iter().flatten().filter_map(|found| found.get("kind")?.as_str()).collect();
        format!("   {:6} {:12} {}", part("verdict"), part("tool"), kinds.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    anyhow::ensure!(!rows.is_empty(), "the audit of the tour is empty");
    Ok(format!(
        "\nThe audit has a line for each verdict, written before it was acted on, and its chain holds:\n{}\n\nNext: put `callgate run --` in front of a server's command in your client's configuration (README, Situations).",
        rows.join("\n")
    ))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn say(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}").context("standard output cannot be written")
}
