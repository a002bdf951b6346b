//! `callgate explain`: what was seen in a call, where it leads on the disk, which rule spoke, and what would change the verdict.
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::analyse::{Confidence, Form, RoleNote};
use crate::escape::{masked, visible_within};
use crate::gate::{Finding, Key, Kind, Located, Outcome, Place};
use crate::policy::Effect;
use crate::session::named_tool;

use super::check::{Grounds, input};
use super::exit;
use super::judging::{Asked, Judgement, judge};
use crate::assembly::judge_context::JudgeContext;
use crate::assembly::options::Options;

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
/// Longest line of a command under which its words are marked.
const LONGEST_LINE: usize = 120;

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
    Ok(if judgement.verdict == Effect::Allow { ExitCode::SUCCESS } else { exit::FINDINGS.into() })
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
        let (key, text) = word.split_once('=').with_context(|| format!("`{}` is no `name=value`", visible_within(word, SHOWN)))?;
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        object.insert(key.to_owned(), value);
    }
    Ok(Value::Object(object))
}

/// The whole explanation, as lines for a terminal.
pub fn told(ground: &JudgeContext, asked: &Asked, judgement: &Judgement) -> String {
    let mut lines = Vec::new();
    lines.push(format!("call      {} of server `{}`", named_tool(&asked.tool), visible_within(&ground.server, SHOWN)));
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
    lines.extend(section(looked_up(&judgement.located).into_iter()));
    lines.push(String::new());
    if !judgement.pin_status.changed_lines().is_empty() {
        lines.push("changed in the tool's definition since it was locked".to_owned());
        lines.extend(section(judgement.pin_status.changed_lines().iter().map(|line| visible_within(line, SHOWN * 2))));
        lines.push(String::new());
    }
    lines.push("findings".to_owned());
    lines.extend(section(
        judgement.findings.iter().map(|finding| format!("{}  → {}", finding.line().trim_start_matches("- "), finding.action)),
    ));
    lines.push(String::new());
    lines.push(format!("verdict   {}", judgement.verdict));
    match judgement.findings.as_slice() {
        [] => {}
        [one] => lines.push(format!("  to change it: {}", remedy(one))),
        all => {
            lines.push("  to change it, each of these:".to_owned());
            lines.extend(all.iter().map(|finding| format!("    {}", remedy(finding))));
        }
    }
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
            lines.push(format!("    `{}` {}{place}", visible_within(&note.text, SHOWN), note.role));
            continue;
        }
        let role = match note.role.as_str() {
            "unknown" => "no known role, so its value is looked at".to_owned(),
            role => format!("{role} (from {})", note.source),
        };
        lines.push(format!("  {} = `{}`: {role}", visible_within(&note.argument, SHOWN), visible_within(&note.text, SHOWN)));
        lines.extend(words(asked, note, notes));
    }
    if lines.is_empty() { vec!["  nothing that could be a place".to_owned()] } else { lines }
}

/// Words of one command, in order, each below the place where it stands in its line, if that line is short and plain enough.
fn words(asked: &Asked, whole: &RoleNote, notes: &[RoleNote]) -> Vec<String> {
    let text = asked.arguments.pointer(&whole.argument).and_then(Value::as_str).unwrap_or_default();
    let mut words: Vec<&RoleNote> = notes.iter().filter(|note| note.span.is_some() && note.argument == whole.argument).collect();
    words.sort_by_key(|note| note.span);
    words.dedup_by_key(|note| (note.span, note.role.clone()));
    let mut lines = Vec::new();
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let end = begin + line.len();
        let inside = |word: &&&RoleNote| word.span.is_some_and(|(from, _)| (begin..end).contains(&from));
        lines.extend(line_with_words(line.trim_end_matches('\n'), begin, words.iter().filter(inside)));
        begin = end;
    }
    lines
}

fn line_with_words<'n>(line: &str, begin: usize, words: impl Iterator<Item = &'n &'n RoleNote>) -> Vec<String> {
    // Carets below a line need its characters as they are; one that misleads is shown word by word instead.
    let is_plain = line.chars().count() <= LONGEST_LINE && masked(line) == line;
    let columns = |at: usize| line.get(..at.saturating_sub(begin)).map_or(0, |before| before.chars().count());
    let told = |word: &&RoleNote| {
        let (from, to) = word.span.unwrap_or_default();
        if is_plain {
            let (first, last) = (columns(from), columns(to));
            format!("    {}{} {}", " ".repeat(first), "^".repeat(last.saturating_sub(first).max(1)), word.role)
        } else {
            format!("    `{}` {}", visible_within(&word.text, SHOWN), word.role)
        }
    };
    let mut lines: Vec<String> = words.map(told).collect();
    if is_plain && !lines.is_empty() {
        lines.insert(0, format!("    {line}"));
    }
    lines
}

/// Where each mention leads; readings under which no entry exists are only counted.
fn looked_up(located: &[Located]) -> Vec<String> {
    let is_void = |one: &&Located| one.outcome == Outcome::Void;
    let mut lines: Vec<String> = located.iter().filter(|one| !is_void(one)).flat_map(place_of).collect();
    match located.iter().filter(is_void).count() {
        0 => {}
        1 => lines.push("one more reading names no existing entry and counts for nothing".to_owned()),
        more => lines.push(format!("{more} more readings name no existing entry and count for nothing")),
    }
    lines
}

fn place_of(located: &Located) -> Vec<String> {
    let mention = &located.mention;
    let spelled = mention.form.text();
    let known = match mention.confidence {
        Confidence::Guess => "a guess",
        Confidence::Expected => "as the caller says",
        Confidence::Declared => "as declared",
    };
    let from = if mention.raw == spelled { String::new() } else { format!(" → `{}`", visible_within(spelled, SHOWN)) };
    let first = format!("`{}`{from}: {}, {known}: {}", visible_within(&mention.raw, SHOWN), mention.direction, mention.because);
    let rest = match (&mention.form, &located.outcome) {
        (_, Outcome::Void) => Vec::new(),
        (_, Outcome::Unresolved(why)) => vec![format!("  cannot be resolved: {why}")],
        (Form::Url(_), _) => vec!["  is an address, not a place on the disk".to_owned()],
        (Form::NameOnly(_), _) => vec!["  is a name in another store, so only the name is judged".to_owned()],
        (_, Outcome::Places(places)) => places.iter().map(one_place).collect(),
    };
    std::iter::once(first).chain(rest).collect()
}

fn one_place(place: &Place) -> String {
    let exists = if place.exists { "exists" } else { "does not exist" };
    let link = if place.through_link { ", through a link" } else { "" };
    let names = if place.reaches_elsewhere { ", a hard link with a name elsewhere" } else { "" };
    format!("  is `{}` ({exists}{link}{names})", visible_within(&place.path.to_string_lossy(), SHOWN))
}

/// What would change the verdict; an answer to the question always would.
fn remedy(finding: &Finding) -> String {
    let key = visible_within(&finding.key.text(), SHOWN);
    let name = finding.path.as_deref().and_then(std::path::Path::file_name).map(|name| visible_within(&name.to_string_lossy(), SHOWN));
    match (finding.kind, &finding.key) {
        (Kind::Outside, Key::Directory(_)) => format!("`--allow-dir '{key}'`, or `allow = [\"{key}\"]` under `[paths]`"),
        (Kind::Outside, _) => format!("`--allow-file '{key}'`"),
        (Kind::Sensitive, _) => match name {
            Some(name) => format!("`--allow-file '{key}'`, or `except = [\"{name}\"]` under `[sensitive]`"),
            None => "name the file itself, or answer the question".to_owned(),
        },
        (Kind::Access, _) => "`--access full`, or `read_only = true` for the tool in the policy if that is what it is".to_owned(),
        (Kind::Unparsed, _) => "write it more plainly, or answer the question".to_owned(),
        (Kind::PrivateAddress, _) => "answer the question".to_owned(),
        (Kind::Rule, _) => "change the rule it names".to_owned(),
        (Kind::ServerRequest, _) => "`[server_requests]` in the policy".to_owned(),
        (Kind::UnknownTool, _) => "use a name that the server lists".to_owned(),
        (Kind::Definition, _) => "answer the question, or restart the session".to_owned(),
    }
}
