//! The admission scan: one pass over a line that checks grammar, depth and names, and notes where the members the gate reads are.
use std::ops::Range;

use super::events::{Event, Events, Fault, Text};
use super::names::{Names, Place};
use super::read::Side;
use super::refused::Reason;
use super::text::unescape;

/// One member of an object: the inside of its name and its value, as byte ranges of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub name: Text,
    pub value: Range<usize>,
}

/// Where things are in an admitted message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub top: Vec<Member>,
    pub params: Vec<Member>,
    pub meta: Vec<Member>,
    pub result: Vec<Member>,
    /// Raw line breaks stand between tokens.
    pub breaks: bool,
}

impl Layout {
    fn list(&mut self, place: Place) -> Option<&mut Vec<Member>> {
        match place {
            Place::Top => Some(&mut self.top),
            Place::Params => Some(&mut self.params),
            Place::Meta => Some(&mut self.meta),
            Place::Result => Some(&mut self.result),
            _ => None,
        }
    }
}

/// The value range of member `name`, compared decoded.
pub(super) fn find(line: &[u8], members: &[Member], name: &str) -> Option<Range<usize>> {
    let is_named = |text: Text| if text.escaped { unescape(text.of(line)).0 == name } else { text.of(line) == name.as_bytes() };
    members.iter().find(|member| is_named(member.name)).map(|member| member.value.clone())
}

struct Frame<'a> {
    place: Place,
    /// The place of the value that comes next: of the last named member, or of every element.
    child: Place,
    name: Option<Text>,
    value_at: usize,
    names: Names<'a>,
}

struct Scan<'a> {
    line: &'a [u8],
    from: Side,
    frames: Vec<Frame<'a>>,
    spare: Vec<Names<'a>>,
    layout: Layout,
    /// How many more values and names may come where the gate looks.
    left: usize,
    values: usize,
}

/// Scans a whole line, which is UTF-8.
pub(super) fn scan(line: &[u8], from: Side, depth: usize, values: usize) -> Result<Layout, Reason> {
    let mut events = Events::new(line, depth);
    let mut scan = Scan { line, from, frames: Vec::new(), spare: Vec::new(), layout: Layout::default(), left: values, values };
    while let Some(event) = events.next().map_err(|fault| reason(fault, depth))? {
        scan.take(event, events.range())?;
    }
    scan.layout.breaks = events.breaks;
    Ok(scan.layout)
}

fn reason(fault: Fault, depth: usize) -> Reason {
    match fault {
        Fault::Grammar(offset) => Reason::NotJson { offset },
        Fault::Depth => Reason::TooDeep { limit: depth },
    }
}

impl<'a> Scan<'a> {
    fn take(&mut self, event: Event, range: Range<usize>) -> Result<(), Reason> {
        if self.frames.last().is_none_or(|frame| frame.place != Place::Loose) {
            self.left = self.left.checked_sub(1).ok_or(Reason::TooMany { limit: self.values })?;
        }
        match event {
            Event::Key(name) => return self.name(name),
            Event::ObjectStart => self.open(range.start, true),
            Event::ArrayStart => self.open(range.start, false),
            Event::ObjectEnd | Event::ArrayEnd => {
                self.spare.extend(self.frames.pop().map(|frame| frame.names));
                let start = self.frames.last().map_or(0, |frame| frame.value_at);
                self.end_of_value(start..range.end);
            }
            _ => self.end_of_value(range),
        }
        Ok(())
    }

    fn open(&mut self, start: usize, object: bool) {
        let place = match self.frames.last_mut() {
            Some(frame) => {
                frame.value_at = start;
                frame.child
            }
            None => Place::Top,
        };
        // An array has no names of its own; its elements are ordinary insides.
        let place = if object || place == Place::Loose { place } else { Place::Strict };
        let mut names = self.spare.pop().unwrap_or_default();
        names.clear();
        self.frames.push(Frame { place, child: place, name: None, value_at: start, names });
    }

    fn name(&mut self, name: Text) -> Result<(), Reason> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        frame.name = Some(name);
        if frame.place == Place::Loose {
            return Ok(());
        }
        if !frame.names.add(self.line, name) {
            return Err(Reason::Duplicate { name: unescape(name.of(self.line)).0.into_owned() });
        }
        if frame.place != Place::Strict {
            let (text, _) = unescape(name.of(self.line));
            frame.place.look_alike(&text, name.escaped, self.from)?;
            frame.child = frame.place.inside(&text, self.from);
        }
        Ok(())
    }

    fn end_of_value(&mut self, value: Range<usize>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(name) = frame.name.take() else { return };
        if let Some(list) = self.layout.list(frame.place) {
            list.push(Member { name, value });
        }
    }
}
