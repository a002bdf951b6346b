//! Finds the policy's texts on the disk, and knows which of them the user trusts.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use crate::escape::visible;
use crate::policy::{self, Policy, PolicyError, Text, Trust};
use crate::store::state;

/// What a project's policy file is called.
pub const PROJECT_FILE: &str = "callgate.toml";

/// A policy longer than this is none: reading it must not cost the start of a session.
const LONGEST: u64 = 1 << 20;

/// A policy or lock file that cannot be read; as bad as one that is not understood.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be used: {why}", visible(.file))]
pub struct Unreadable {
    file: String,
    why: String,
}

impl Unreadable {
    /// Says why `file` cannot be used.
    pub fn new(file: &Path, why: impl ToString) -> Self {
        Self { file: file.to_string_lossy().into_owned(), why: why.to_string() }
    }
}

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
        let text = read(file, Links::Followed)?.ok_or_else(|| Unreadable::new(file, "there is no such file"))?;
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
    error.chain().any(|cause| cause.is::<PolicyError>() || cause.is::<Unreadable>())
}

/// The user's own policy file, if there is one.
///
/// # Errors
/// If it is there and cannot be read.
pub fn user_text() -> Result<Option<Text>, Unreadable> {
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

/// Whether the user said that this file, with exactly this text, may loosen the policy.
///
/// # Errors
/// A trust store that is damaged: it must not count as an empty one, or a file once revoked could come back.
pub fn is_trusted(file: &Path, text: &str) -> anyhow::Result<bool> {
    let Ok(name) = canonical(file) else { return Ok(false) };
    Ok(trusted()?.get(&name).is_some_and(|hash| *hash == hash_of(text)))
}

/// Lets this file loosen the policy for as long as its text stays the same.
///
/// # Errors
/// If the store cannot be written.
pub fn trust(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut files = trusted()?;
    files.insert(canonical(file)?, hash_of(text));
    keep(&files)
}

/// Takes the trust back; says whether there was any.
///
/// # Errors
/// If the store cannot be written.
pub fn distrust(file: &Path) -> anyhow::Result<bool> {
    let mut files = trusted()?;
    let had = files.remove(&canonical(file)?).is_some();
    keep(&files)?;
    Ok(had)
}

/// Whether a link may stand in a file's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The user named the file, so the user's link is meant.
    Followed,
    /// The file came with a project: its link could point at any file of the user's, and errors quote lines.
    Refused,
}

/// Reads a policy file; nothing if there is none.
///
/// # Errors
/// A file that is no plain text file of a sensible length, or may not be read.
pub fn read(file: &Path, links: Links) -> Result<Option<String>, Unreadable> {
    read_within(file, links, LONGEST)
}

/// Reads a text file of at most `limit` bytes; nothing if there is none.
///
/// # Errors
/// As [`read()`].
pub fn read_within(file: &Path, links: Links, limit: u64) -> Result<Option<String>, Unreadable> {
    if links == Links::Refused && file.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Err(Unreadable::new(file, "it is a link; copy the file, or name it on the command line"));
    }
    let opened = match open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Unreadable::new(file, error)),
    };
    if !opened.metadata().is_ok_and(|found| found.is_file()) {
        return Err(Unreadable::new(file, "it is no plain file"));
    }
    let mut text = String::new();
    opened.take(limit + 1).read_to_string(&mut text).map_err(|error| Unreadable::new(file, error))?;
    if text.len() as u64 > limit {
        return Err(Unreadable::new(file, format!("it is longer than {} MiB", limit >> 20)));
    }
    Ok(Some(text))
}

/// Does not wait for the other end of a pipe that stands in the file's place.
#[cfg(unix)]
fn open(file: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).map_err(|_| io::ErrorKind::Unsupported)?;
    File::options().read(true).custom_flags(flags).open(file)
}

#[cfg(not(unix))]
fn open(file: &Path) -> io::Result<File> {
    File::open(file)
}

fn trust_store() -> anyhow::Result<PathBuf> {
    Ok(state::directory()?.join("trusted.json"))
}

/// Absolute file names with the SHA-256 of the text that is trusted.
fn trusted() -> anyhow::Result<BTreeMap<String, String>> {
    let store = trust_store()?;
    match read(&store, Links::Followed)? {
        None => Ok(BTreeMap::new()),
        Some(text) => serde_json::from_str(&text).map_err(|error| {
            anyhow::Error::from(Unreadable::new(&store, format!("it is damaged ({error}); remove it and run `callgate trust` again")))
        }),
    }
}

fn keep(files: &BTreeMap<String, String>) -> anyhow::Result<()> {
    let store = trust_store()?;
    let directory = store.parent().ok_or_else(|| anyhow!("no state directory is known; set HOME"))?;
    crate::report::audit::make_private(directory).with_context(|| format!("`{}` cannot be made", directory.display()))?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut file, files)?;
    file.write_all(b"\n")?;
    file.persist(&store).with_context(|| format!("`{}` cannot be written", store.display()))?;
    Ok(())
}

fn canonical(file: &Path) -> anyhow::Result<String> {
    let path = dunce::canonicalize(file).with_context(|| format!("`{}` cannot be found", visible(&file.to_string_lossy())))?;
    path.into_os_string().into_string().map_err(|path| anyhow!("the name `{}` is not valid UTF-8", visible(&path.to_string_lossy())))
}

fn hash_of(text: &str) -> String {
    crate::wire::hex(&Sha256::digest(text))
}
