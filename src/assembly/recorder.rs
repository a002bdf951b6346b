//! Between the session and the audit: each verdict becomes a line of the log.
use std::path::Path;
use std::time::SystemTime;

use crate::policy::ArgumentRecord;
use crate::report::audit::{Audit, Log};
use crate::report::{Sink, Sinks};
use crate::runtime;

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
