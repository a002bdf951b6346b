//! Finds the policy's texts on the disk, farthest first, and the audit log they name.
use std::path::{Path, PathBuf};

use anyhow::Context;
use etcetera::BaseStrategy;

use crate::policy::{self, Policy, PolicyError, Text, Trust};
use crate::store::state;

use super::text_file::{Links, TextFileError, read};
use super::trusted_files::is_trusted;

/// What a project's policy file is called.
pub const PROJECT_FILE: &str = "callgate.toml";

/// Makes the effective policy: `explicit` alone over the built-in one, or else the user's file and then the project's.
/// `CALLGATE_SENSITIVE_PATTERNS` (globs between commas, colons or line ends) is added to the sensitive names.
///
/// # Errors
/// A file that cannot be read or is not understood, an untrusted project file that loosens, a damaged trust store;
/// [`is_policy_error`] knows them.
pub fn policy(explicit: Option<&Path>, root: &Path) -> anyhow::Result<Policy> {
    let mut policy = policy::load(&texts(explicit, root)?)?;
    if let Ok(home) = etcetera::home_dir() {
        policy.expand_home(&home);
    }
    let patterns = std::env::var("CALLGATE_SENSITIVE_PATTERNS").unwrap_or_default();
    for pattern in patterns.split([',', ':', '\n']).map(str::trim).filter(|pattern| !pattern.is_empty()) {
        policy.add_sensitive(pattern, "CALLGATE_SENSITIVE_PATTERNS");
    }
    Ok(policy)
}

/// The texts that make the policy, farthest first.
///
/// # Errors
/// As [`policy()`].
pub fn texts(explicit: Option<&Path>, root: &Path) -> anyhow::Result<Vec<Text>> {
    if let Some(file) = explicit {
        let text = read(file, Links::Followed)?.ok_or_else(|| TextFileError::new(file, "there is no such file"))?;
        return Ok(vec![Text { name: file.to_string_lossy().into_owned(), text, trust: Trust::Trusted }]);
    }
    let mut texts: Vec<Text> = user_text()?.into_iter().collect();
    let file = root.join(PROJECT_FILE);
    if let Some(text) = read(&file, Links::Refused)? {
        let trust = if is_trusted(&file, &text)? { Trust::Trusted } else { Trust::Untrusted };
        texts.push(Text { name: PROJECT_FILE.to_owned(), text, trust });
    }
    Ok(texts)
}

/// Whether an error means that the policy or the lock file cannot be used (exit code 4).
pub fn is_policy_error(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<PolicyError>() || cause.is::<TextFileError>())
}

/// The user's own policy file, if there is one.
///
/// # Errors
/// If it is there and cannot be read.
pub fn user_text() -> Result<Option<Text>, TextFileError> {
    let Ok(base) = etcetera::base_strategy::Xdg::new() else { return Ok(None) };
    let file = base.config_dir().join("callgate/policy.toml");
    let text = read(&file, Links::Followed)?;
    Ok(text.map(|text| Text { name: file.to_string_lossy().into_owned(), text, trust: Trust::Trusted }))
}

/// Where verdicts are recorded: the command line's file, else the policy's, else one in the user's state directory.
///
/// # Errors
/// If none of them is known.
pub fn audit_file(given: Option<&Path>, policy: &Policy) -> anyhow::Result<PathBuf> {
    match (given, &policy.audit().file) {
        (Some(given), _) => Ok(given.to_owned()),
        (None, Some(file)) => Ok(match file.value.strip_prefix("~/") {
            Some(below) => etcetera::home_dir().context("no home directory is known; set HOME")?.join(below),
            None => PathBuf::from(&file.value),
        }),
        (None, None) => Ok(state::directory()?.join("audit.jsonl")),
    }
}

/// The log that a gate started here would write, for those who read it: a policy that cannot be used must not hide the record.
///
/// # Errors
/// As [`audit_file`].
pub fn audit_in_force() -> anyhow::Result<PathBuf> {
    audit_file(None, &policy(None, Path::new(".")).unwrap_or_default())
}
