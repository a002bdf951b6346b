//! Exit codes and which error leads to which: fixed, because scripts and CI jobs read them.

/// Something failed: a server that does not start, a file that cannot be read, a tool that reports an error.
pub const FAILURE: u8 = 1;
/// The command line is not understood.
pub const USAGE: u8 = 2;
/// A call would be asked about or refused, or something else was found.
pub const FINDINGS: u8 = 3;
/// The policy is not understood.
pub const POLICY: u8 = 4;
/// There was nothing to do.
pub const NOTHING: u8 = 5;

/// There was nothing to do, and that is a fault.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NothingDone(pub String);

/// The exit code for an error.
pub fn code(problem: &anyhow::Error) -> u8 {
    match () {
        () if crate::assembly::policy_files::is_policy_error(problem) => POLICY,
        () if problem.chain().any(|cause| cause.is::<NothingDone>()) => NOTHING,
        () => FAILURE,
    }
}
