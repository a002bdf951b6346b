//! The audit as a sink: the verdicts of one session, with the time they came.
use std::time::SystemTime;

use crate::gate::Verdict;

use super::super::Sink;
use super::log::Log;
use super::record::Record;

/// Writes the verdicts of one session into a log.
#[derive(Debug)]
pub struct Audit {
    log: Log,
    session: String,
    with_arguments: bool,
}

impl Audit {
    /// Into `log`, under the name of `session`, which is unique among gates; the arguments as they stood only where `with_arguments`.
    pub const fn new(log: Log, session: String, with_arguments: bool) -> Self {
        Self { log, session, with_arguments }
    }
}

impl Sink for Audit {
    fn record(&mut self, verdicts: &[&Verdict]) -> anyhow::Result<()> {
        let Self { log, session, with_arguments } = self;
        let time = SystemTime::now();
        let lines: Vec<Record<'_>> = verdicts.iter().map(|verdict| line(verdict, (time, session), *with_arguments)).collect();
        Ok(log.append(&lines)?)
    }
}

fn line<'a>(verdict: &'a Verdict, (time, session): (SystemTime, &'a str), with_arguments: bool) -> Record<'a> {
    Record { time, session, verdict, arguments: with_arguments.then_some(&verdict.arguments) }
}
