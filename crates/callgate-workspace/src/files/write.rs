//! `write_file`: a file's whole content.
use std::io::Read;
use std::path::Path;

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::difference;
use crate::atomic;
use crate::outcome::{Payload, payloads};
use crate::place::{Base, open_regular};
use crate::work::Stop;

/// Arguments of `write_file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// File to write, relative to the root or absolute. Missing directories are made.
    pub path: String,
    /// The whole new content.
    pub content: String,
}

/// Result of `write_file`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct WriteFile {
    /// The file, relative to the root when it is below it.
    pub path: String,
    /// Whether the file was not there before.
    pub created: bool,
    /// Bytes written.
    pub bytes: u64,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// What changed, as a unified diff.
    pub diff: String,
    /// What else there is to know.
    pub note: Option<String>,
    /// Why nothing was written.
    pub error: Option<String>,
}

payloads!(WriteFile);

/// A file this large is replaced without a diff.
pub(super) const COMPARED: u64 = 4 << 20;
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Writes a file.
pub fn write_file(base: &Base, arguments: &Arguments, _stop: &Stop) -> WriteFile {
    let path = match base.resolve(&arguments.path) {
        Ok(path) => path,
        Err(error) => return WriteFile::failed(error),
    };
    let old = existing(&path);
    let content = old.as_ref().map_or_else(|| arguments.content.clone(), |old| in_style_of(old, &arguments.content));
    let mut result = WriteFile { path: base.show(&path), created: old.is_none(), ..WriteFile::default() };
    if let Err(error) = atomic::replace(&path, content.as_bytes()) {
        result.created = false;
        result.error = Some(format!("not written: {}", base.explain(&path, &error)));
        return result;
    }
    result.bytes = content.len() as u64;
    describe(&mut result, old.unwrap_or(Existing::Text(String::new())), &content);
    result
}

/// What stood in the file before.
enum Existing {
    Text(String),
    Other,
}

fn existing(path: &Path) -> Option<Existing> {
    std::fs::metadata(path).ok()?;
    let mut text = String::new();
    let read = open_regular(path).and_then(|file| file.take(COMPARED + 1).read_to_string(&mut text));
    Some(if read.is_ok_and(|length| length as u64 <= COMPARED) { Existing::Text(text) } else { Existing::Other })
}

/// A text that replaces another keeps its byte order mark and, unless it brings line ends of its own, its line ends.
fn in_style_of(old: &Existing, new: &str) -> String {
    let Existing::Text(old) = old else { return new.to_owned() };
    let mut text = if uses_crlf(old) && !new.contains('\r') { new.replace('\n', "\r\n") } else { new.to_owned() };
    if old.starts_with(BYTE_ORDER_MARK) && !text.starts_with(BYTE_ORDER_MARK) {
        text.insert(0, BYTE_ORDER_MARK);
    }
    text
}

/// Whether most line ends of a text are CRLF.
pub(super) fn uses_crlf(text: &str) -> bool {
    let pairs = text.matches("\r\n").count();
    pairs > 0 && pairs * 2 > text.matches('\n').count()
}

fn describe(result: &mut WriteFile, old: Existing, new: &str) {
    match old {
        Existing::Text(old) if new.len() as u64 <= COMPARED => {
            let difference = difference::between(&result.path, &old, new);
            (result.additions, result.deletions, result.diff) = (difference.additions, difference.deletions, difference.diff);
            result.note = (!result.created && old == new).then(|| "the file already held exactly this".to_owned());
        }
        _ => result.note = Some("no diff: the old or new content is too large, or the old one was no text".to_owned()),
    }
}
