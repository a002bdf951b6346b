//! `callgate log`: the audit in lines for people, or filtered as it stands.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, bail};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::Deserialize;

use crate::assembly::policy_files;
use crate::escape::visible;

/// Show the record of verdicts.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The log; the one in your state directory if absent.
    file: Option<PathBuf>,
    /// Print the matching lines as they stand.
    #[arg(long)]
    json: bool,
    /// Only what is not older: `90m`, `12h`, `7d`, `2026-11-30` or `2026-11-30T16:00:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only verdicts of this kind.
    #[arg(long, value_parser = ["allow", "ask", "deny"])]
    verdict: Option<String>,
    /// Only calls of this tool.
    #[arg(long)]
    tool: Option<String>,
}

/// What of a record is shown. It is read with more patience than it is written, because logs of older gates are shown as well.
#[derive(Deserialize)]
struct Shown {
    time: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    verdict: String,
    refusal: Option<String>,
    #[serde(default)]
    findings: Vec<ShownFinding>,
    answer: Option<ShownAnswer>,
    arguments: Option<String>,
    torn: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ShownFinding {
    kind: String,
    key: String,
    direction: String,
    argument: String,
    because: String,
}

#[derive(Deserialize)]
struct ShownAnswer {
    channel: String,
    peer: Option<String>,
    asserted_by_client: bool,
    choices: Vec<(String, String)>,
    latency_ms: u64,
}

/// Runs the subcommand: 0, or 5 if nothing matched.
///
/// # Errors
/// If the log cannot be read or `--since` is no time.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let since = arguments.since.as_deref().map(|text| moment(text, SystemTime::now().into())).transpose()?;
    let file = match &arguments.file {
        Some(file) => file.clone(),
        None => policy_files::audit_in_force()?,
    };
    let log = File::open(&file).with_context(|| format!("`{}` cannot be read", visible(&file.to_string_lossy())))?;
    match print(BufReader::new(log), arguments, since, &mut io::stdout().lock()) {
        Ok(0) => Ok(ExitCode::from(5)),
        Ok(_) => Ok(ExitCode::SUCCESS),
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error.into()),
    }
}

fn print(log: impl BufRead, arguments: &Arguments, since: Option<DateTime<Utc>>, out: &mut impl Write) -> io::Result<usize> {
    let mut printed = 0;
    for (index, line) in log.split(b'\n').enumerate() {
        let line = line?;
        match serde_json::from_slice::<Shown>(&line) {
            Ok(record) if !record.matches(arguments, since) => continue,
            Ok(_) if arguments.json => out.write_all(&[line.as_slice(), b"\n"].concat())?,
            Ok(record) => record.print(out)?,
            Err(_) if arguments.json => continue,
            Err(_) => writeln!(out, "line {} is no record; run `callgate verify`", index + 1)?,
        }
        printed += 1;
    }
    Ok(printed)
}

impl Shown {
    fn matches(&self, arguments: &Arguments, since: Option<DateTime<Utc>>) -> bool {
        let verdict = arguments.verdict.as_ref().is_none_or(|verdict| *verdict == self.verdict);
        let tool = arguments.tool.as_ref().is_none_or(|tool| *tool == self.tool);
        let time = DateTime::parse_from_rfc3339(&self.time).ok();
        verdict && tool && since.is_none_or(|since| time.is_none_or(|time| time >= since))
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if self.torn.is_some() {
            return writeln!(out, "{}  the line before was cut short by a crash or a full disk", visible(&self.time));
        }
        let refusal = self.refusal.as_ref().map(|refusal| format!("  ({})", visible(refusal))).unwrap_or_default();
        writeln!(
            out,
            "{}  {:<5}  {}/{}{refusal}",
            visible(&self.time),
            visible(&self.verdict),
            visible(&self.server),
            visible(&self.tool)
        )?;
        for finding in &self.findings {
            let place = if finding.argument.is_empty() { String::new() } else { format!(" in {}", visible(&finding.argument)) };
            writeln!(
                out,
                "    {}: {} ({}{place}): {}",
                visible(&finding.kind),
                visible(&finding.key),
                visible(&finding.direction),
                visible(&finding.because)
            )?;
        }
        if let Some(arguments) = &self.arguments {
            writeln!(out, "    arguments {}", visible(arguments))?;
        }
        self.answer.as_ref().map_or(Ok(()), |answer| answer.print(out))
    }
}

impl ShownAnswer {
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let claim = if self.asserted_by_client { ", asserted by the client" } else { "" };
        let peer = self.peer.as_ref().map(|peer| format!(" by {}", visible(peer))).unwrap_or_default();
        writeln!(out, "    answered through {}{peer}{claim}, after {} ms", visible(&self.channel), self.latency_ms)?;
        for (key, choice) in &self.choices {
            writeln!(out, "        {}: {}", visible(key), visible(choice))?;
        }
        Ok(())
    }
}

/// A point in time as it is written on the command line.
fn moment(text: &str, now: DateTime<Utc>) -> anyhow::Result<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    if let Some(midnight) = text.parse::<NaiveDate>().ok().and_then(|date| date.and_hms_opt(0, 0, 0)) {
        return Ok(midnight.and_utc());
    }
    let unit = text.chars().next_back().and_then(|unit| match unit {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(3600),
        'd' => Some(86_400),
        _ => None,
    });
    let count = unit.and_then(|unit| text.get(..text.len() - 1)?.parse::<i64>().ok()?.checked_mul(unit));
    match count.filter(|count| *count >= 0).and_then(TimeDelta::try_seconds).and_then(|span| now.checked_sub_signed(span)) {
        Some(time) => Ok(time),
        None => bail!("`{}` is no time; write `90m`, `12h`, `7d`, `2026-11-30` or `2026-11-30T16:00:00Z`", visible(text)),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::moment;

    #[test]
    fn times_are_read_in_each_form() {
        let now: DateTime<Utc> = "2026-11-30T16:00:00Z".parse().unwrap();
        for (text, time) in [
            ("90m", Some("2026-11-30T14:30:00Z")),
            ("2d", Some("2026-11-28T16:00:00Z")),
            ("2026-11-29", Some("2026-11-29T00:00:00Z")),
            ("2026-11-30T17:00:00+02:00", Some("2026-11-30T15:00:00Z")),
            ("yesterday", None),
            ("-1d", None),
            ("9999999999999999d", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(moment(text, now).ok(), time.map(|time| time.parse().unwrap()), "{text}");
        }
    }
}
