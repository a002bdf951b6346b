//! `edit_file`: a span of a file, replaced.
use std::io::Read;
use std::path::Path;

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::difference;
use crate::atomic;
use crate::files::replacing::{self, Replaced};
use crate::files::write::{BYTE_ORDER_MARK, uses_crlf};
use crate::outcome::{Payload, payloads};
use crate::place::{Base, Nearby, open_regular, plain};
use crate::work::Stop;

/// Arguments of `edit_file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// File to change, relative to the root or absolute.
    pub path: String,
    /// The text to replace, quoted exactly, with enough lines to stand only once in the file.
    pub old_string: String,
    /// What takes its place; may be empty.
    pub new_string: String,
    /// Whether every place is replaced, not just the only one.
    #[serde(default)]
    pub replace_all: bool,
}

/// Result of `edit_file`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct EditFile {
    /// The file, relative to the root when it is below it.
    pub path: String,
    /// Places replaced.
    pub replacements: u64,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// How the text was found: `exact`, or the looser reading that found it.
    pub matcher: Option<String>,
    /// What changed, as a unified diff.
    pub diff: String,
    /// For a missing file: the nearest directory that exists.
    pub nearest_directory: Option<String>,
    /// For a missing file: what is in that directory.
    pub nearby: Vec<String>,
    /// What else there is to know.
    pub note: Option<String>,
    /// Why nothing was changed.
    pub error: Option<String>,
}

payloads!(EditFile);

/// Larger files are not edited.
const SIZE: u64 = 64 << 20;

/// Edits a file.
pub fn edit_file(base: &Base, arguments: &Arguments, _stop: &Stop) -> EditFile {
    let path = match check(arguments).and_then(|()| base.resolve(&arguments.path)) {
        Ok(path) => path,
        Err(error) => return EditFile::failed(error),
    };
    let mut result = EditFile { path: base.show(&path), ..EditFile::default() };
    match read(base, &path, &mut result).and_then(|old| change(&old, arguments).map(|(new, replaced)| (old, new, replaced))) {
        Ok((old, new, replaced)) => store(base, &path, (&old, &new), &replaced, &mut result),
        Err(error) => result.error = Some(error),
    }
    result
}

fn check(arguments: &Arguments) -> Result<(), String> {
    if arguments.old_string.is_empty() {
        return Err("`old_string` is empty; quote the text to replace, or use write_file for a whole file".to_owned());
    }
    if arguments.old_string == arguments.new_string {
        return Err("`old_string` and `new_string` are the same, so nothing would change".to_owned());
    }
    Ok(())
}

fn read(base: &Base, path: &Path, result: &mut EditFile) -> Result<String, String> {
    let file = open_regular(path).map_err(|error| {
        let Nearby { directory, names } = base.nearby(path);
        if error.kind() == std::io::ErrorKind::NotFound {
            (result.nearest_directory, result.nearby) = (Some(directory).filter(|directory| !directory.is_empty()), names);
        }
        base.explain(path, &error)
    })?;
    let mut bytes = Vec::new();
    let length = file.take(SIZE + 1).read_to_end(&mut bytes).map_err(|error| format!("reading failed: {}", plain(&error)))?;
    if length as u64 > SIZE {
        return Err(format!("the file is larger than {} MiB; change it with run_command", SIZE >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| "the file is not valid UTF-8, so its text cannot be edited".to_owned())?;
    if text.contains('\0') { Err("the file is binary (it holds NUL bytes), so its text cannot be edited".to_owned()) } else { Ok(text) }
}

/// Finds and replaces on a reading with plain line feeds; what is not replaced keeps every byte.
fn change(old: &str, arguments: &Arguments) -> Result<(String, Replaced), String> {
    let body = old.strip_prefix(BYTE_ORDER_MARK).unwrap_or(old);
    let mark = old.len() - body.len();
    let crlf = uses_crlf(body);
    let removed = carriage_returns(body);
    let (plain, wanted, new) =
        (body.replace("\r\n", "\n"), arguments.old_string.replace("\r\n", "\n"), arguments.new_string.replace("\r\n", "\n"));
    let replaced = replacing::find(&plain, &wanted, &new, arguments.replace_all)?;
    let original = |at: usize| mark + at + removed.partition_point(|carriage| *carriage < at);
    let mut text = String::with_capacity(old.len());
    let mut done = 0;
    for (span, replacement) in &replaced.changes {
        text.push_str(old.get(done..original(span.start)).unwrap_or_default());
        text.push_str(&if crlf { replacement.replace('\n', "\r\n") } else { replacement.clone() });
        done = original(span.end);
    }
    text.push_str(old.get(done..).unwrap_or_default());
    Ok((text, replaced))
}

/// Where in the reading with plain line feeds a line feed lost its carriage return.
fn carriage_returns(text: &str) -> Vec<usize> {
    text.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect()
}

fn store(base: &Base, path: &Path, (old, new): (&str, &str), replaced: &Replaced, result: &mut EditFile) {
    if let Err(error) = atomic::replace(path, new.as_bytes()) {
        result.error = Some(format!("not written: {}", base.explain(path, &error)));
        return;
    }
    let difference = difference::between(&result.path, old, new);
    (result.additions, result.deletions, result.diff) = (difference.additions, difference.deletions, difference.diff);
    result.replacements = replaced.changes.len() as u64;
    result.matcher = Some(replaced.matcher.to_owned());
    if replaced.matcher != "exact" {
        result.note =
            Some(format!("`old_string` was not quoted exactly; it was found by the {} reading, so check the diff", replaced.matcher));
    }
}
