//! `read_file`: a page of a file as text.
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::documents::Format;
use crate::files::text::{self, Page, Request, Truncation, Unreadable};
use crate::outcome::{Payload, payloads};
use crate::place::{Base, Nearby, open_regular, plain};
use crate::work::Stop;

/// Arguments of `read_file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// File to read, relative to the root or absolute.
    pub path: String,
    /// First line to return, counted from 1. A negative number counts from the end: -1 is the last line.
    #[serde(default = "one")]
    pub offset: i64,
    /// Characters of the first line to pass over; use `next_char_offset` of the last answer to go on inside a very long line.
    #[serde(default)]
    pub char_offset: u64,
    /// Lines to return at most; 500 if left out or null. Ask for more to get as many as the page has room for.
    #[serde(default = "page_lines")]
    pub limit: u64,
    /// Whether every line is preceded by its number and a tab. Turn it off to copy text for edit_file.
    #[serde(default = "yes")]
    pub line_numbers: bool,
    /// Whether a web page or office document is read as the file it is, not as its text. Use it before editing HTML.
    #[serde(default)]
    pub raw: bool,
}

/// Result of `read_file`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReadFile {
    /// The file, relative to the root when it is below it.
    pub path: String,
    /// The lines, joined by line feeds.
    pub content: String,
    /// `text`, or the document format the text was taken from.
    pub format: String,
    /// Number of the first line returned; negative when counted from the end.
    pub line_start: Option<i64>,
    /// Number of the last line returned.
    pub line_end: Option<i64>,
    /// Lines in the file, if they were counted.
    pub total_lines: Option<u64>,
    /// Whether the page ends before the file does.
    pub truncated: bool,
    /// Why.
    pub truncation_reason: Option<Truncation>,
    /// The most characters a page holds.
    pub char_budget: u64,
    /// `offset` of the next page.
    pub next_offset: Option<i64>,
    /// `char_offset` of the next page.
    pub next_char_offset: Option<u64>,
    /// For a missing file: the nearest directory that exists.
    pub nearest_directory: Option<String>,
    /// For a missing file: what is in that directory.
    pub nearby: Vec<String>,
    /// Advice on how to go on.
    pub note: Option<String>,
    /// Why there is no content.
    pub error: Option<String>,
}

payloads!(ReadFile);

/// Characters in one page.
pub const CHARACTERS: u64 = 20_000;
/// Bytes read of a file that the system makes up.
const MADE_UP: u64 = 4 << 20;
/// Bytes looked at for one page.
const SCAN: u64 = 256 << 20;

fn one() -> i64 {
    1
}

fn page_lines() -> u64 {
    500
}

fn yes() -> bool {
    true
}

/// Reads one page.
pub fn read_file(base: &Base, arguments: &Arguments, stop: &Stop) -> ReadFile {
    let path = match base.resolve(&arguments.path) {
        Ok(path) => path,
        Err(error) => return ReadFile::failed(error),
    };
    let mut file = match open_regular(&path) {
        Ok(file) => file,
        Err(error) => return missing(base, &path, base.explain(&path, &error)),
    };
    let mut result = ReadFile { path: base.show(&path), format: "text".to_owned(), char_budget: CHARACTERS, ..ReadFile::default() };
    let page = match Format::of(&path).filter(|_| !arguments.raw) {
        Some(format) => {
            format.word().clone_into(&mut result.format);
            base.converter().convert_file(format, file, stop).and_then(|text| {
                result.note = (text.trim().is_empty()).then(|| format.without_text().to_owned());
                read_page(&mut Cursor::new(text), arguments)
            })
        }
        None => read_text(&mut file, arguments),
    };
    match page {
        Ok(page) => fill(&mut result, page, arguments.offset),
        Err(error) => result.error = Some(error),
    }
    result
}

fn read_text(file: &mut File, arguments: &Arguments) -> Result<Page, String> {
    refuse_other_encodings(file)?;
    // Files that the system makes up as they are read say that they are empty.
    if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        let mut text = Vec::new();
        file.take(MADE_UP).read_to_end(&mut text).map_err(|error| format!("reading failed: {}", plain(&error)))?;
        return read_page(&mut Cursor::new(text), arguments);
    }
    read_page(file, arguments)
}

fn read_page<R: Read + Seek>(source: &mut R, arguments: &Arguments) -> Result<Page, String> {
    let Arguments { offset, char_offset, limit, line_numbers: numbers, .. } = *arguments;
    if limit == 0 {
        return Err("`limit` is 0, so nothing would be read; give at least 1".to_owned());
    }
    text::page(source, Request { offset, char_offset, limit, characters: CHARACTERS, scan: SCAN, numbers }).map_err(|reason| match reason {
        Unreadable::Binary => BINARY.to_owned(),
        Unreadable::Encoding(line) => format!("line {line} is not valid UTF-8; convert the file first, for example with `iconv`"),
        Unreadable::PastLine(line) => format!("`char_offset` is {char_offset}, and line {line} has no more characters; leave it out"),
        Unreadable::Io(error) => format!("reading failed: {}", plain(&error)),
    })
}

const BINARY: &str = "the file is binary (it holds NUL bytes), so it has no text to show";

/// Looks at the first bytes for what is certainly not UTF-8.
fn refuse_other_encodings(file: &mut File) -> Result<(), String> {
    let mut head = [0; 8192];
    let failed = |error: std::io::Error| format!("reading failed: {}", plain(&error));
    let length = file.read(&mut head).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let head = head.get(..length).unwrap_or_default();
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return Err("the file is UTF-16 or UTF-32, not UTF-8; convert it first, for example with `iconv -t utf-8`".to_owned());
    }
    if memchr::memchr(0, head).is_some() { Err(BINARY.to_owned()) } else { Ok(()) }
}

fn fill(result: &mut ReadFile, page: Page, offset: i64) {
    result.note = result.note.take().or_else(|| note(&page, offset));
    result.content = page.content;
    result.line_start = page.first;
    result.line_end = page.last;
    result.total_lines = page.total;
    result.truncated = page.truncation.is_some();
    result.truncation_reason = page.truncation;
    result.next_offset = page.next_offset;
    result.next_char_offset = page.next_char_offset;
}

fn note(page: &Page, offset: i64) -> Option<String> {
    match (page.truncation, page.next_offset, page.next_char_offset) {
        (Some(Truncation::ScanCap), ..) if page.first.is_none() => {
            Some("the line lies too far inside the file to be counted to; use grep, or an offset from the other end".to_owned())
        }
        (Some(_), Some(next), Some(character)) => {
            Some(format!("the line goes on: read again with offset {next} and char_offset {character}"))
        }
        (Some(_), Some(next), None) => Some(format!("there is more: read again with offset {next}, or use grep to find the place")),
        _ if page.first.is_none() && page.total == Some(0) => Some("the file is empty".to_owned()),
        _ if page.first.is_none() => page.total.map(|total| format!("offset {offset} is past the end: the file has {total} lines")),
        _ => None,
    }
}

/// The answer for a file that is not there, with what is.
fn missing(base: &Base, path: &Path, error: String) -> ReadFile {
    let Nearby { directory, names } = base.nearby(path);
    ReadFile {
        path: base.show(path),
        nearest_directory: Some(directory).filter(|directory| !directory.is_empty()),
        nearby: names,
        ..ReadFile::failed(error)
    }
}
