//! `callgate check`: judge one call, or many, without sending anything.
use std::io::{BufRead, Read, Write};
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};

use crate::gate::{Finding, Reader, Told};
use crate::policy::{Effect, Platform};

use super::exit;
use super::judging::{Asked, Judgement, judge};
use crate::assembly::judge_context::JudgeContext;
use crate::assembly::options::Options;

/// Judge a call without sending it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where the call comes from: `-` for standard input, else a file
    #[arg(long, value_name = "FILE", default_value = "-")]
    call: String,
    /// One call per line, one answer per line
    #[arg(long)]
    batch: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: Options,
}

/// Runs the subcommand.
///
/// # Errors
/// Input or policy that is not understood.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let input = input(&arguments.call)?;
    let mut worst = Effect::Allow;
    let mut out = std::io::stdout().lock();
    let mut grounds = Grounds::default();
    let texts: Vec<&str> = if arguments.batch { input.lines().filter(|line| !line.trim().is_empty()).collect() } else { vec![&input] };
    for (number, text) in texts.iter().enumerate() {
        let asked: Asked = serde_json::from_str(text).with_context(|| format!("call {} is not understood", number + 1))?;
        let judgement = judge(grounds.of(&arguments.options, &asked)?, &asked, false)?;
        worst = worst.max(judgement.verdict);
        if arguments.json || arguments.batch {
            writeln!(out, "{}", as_json(&judgement, &asked.tool))?;
        } else {
            writeln!(out, "{}", message(&judgement, &asked.tool))?;
        }
    }
    anyhow::ensure!(!texts.is_empty(), exit::NothingDone("no call was given".to_owned()));
    Ok(if worst == Effect::Allow { ExitCode::SUCCESS } else { exit::FINDINGS.into() })
}

/// What calls of several servers are judged on, prepared once for each.
#[derive(Default)]
pub struct Grounds {
    known: Vec<(Option<Platform>, JudgeContext)>,
}

impl Grounds {
    /// The ground for `asked`.
    ///
    /// # Errors
    /// As [`JudgeContext::prepare`].
    pub fn of(&mut self, options: &Options, asked: &Asked) -> anyhow::Result<&JudgeContext> {
        let server = options.server.clone().or_else(|| asked.server.clone()).unwrap_or_else(|| "server".to_owned());
        let is_same = |(platform, ground): &(Option<Platform>, JudgeContext)| ground.server == server && *platform == asked.platform;
        let index = match self.known.iter().position(is_same) {
            Some(index) => index,
            None => {
                self.known.push((asked.platform, JudgeContext::prepare(options, &server, asked.platform)?));
                self.known.len() - 1
            }
        };
        self.known.get(index).map(|(_, ground)| ground).context("the ground was just prepared")
    }
}

/// The whole of `file`, or of standard input for `-`.
///
/// # Errors
/// A file that cannot be read, named.
pub fn input(file: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    if file == "-" {
        std::io::stdin().lock().read_to_string(&mut text).context("standard input cannot be read")?;
        return Ok(text);
    }
    let mut reader = std::io::BufReader::new(std::fs::File::open(file).with_context(|| format!("`{file}` cannot be opened"))?);
    while reader.read_line(&mut text).with_context(|| format!("`{file}` cannot be read"))? > 0 {}
    Ok(text)
}

fn message(judgement: &Judgement, tool: &str) -> String {
    let first = format!("{}: {}", judgement.verdict, crate::session::named_tool(tool));
    std::iter::once(first).chain(judgement.findings.iter().map(Finding::line)).collect::<Vec<_>>().join("\n")
}

fn as_json(judgement: &Judgement, tool: &str) -> Value {
    let findings: Vec<Told<'_>> = judgement.findings.iter().map(|finding| finding.told(Reader::Asker)).collect();
    json!({ "verdict": judgement.verdict.to_string(), "findings": findings, "message": message(judgement, tool) })
}

#[cfg(test)]
mod tests {
    use super::as_json;
    use crate::analyse::{Confidence, Discovered};
    use crate::cli::judging::Judgement;
    use crate::gate::{Finding, Key, Kind, PinStatus};
    use crate::policy::{Direction, Effect};

    #[test]
    fn an_answer_holds_these_members() {
        let placed = Finding {
            kind: Kind::Outside,
            action: Effect::Ask,
            key: Key::Directory("/out".into()),
            path: Some("/out/a".into()),
            covered: vec!["/out/a".into()],
            direction: Direction::Write,
            argument: "/path".to_owned(),
            raw: "/out/a".to_owned(),
            confidence: Confidence::Declared,
            because: "argument `path` (policy)".to_owned(),
        };
        let unplaced = Finding { path: None, confidence: Confidence::Guess, key: Key::Call("d".to_owned()), ..placed.clone() };
        let judgement = Judgement {
            verdict: Effect::Ask,
            findings: vec![placed, Finding { confidence: Confidence::Expected, ..unplaced.clone() }, unplaced],
            discovered: Discovered::default(),
            located: Vec::new(),
            pin_status: PinStatus::Known,
        };
        let rest = r#""direction":"write","key":"d","kind":"outside","path":null,"raw":"/out/a"}"#;
        let because = r#"{"action":"ask","argument":"/path","because":"argument `path` (policy)""#;
        let line = "- outside the permitted directories: at /path (`/out/a`): argument `path` (policy)";
        let wanted = format!(
            "{{\"findings\":[{because},\"confidence\":\"declared\",\"direction\":\"write\",\"key\":\"/out\",\"kind\":\"outside\",\"path\":\"/out/a\",\
             \"raw\":\"/out/a\"}},{because},\"confidence\":\"expected\",{rest},{because},\"confidence\":\"guess\",{rest}],\"message\":\"ask: `t`\\n\
             - outside the permitted directories: `/out/a` at /path (`/out/a`): argument `path` (policy)\\n{line}\\n{line}\",\"verdict\":\"ask\"}}"
        );
        assert_eq!(as_json(&judgement, "t").to_string(), wanted);
    }
}
