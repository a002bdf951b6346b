//! Which project files the user lets loosen the policy, each by the hash of its text, in a file of the user's state directory.
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use sha2::{Digest, Sha256};

use crate::escape::visible;
use crate::store::state;

use super::text_file::{Links, TextFileError, read};

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

fn trust_store() -> anyhow::Result<PathBuf> {
    Ok(state::directory()?.join("trusted.json"))
}

/// Absolute file names with the SHA-256 of the text that is trusted.
fn trusted() -> anyhow::Result<BTreeMap<String, String>> {
    let store = trust_store()?;
    match read(&store, Links::Followed)? {
        None => Ok(BTreeMap::new()),
        Some(text) => serde_json::from_str(&text).map_err(|error| {
            anyhow::Error::from(TextFileError::new(&store, format!("it is damaged ({error}); remove it and run `callgate trust` again")))
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
