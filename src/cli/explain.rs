//! `callgate explain`: what was seen in a call, where it leads on the disk, which rule spoke, and what would change the verdict.
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::gate::{Finding, Form, Kind, Located, Outcome, RoleNote, shown_within};
use crate::policy::Action;
use crate::session::finding_line;

use super::check::{Grounds, confidence, input};
use super::exit;
use super::judging::{Asked, Judgement, judge};
use super::options::Options;
use super::setup::Ground;

/// Show how a call is judged, step by step.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The tool; without one, the call is read from `--call`
    tool: Option<String>,
    /// The tool's arguments: `name=value`, or one JSON object
    #[arg(value_name = "KEY=VALUE")]
    values: Vec<String>,
    /// Read the call as a JSON object from a file, or from standard input for `-`
    #[arg(long, value_name = "FILE", default_value = "-")]
    call: String,
    #[command(flatten)]
    options: Options,
}

/// Long values are cut for a person; the decision has seen all of them.
const SHOWN: usize = 300;

/// Runs the subcommand.
///
/// # Errors
/// Input or policy that is not understood.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let asked = asked(arguments)?;
    let mut grounds = Grounds::default();
    let ground = grounds.of(&arguments.options, &asked)?;
    let judgement = judge(ground, &asked, true)?;
    std::io::stdout().lock().write_all(told(ground, &asked, &judgement).as_bytes())?;
    Ok(if judgement.verdict == Action::Allow { ExitCode::SUCCESS } else { exit::FINDINGS.into() })
}

fn asked(arguments: &Arguments) -> anyhow::Result<Asked> {
    let Some(tool) = &arguments.tool else {
        return serde_json::from_str(&input(&arguments.call)?).context("the call is not understood");
    };
    Ok(Asked {
        server: None,
        tool: tool.clone(),
        arguments: values(&arguments.values)?,
        definition: Value::Null,
        paths: Vec::new(),
        platform: None,
    })
}

/// Arguments from the command line: `key=value` pairs, a value being JSON if it parses as such and text if not; or one JSON object.
///
/// # Errors
/// A word that is neither.
pub fn values(words: &[String]) -> anyhow::Result<Value> {
    if let [object] = words
        && let Ok(Value::Object(object)) = serde_json::from_str(object)
    {
        return Ok(Value::Object(object));
    }
    let mut object = Map::new();
    for word in words {
        let (key, text) = word.split_once('=').with_context(|| format!("`{}` is no `name=value`", shown_within(word, SHOWN)))?;
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        object.insert(key.to_owned(), value);
    }
    Ok(Value::Object(object))
}

/// The whole explanation.
pub fn told(ground: &Ground, asked: &Asked, judgement: &Judgement) -> String {
    let mut lines = Vec::new();
    lines.push(format!("call      `{}` of server `{}`", shown_within(&asked.tool, SHOWN), shown_within(&ground.server, SHOWN)));
    lines.push(format!("root      {}", ground.surroundings.root.display()));
    for directory in ground.surroundings.allowed_directories.iter().filter(|directory| **directory != ground.surroundings.root) {
        lines.push(format!("permitted {}", directory.display()));
    }
    lines.push(format!("access    {}", ground.access()));
    lines.push(String::new());
    lines.push("seen in the arguments".to_owned());
    lines.extend(seen(asked, &judgement.discovered.notes));
    lines.push(String::new());
    lines.push("looked up on the disk".to_owned());
    lines.extend(section(judgement.located.iter().flat_map(looked_up)));
    lines.push(String::new());
    if !judgement.standing.changed_lines().is_empty() {
        lines.push("changed in the tool's definition since it was locked".to_owned());
        lines.extend(section(judgement.standing.changed_lines().iter().map(|line| shown_within(line, SHOWN * 2))));
        lines.push(String::new());
    }
    lines.push("findings".to_owned());
    lines.extend(section(
        judgement.findings.iter().map(|finding| format!("{}  → {}", finding_line(finding).trim_start_matches("- "), finding.action)),
    ));
    lines.push(String::new());
    lines.push(format!("verdict   {}", judgement.verdict));
    lines.extend(judgement.findings.iter().map(|finding| format!("  to change it: {}", remedy(finding))));
    lines.push(String::new());
    lines.join("\n")
}

fn section(lines: impl Iterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    if lines.is_empty() { vec!["  nothing".to_owned()] } else { lines }
}

/// Each argument with its role; a command line with the role of each word under it.
fn seen(asked: &Asked, notes: &[RoleNote]) -> Vec<String> {
    let whole = notes.iter().filter(|note| note.span.is_none());
    let mut lines = Vec::new();
    for note in whole {
        // Words of a command within a command, or of a script that it runs, stand below its own.
        if let Some(place) = note.source.strip_prefix("programs table") {
            lines.push(format!("    `{}` {}{place}", shown_within(&note.text, SHOWN), note.role));
            continue;
        }
        lines.push(format!(
            "  {} = `{}`: {} (from {})",
            shown_within(&note.argument, SHOWN),
            shown_within(&note.text, SHOWN),
            note.role,
            note.source
        ));
        lines.extend(words(asked, note, notes));
    }
    if lines.is_empty() { vec!["  nothing that could be a place".to_owned()] } else { lines }
}

/// Words of one command line, in order, each below the place where it stands if the line is short and plain enough for that.
fn words(asked: &Asked, whole: &RoleNote, notes: &[RoleNote]) -> Vec<String> {
    let mut words: Vec<&RoleNote> = notes.iter().filter(|note| note.span.is_some() && note.argument == whole.argument).collect();
    words.sort_by_key(|note| note.span);
    let text = asked.arguments.pointer(&whole.argument).and_then(Value::as_str).unwrap_or_default();
    let plain = text.len() <= 100 && text.chars().all(|character| (' '..='~').contains(&character));
    let mut lines: Vec<String> = (plain && !words.is_empty()).then(|| format!("    {text}")).into_iter().collect();
    for word in words {
        let (from, to) = word.span.unwrap_or_default();
        let mark = if plain { format!("{}{}", " ".repeat(from), "^".repeat(to.saturating_sub(from).max(1))) } else { String::new() };
        let name = if plain { String::new() } else { format!("`{}` ", shown_within(&word.text, SHOWN)) };
        lines.push(format!("    {mark} {name}{}", word.role));
    }
    lines
}

fn looked_up(located: &Located) -> Vec<String> {
    let mention = &located.mention;
    let spelled = match &mention.form {
        Form::Path(text) | Form::Glob(text) | Form::NameOnly(text) | Form::Url(text) => text,
        Form::Unless { path, .. } => path,
    };
    let first = format!(
        "`{}` → `{}` ({}, {}; {})",
        shown_within(&mention.raw, SHOWN),
        shown_within(spelled, SHOWN),
        mention.direction,
        confidence(mention.confidence),
        mention.because
    );
    let rest = match &located.outcome {
        Outcome::Void => vec!["  counts for nothing: there is no such entry".to_owned()],
        Outcome::Unresolved(why) => vec![format!("  cannot be resolved: {why}")],
        Outcome::Places(places) => places
            .iter()
            .map(|place| {
                let link = if place.through_link { ", through a link" } else { "" };
                let exists = if place.exists { "exists" } else { "does not exist" };
                format!("  is `{}` ({exists}{link})", shown_within(&place.path.to_string_lossy(), SHOWN))
            })
            .collect(),
    };
    std::iter::once(first).chain(rest).collect()
}

fn remedy(finding: &Finding) -> String {
    let key = shown_within(&finding.key.text(), SHOWN);
    match finding.kind {
        Kind::Outside => format!("`--allow-dir '{key}'`, or `allow = [\"{key}\"]` under `[paths]`"),
        Kind::Sensitive => format!("`--allow-file '{key}'`, or `except = [\"…\"]` under `[sensitive]`"),
        Kind::Access => "`--access full`, or `read_only = true` for the tool in the policy if that is what it is".to_owned(),
        Kind::Unparsed => "write it more plainly, or answer the question".to_owned(),
        Kind::PrivateAddress => "answer the question".to_owned(),
        Kind::Rule => "change the rule it names".to_owned(),
        Kind::UnknownTool => "use a name that the server lists".to_owned(),
        Kind::Definition => "answer the question, or look at the tool and run `callgate lock`".to_owned(),
    }
}
