//! `callgate policy test`: a policy's own cases, each judged and compared with what its author wants.
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde_json::Value;

use crate::escape::visible_within;
use crate::gate::Finding;
use crate::policy::Effect;

use super::check::Grounds;
use super::exit;
use super::judging::{Asked, judge};
use crate::assembly::options::Options;
use crate::assembly::text_file::{Links, read};

/// Judge the calls of a file and compare each verdict with the one wanted.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The cases: TOML with a `[[cases]]` table for each call
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    cases: Vec<Case>,
}

/// One call with the verdict it must get.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What the case is about.
    name: Option<String>,
    server: Option<String>,
    tool: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
    /// The tool as its server lists it, where that matters.
    #[serde(default)]
    definition: Value,
    want: Want,
    /// A text that must stand in one of the reasons.
    because: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Allow,
    Ask,
    Deny,
}

/// What became of a call.
#[derive(Debug, PartialEq, Eq)]
struct Judged {
    verdict: Effect,
    reasons: Vec<String>,
}

/// Runs the subcommand: 0 when every call got its verdict, 3 when one did not, 5 when the file has no case.
///
/// # Errors
/// A file of cases or a policy that is not understood.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = arguments.file.to_string_lossy().into_owned();
    let text = read(&arguments.file, Links::Followed)?.with_context(|| format!("there is no file `{}`", visible_within(&name, 200)))?;
    let table: Table = toml::from_str(&text).map_err(|error| anyhow!("`{}`: {error}", visible_within(&name, 200)))?;
    let mut grounds = Grounds::default();
    let (report, failed) = compare(&table.cases, |case| {
        let asked = case.asked();
        let judgement = judge(grounds.of(&arguments.options, &asked)?, &asked, false)?;
        Ok(Judged { verdict: judgement.verdict, reasons: judgement.findings.iter().map(Finding::line).collect() })
    })?;
    print!("{report}");
    Ok(match failed {
        0 if table.cases.is_empty() => exit::NOTHING.into(),
        0 => ExitCode::SUCCESS,
        _ => exit::FINDINGS.into(),
    })
}

/// Judges each case; returns the report and how many did not get what they want.
fn compare(cases: &[Case], mut judged: impl FnMut(&Case) -> anyhow::Result<Judged>) -> anyhow::Result<(String, usize)> {
    let mut report = String::new();
    let mut failed = 0;
    for (index, case) in cases.iter().enumerate() {
        let what = case.name.as_deref().map_or_else(|| format!("`{}`", visible_within(&case.tool, 80)), |name| visible_within(name, 200));
        let judged = judged(case).with_context(|| format!("case {} ({what}) cannot be judged", index + 1))?;
        if let Some(wrong) = case.differs(&judged) {
            failed += 1;
            writeln!(report, "case {} ({what}): {wrong}", index + 1)?;
            judged.reasons.iter().try_for_each(|reason| writeln!(report, "    {reason}"))?;
        }
    }
    match (cases.len(), failed) {
        (0, _) => writeln!(report, "the file has no `[[cases]]`")?,
        (all, 0) => writeln!(report, "ok: {all} cases")?,
        (all, failed) => writeln!(report, "{failed} of {all} cases differ")?,
    }
    Ok((report, failed))
}

impl Case {
    fn asked(&self) -> Asked {
        Asked {
            server: self.server.clone(),
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            definition: self.definition.clone(),
            paths: Vec::new(),
            platform: None,
        }
    }

    fn differs(&self, judged: &Judged) -> Option<String> {
        let want = match self.want {
            Want::Allow => Effect::Allow,
            Want::Ask => Effect::Ask,
            Want::Deny => Effect::Deny,
        };
        if judged.verdict != want {
            return Some(format!("wants {want}, gets {}", judged.verdict));
        }
        let because = self.because.as_ref().filter(|because| !judged.reasons.iter().any(|reason| reason.contains(because.as_str())));
        because.map(|because| format!("gets {want}, but no reason holds `{}`", visible_within(because, 200)))
    }
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

#[cfg(test)]
mod tests {
    use super::{Judged, Table, compare};
    use crate::policy::Effect;

    #[test]
    fn a_verdict_and_its_reason_must_both_be_as_wanted() {
        let text = r#"
            cases = [
                { tool = "a", want = "ask", because = "outside" },
                { tool = "b", want = "deny" },
                { tool = "c", want = "ask", because = "sensitive", name = "keys" },
            ]
        "#;
        let table: Table = toml::from_str(text).unwrap();
        let judged = |_: &_| Ok(Judged { verdict: Effect::Ask, reasons: vec!["outside: /x".to_owned()] });
        let (report, failed) = compare(&table.cases, judged).unwrap();
        assert_eq!(failed, 2);
        assert_eq!(
            report,
            "case 2 (`b`): wants deny, gets ask\n    outside: /x\ncase 3 (keys): gets ask, but no reason holds `sensitive`\n    outside: /x\n2 of 3 cases differ\n"
        );
    }
}
