//! Between the session and what outlives it: verdicts into the audit, grants into the user's store.
use std::path::Path;
use std::time::SystemTime;

use crate::gate::{Key, Kind};
use crate::policy::ArgumentRecord;
use crate::report::audit::{Audit, Log};
use crate::report::{Sink, Sinks};
use crate::runtime;
use crate::session::Kept;
use crate::store::grants;

use super::judge_context::JudgeContext;

/// The function that the driver calls before it acts on verdicts: the audit at `file`, else where the policy says, else in the user's state
/// directory.
///
/// # Errors
/// A log that cannot be opened: without one no call would pass, so the gate does not start.
pub fn record(file: Option<&Path>, ground: &JudgeContext) -> anyhow::Result<runtime::Record> {
    let path = ground.surroundings.root.join(super::policy_files::audit_file(file, &ground.policy)?);
    let session = format!("{}-{:x}", std::process::id(), seconds());
    let with_arguments = ground.policy.audit().arguments.value == ArgumentRecord::Full;
    let mut sinks = Sinks::with_audit(Audit::new(Log::open(&path)?, session, with_arguments));
    Ok(Box::new(move |verdicts| sinks.record(verdicts)))
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The grants kept for later sessions. A store that is damaged or open to others stops the start: a gate must not guess what the
/// user once allowed.
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
