//! A question as lines on a terminal, wrapped to its width, and long text a screen at a time.
use std::time::Instant;

use crate::escape::{visible, visible_within};
use crate::gate::{Choice, heading, remarks};

use super::prompt::{Tty, Typed};
use super::question_view::{ItemView, QuestionView};
use super::typed::{self, Challenge};

/// Lines of a screen that list, finding and choices take, as a rule.
const AROUND: usize = 22;
/// The arguments get at least this many lines, and not more characters than this.
const LEAST_LINES: usize = 4;
const MOST_TEXT: usize = 2000;
/// A dialogue of a helper program has no `view`, and room for more.
const IN_A_DIALOGUE: usize = 2000;
/// A longer part of a view than this is cut with a count.
const FIELD: usize = 1200;
/// More remarks than this are only counted.
const NOTES: usize = 40;
/// More items than this are only counted above the choices; each is drawn again when its turn comes.
const LISTED: usize = 6;

/// How many characters of arguments stand above the choices on a screen of this size; `view` shows the rest.
pub fn room((rows, columns): (usize, usize)) -> usize {
    (rows.saturating_sub(AROUND).max(LEAST_LINES) * columns).min(MOST_TEXT)
}

/// The question with its first findings and as much of the arguments as there is room for; the other findings are drawn when their turn
/// comes.
pub fn question(view: &QuestionView, room: usize) -> Vec<String> {
    with_items(view, LISTED, room)
}

/// The question with every finding, for a channel that takes one yes for all of them.
pub fn whole(view: &QuestionView) -> Vec<String> {
    with_items(view, usize::MAX, IN_A_DIALOGUE)
}

/// What can be typed for one item.
pub fn choices(item: &ItemView, number: usize, of: usize, offered: &[Choice], challenge: Challenge<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if of > 1 {
        lines.push(format!("{} of {of}: {}", number + 1, field(&item.headline)));
    }
    lines.push("type one of these; Enter alone is a no; `view` shows the arguments whole:".to_owned());
    let texts = (field(&item.scope), field(&item.rule));
    let explained = typed::explained(offered, item.calls.len(), challenge, (&texts.0, &texts.1));
    lines.extend(explained.into_iter().map(|line| format!("  {line}")));
    lines
}

/// Everything that is cut above: the arguments whole, and every path that an answer stands for.
pub fn details(view: &QuestionView) -> String {
    let of = view.calls.len();
    let calls = view.calls.iter().enumerate().map(|(place, call)| {
        let cut = if call.cut { " (cut: the middle was not handed over)" } else { "" };
        format!("{}{cut}: {}", heading((place, of), &call.tool, call.destructive, call.by_server), visible(&call.arguments))
    });
    let items = view.items.iter().map(|item| {
        let paths: Vec<String> = item.covered.iter().map(|path| visible(path)).collect();
        format!("{}: {}", visible(&item.key), if paths.is_empty() { "as above".to_owned() } else { paths.join(", ") })
    });
    calls.chain(std::iter::once("what is asked about, with every path of it:".to_owned())).chain(items).collect::<Vec<_>>().join("\n")
}

/// Whether the arguments stand whole above the choices.
pub fn shows_all(view: &QuestionView, room: usize) -> bool {
    let share = room / view.calls.len().max(1);
    view.calls.iter().all(|call| call.arguments.len() <= 4 * share && visible(&call.arguments).chars().count() <= share)
}

/// `texts` as lines of at most `columns` characters, each ended.
pub fn lines(texts: &[String], columns: usize) -> String {
    let mut out = String::new();
    for text in texts {
        let indent = text.chars().take_while(|c| *c == ' ').count().min(columns / 2);
        for (number, piece) in pieces(text, columns.saturating_sub(1), indent).into_iter().enumerate() {
            if number > 0 {
                out.extend(std::iter::repeat_n(' ', indent));
            }
            out.push_str(&piece);
            out.push('\n');
        }
    }
    out
}

/// Shows `text` a screen at a time, on the person's Enter.
pub fn through(tty: &Tty, text: &str, until: Instant, unwanted: &dyn Fn() -> bool) {
    let (rows, columns) = tty.size();
    let texts: Vec<String> = text.lines().map(str::to_owned).collect();
    let whole = lines(&texts, columns);
    let all: Vec<&str> = whole.lines().collect();
    let screens = all.chunks(rows.saturating_sub(2).max(1));
    let last = screens.len();
    for (number, screen) in screens.enumerate() {
        let next = if number + 1 < last { "Enter for more, `q` to stop" } else { "the end; Enter to go back" };
        let screen = format!("{}\n({} of {last}; {next}) ", screen.join("\n"), number + 1);
        if tty.write(&screen).is_err() || !matches!(tty.line(until, unwanted), Typed::Line(line) if line.is_empty()) {
            return;
        }
    }
}

fn with_items(view: &QuestionView, listed: usize, text: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for item in view.items.iter().take(listed) {
        lines.push(format!("* {}", field(&item.headline)));
        lines.extend(item.details.iter().map(|detail| format!("    {}", field(detail))));
    }
    if view.items.len() > listed {
        lines.push(format!("* and {} more, one after the other below", view.items.len() - listed));
    }
    lines.extend(remarks(&view.notes, NOTES, FIELD).into_iter().map(|note| format!("    {note}")));
    lines.push(field(&view.who));
    let of = view.calls.len();
    lines.extend(view.calls.iter().enumerate().map(|(place, call)| {
        let heading = heading((place, of), &call.tool, call.destructive, call.by_server);
        format!("{heading}: {}", visible_within(&call.arguments, text / of.max(1)))
    }));
    lines
}

fn field(text: &str) -> String {
    visible_within(text, FIELD)
}

/// Breaks at a blank where one is near the end of the line; a line is counted in characters, which `shown` text makes
/// honest enough: what takes no room is an escape there.
fn pieces(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut line = String::new();
    let mut width = 0;
    for c in text.chars() {
        let room = if out.is_empty() { columns } else { columns.saturating_sub(indent).max(10) };
        if width >= room {
            let (kept, carried) = broken(&line);
            width = carried.chars().count();
            out.push(kept);
            line = carried;
        }
        line.push(c);
        width += if c.is_ascii() { 1 } else { console::measure_text_width(c.encode_utf8(&mut [0; 4])) };
    }
    out.push(line);
    out
}

fn broken(line: &str) -> (String, String) {
    match line.rfind(' ') {
        Some(at) if at * 3 > line.len() * 2 => {
            let (kept, carried) = line.split_at_checked(at).unwrap_or((line, ""));
            (kept.to_owned(), carried.trim_start().to_owned())
        }
        _ => (line.to_owned(), String::new()),
    }
}
