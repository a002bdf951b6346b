//! Between the session and what outlives it: verdicts into the audit, grants into the user's store.
use std::path::Path;
use std::time::SystemTime;

use crate::gate::{Key, Kind};
use crate::policy::ArgumentRecord;
use crate::report::audit::{Answered, Found, Log, Record};
use crate::runtime;
use crate::session::{Kept, RefusalReason, Verdict};
use crate::store::grants;

use super::judge_context::JudgeContext;

/// Writes verdicts of one session.
pub struct Recorder {
    log: Log,
    session: String,
    full: bool,
}

impl Recorder {
    /// Opens the log at `file`, else where the policy says, else in the user's state directory.
    ///
    /// # Errors
    /// A log that cannot be opened: without one no call would pass, so the gate does not start.
    pub fn open(file: Option<&Path>, ground: &JudgeContext) -> anyhow::Result<Self> {
        let settings = ground.policy.audit();
        let path = ground.surroundings.root.join(super::policy_files::audit_file(file, &ground.policy)?);
        let session = format!("{}-{:x}", std::process::id(), seconds());
        Ok(Self { log: Log::open(&path)?, session, full: settings.arguments.value == ArgumentRecord::Full })
    }

    /// The function that the driver calls before it acts on verdicts.
    pub fn record(self) -> runtime::Record {
        let Self { mut log, session, full } = self;
        Box::new(move |verdicts| {
            let lines: Vec<Record<'_>> = verdicts.iter().map(|verdict| line(verdict, &session, full)).collect();
            Ok(log.append(&lines)?)
        })
    }
}

fn line<'a>(verdict: &'a Verdict, session: &'a str, full: bool) -> Record<'a> {
    Record {
        time: SystemTime::now(),
        session,
        client: verdict.client.as_deref(),
        server: &verdict.server,
        tool: &verdict.tool,
        method: &verdict.method,
        id: &verdict.id,
        digest: &verdict.digest,
        verdict: verdict.decision,
        refusal: verdict.refusal.map(RefusalReason::word),
        findings: verdict.findings.iter().map(Found::from).collect(),
        answer: verdict.answer.as_ref().map(|note| Answered {
            channel: note.channel.to_owned(),
            peer: note.peer.clone(),
            asserted_by_client: note.asserted_by_client,
            choices: note.choices.iter().map(|(key, choice)| (key.clone(), (*choice).to_owned())).collect(),
            latency: note.latency,
        }),
        arguments: full.then_some(verdict.arguments.as_str()),
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The grants kept for later sessions. A store that is damaged or open to others stops the start: a gate must not guess what the
/// user once allowed (`lessons.md` 12).
///
/// # Errors
/// As said.
pub fn kept() -> anyhow::Result<Vec<Kept>> {
    let Ok(path) = grants::Grants::default_path() else { return Ok(Vec::new()) };
    Ok(grants::Grants::load(&path)?.list().iter().flat_map(as_kept).collect())
}

/// A kept file stands for both findings that can be about one.
fn as_kept(grant: &grants::Grant) -> Vec<Kept> {
    let directory = grant.directory.iter().map(|path| (Kind::Outside, Key::Directory(path.clone())));
    let file = grant.file.iter().flat_map(|path| [Kind::Outside, Kind::Sensitive].map(|kind| (kind, Key::File(path.clone()))));
    let of = |(kind, key)| Kept { server: grant.server.clone(), tool: grant.tool.clone(), definition: grant.definition.clone(), kind, key };
    directory.chain(file).map(of).collect()
}

/// Adds a grant to the store.
///
/// # Errors
/// When it cannot be written.
pub fn keep(kept: &Kept) -> anyhow::Result<()> {
    let mut store = grants::Grants::load(&grants::Grants::default_path()?)?;
    store.add(grants::Grant::new(&kept.server, &kept.tool, &kept.definition, &kept.key)?)?;
    Ok(())
}
