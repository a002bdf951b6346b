//! One page of a text: lines from an offset, within a budget of characters and bytes.
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use crate::files::lines::{Lines, Part, Taken};

/// Which page is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// First line, from 1; negative counts from the end, -1 being the last line.
    pub offset: i64,
    /// Characters of that line to pass over.
    pub char_offset: u64,
    /// Lines at most.
    pub limit: u64,
    /// Characters at most.
    pub characters: u64,
    /// Bytes to look at, at most.
    pub scan: u64,
    /// Whether each line is preceded by its number.
    pub numbers: bool,
}

/// Why a page ends before the text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// The page is full of characters.
    CharBudget,
    /// The page has the lines that were asked for.
    LineLimit,
    /// Too many bytes would have to be looked at.
    ScanCap,
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The lines, joined by `\n`.
    pub content: String,
    /// Number of the first line, negative when counted from the end.
    pub first: Option<i64>,
    /// Number of the last line.
    pub last: Option<i64>,
    /// Lines of the whole text, when that is known.
    pub total: Option<u64>,
    /// Why it ends early.
    pub truncation: Option<Truncation>,
    /// Where the next page starts.
    pub next_offset: Option<i64>,
    /// Characters of that line already seen.
    pub next_char_offset: Option<u64>,
}

/// Why a text cannot be shown.
#[derive(Debug)]
pub enum Unreadable {
    /// It holds NUL bytes.
    Binary,
    /// A line is not valid UTF-8.
    Encoding(i64),
    /// The first line has no more characters than are to be passed over.
    PastLine(i64),
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Up to this many bytes after the page are read to learn the number of lines.
const COUNTED: u64 = 1 << 20;
const BLOCK: usize = 64 << 10;

/// Reads the page that was asked for.
pub fn page<R: Read + Seek>(source: &mut R, request: Request) -> Result<Page, Unreadable> {
    let size = source.seek(SeekFrom::End(0))?;
    let body = byte_order_mark(source, size)?;
    if request.offset < 0 {
        let start = tail_start(source, body, size, request.offset.unsigned_abs(), request.scan)?;
        if start.lines == 0 && size > body {
            return Ok(cut(Page::default(), Truncation::ScanCap, request.offset, None));
        }
        source.seek(SeekFrom::Start(start.position))?;
        let first = i64::try_from(start.lines).map_or(i64::MIN, |lines| -lines);
        let mut page = forward(bounded(source, size - start.position), Request { offset: first, ..request }, 0)?;
        page.total = start.whole.then_some(start.lines);
        return Ok(page);
    }
    source.seek(SeekFrom::Start(body))?;
    let skipped = u64::try_from(request.offset.max(1) - 1).unwrap_or(0);
    forward(bounded(source, size - body), Request { offset: request.offset.max(1), ..request }, skipped)
}

fn bounded<R: Read>(source: &mut R, length: u64) -> impl BufRead + '_ {
    io::BufReader::with_capacity(BLOCK, source.take(length))
}

/// Length of a UTF-8 byte order mark at the start.
fn byte_order_mark<R: Read + Seek>(source: &mut R, size: u64) -> io::Result<u64> {
    source.seek(SeekFrom::Start(0))?;
    let mut head = [0; 3];
    if size >= 3 {
        source.read_exact(&mut head)?;
    }
    Ok(if head == [0xEF, 0xBB, 0xBF] { 3 } else { 0 })
}

/// Passes over `skipped` lines, then collects lines numbered from the request's offset.
fn forward(reader: impl BufRead, request: Request, skipped: u64) -> Result<Page, Unreadable> {
    let mut lines = Lines::new(reader, request.scan);
    for passed in 0..skipped {
        match lines.take(Part::NONE, &mut Vec::new())? {
            Taken::Nothing => return Ok(Page { total: Some(passed), ..Page::default() }),
            Taken::Last => return Ok(Page { total: Some(passed + 1), ..Page::default() }),
            Taken::Capped | Taken::More => return Ok(cut(Page::default(), Truncation::ScanCap, passed.cast_signed() + 1, None)),
            Taken::Ended => {}
        }
    }
    let mut page = collect(&mut lines, request)?;
    if lines.saw_nul {
        return Err(Unreadable::Binary);
    }
    if request.offset > 0 && page.total.is_none() && page.next_char_offset.is_none() {
        lines.limit(COUNTED);
        page.total = lines.count_rest()?.zip(page.next_offset).map(|(rest, next)| rest + next.unsigned_abs() - 1);
    }
    Ok(page)
}

fn collect(lines: &mut Lines<impl BufRead>, request: Request) -> Result<Page, Unreadable> {
    let mut page = Page::default();
    let mut budget = request.characters;
    let mut number = request.offset;
    let mut skip = request.char_offset;
    let mut collected = 0;
    loop {
        if collected == request.limit || budget == 0 {
            let reason = if budget == 0 { Truncation::CharBudget } else { Truncation::LineLimit };
            return Ok(if lines.at_end()? { whole(page, number) } else { cut(page, reason, number, None) });
        }
        let label = if request.numbers { format!("{number}\t") } else { String::new() };
        let labelled = label.len() as u64;
        if collected > 0 && labelled >= budget {
            return Ok(if lines.at_end()? { whole(page, number) } else { cut(page, Truncation::CharBudget, number, None) });
        }
        let mut bytes = Vec::new();
        let taken = lines.take(Part::new(skip, budget.saturating_sub(labelled).max(1)), &mut bytes)?;
        if taken == Taken::Nothing {
            return Ok(whole(page, number));
        }
        let text = String::from_utf8(bytes).map_err(|_| if lines.saw_nul { Unreadable::Binary } else { Unreadable::Encoding(number) })?;
        let length = text.chars().count() as u64;
        if skip > 0 && text.is_empty() && taken != Taken::Capped {
            return Err(Unreadable::PastLine(number));
        }
        // A line that does not fit any more begins the next page, unless it is longer than a page of its own.
        if taken == Taken::More && collected > 0 {
            return Ok(cut(page, Truncation::CharBudget, number, None));
        }
        add_line(&mut page, number, &label, &text);
        collected += 1;
        match taken {
            Taken::More => return Ok(cut(page, Truncation::CharBudget, number, Some(skip + length))),
            Taken::Capped => return Ok(cut(page, Truncation::ScanCap, number, Some(skip + length))),
            _ => {}
        }
        budget = budget.saturating_sub(labelled + length + 1);
        number += 1;
        skip = 0;
    }
}

fn add_line(page: &mut Page, number: i64, label: &str, text: &str) {
    if page.first.is_none() {
        page.first = Some(number);
    } else {
        page.content.push('\n');
    }
    page.content.push_str(label);
    page.content.push_str(text);
    page.last = Some(number);
}

/// A page that reaches the end of the text; `number` would be the next line.
fn whole(mut page: Page, number: i64) -> Page {
    page.total = u64::try_from(number - 1).ok();
    page
}

fn cut(mut page: Page, reason: Truncation, next: i64, next_char: Option<u64>) -> Page {
    page.truncation = Some(reason);
    page.next_offset = Some(next);
    page.next_char_offset = next_char;
    page
}

/// Where the last lines begin.
struct Tail {
    position: u64,
    lines: u64,
    /// Whether that is the start of the text.
    whole: bool,
}

/// Looks backwards from the end for the start of the last `wanted` lines, block by block.
fn tail_start<R: Read + Seek>(source: &mut R, body: u64, size: u64, wanted: u64, scan: u64) -> io::Result<Tail> {
    let mut found = Tail { position: size, lines: 0, whole: false };
    let mut upper = size;
    // The byte after the one being looked at; at the very end there is none, and no line starts there.
    let mut after: Option<u8> = None;
    let mut block = vec![0; BLOCK];
    while upper > body && found.lines < wanted && size - upper < scan {
        let lower = upper.saturating_sub(BLOCK as u64).max(body);
        source.seek(SeekFrom::Start(lower))?;
        let Some(window) = usize::try_from(upper - lower).ok().and_then(|length| block.get_mut(..length)) else { break };
        source.read_exact(window)?;
        for (index, byte) in window.iter().enumerate().rev() {
            let ends_line = *byte == b'\n' || (*byte == b'\r' && after != Some(b'\n'));
            if ends_line && after.is_some() {
                found = Tail { position: lower + index as u64 + 1, lines: found.lines + 1, whole: false };
                if found.lines == wanted {
                    return Ok(found);
                }
            }
            after = Some(*byte);
        }
        upper = lower;
    }
    if upper == body && size > body && found.lines < wanted {
        found = Tail { position: body, lines: found.lines + 1, whole: true };
    }
    Ok(found)
}
