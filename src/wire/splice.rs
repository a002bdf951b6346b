//! Byte splices of admitted JSON: members and elements by range, and edits that leave every other byte alone.
use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use super::events::{Event, Events, Text};
use super::text::{quoted, unescape};

/// One member or element of a container.
#[derive(Debug, Clone)]
struct Item {
    name: Option<Text>,
    /// Where the item begins: its name's quote, or its value.
    start: usize,
    value: Range<usize>,
}

/// The members of an admitted object: decoded name, range of the name with its quotes, range of the value. Nothing for other values.
pub fn members(object: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, Range<usize>, Range<usize>)> {
    items(object).into_iter().filter_map(|item| {
        let name = item.name?;
        Some((unescape(name.of(object)).0, item.start..name.end + 1, item.value))
    })
}

/// The ranges of the elements of an admitted array. Nothing for other values.
pub fn elements(array: &[u8]) -> impl Iterator<Item = Range<usize>> {
    items(array).into_iter().filter(|item| item.name.is_none()).map(|item| item.value)
}

/// The line with the bytes at `range` exchanged; the line as it is when the range lies outside it.
pub fn replace(line: &[u8], range: Range<usize>, with: &[u8]) -> Bytes {
    match (line.get(..range.start), line.get(range.clone()), line.get(range.end..)) {
        (Some(before), Some(_), Some(after)) => [before, with, after].concat().into(),
        _ => Bytes::copy_from_slice(line),
    }
}

/// The line with the bytes at each of these ranges exchanged; none may overlap another, and one outside the line changes nothing.
pub fn replace_all(line: &[u8], mut changes: Vec<(Range<usize>, Vec<u8>)>) -> Bytes {
    changes.sort_unstable_by_key(|(range, _)| range.start);
    let mut out = Vec::with_capacity(line.len() + changes.iter().map(|(_, with)| with.len()).sum::<usize>());
    let mut from = 0;
    for (range, with) in changes {
        let Some(before) = line.get(from..range.start).filter(|_| range.end <= line.len()) else { continue };
        out.extend_from_slice(before);
        out.extend_from_slice(&with);
        from = range.end;
    }
    out.extend_from_slice(line.get(from..).unwrap_or_default());
    out.into()
}

/// The line without member `name` of the object at `object`.
pub fn remove(line: &[u8], object: Range<usize>, name: &str) -> Bytes {
    edit(line, object, |text| edit_members(text, |member, _| if member == name { Edit::Drop } else { Edit::Keep }))
}

/// The line with member `name` of the object at `object` set to the JSON text `value`: in its place if it is there, else at the end.
pub fn insert(line: &[u8], object: Range<usize>, name: &str, value: &[u8]) -> Bytes {
    edit(line, object, |text| with_member(text, name, value))
}

/// The line with only those elements of the array at `array` that `keep` accepts.
pub fn retain(line: &[u8], array: Range<usize>, keep: impl FnMut(&[u8]) -> bool) -> Bytes {
    edit(line, array, |text| retained(text, keep))
}

/// An array's text with only those elements that `keep` accepts.
pub fn retained(array: &[u8], mut keep: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    rebuild(array, |item| match array.get(item.value.clone()) {
        Some(element) if !keep(element) => Edit::Drop,
        _ => Edit::Keep,
    })
}

/// What becomes of one item.
pub(super) enum Edit {
    Keep,
    Drop,
    Value(Vec<u8>),
}

/// An object's text with each member kept, dropped or given another value.
pub(super) fn edit_members(object: &[u8], mut decide: impl FnMut(&str, &[u8]) -> Edit) -> Vec<u8> {
    rebuild(object, |item| match item.name {
        Some(name) => decide(&unescape(name.of(object)).0, object.get(item.value.clone()).unwrap_or_default()),
        None => Edit::Keep,
    })
}

/// An object's text with a member set.
pub fn with_member(object: &[u8], name: &str, value: &[u8]) -> Vec<u8> {
    let mut found = false;
    let mut text = edit_members(object, |member, _| {
        if member == name {
            found = true;
            Edit::Value(value.to_vec())
        } else {
            Edit::Keep
        }
    });
    if !found && text.last() == Some(&b'}') {
        text.pop();
        if items(object).is_empty() { &b""[..] } else { b"," }.iter().for_each(|byte| text.push(*byte));
        text.extend(quoted(name));
        text.push(b':');
        text.extend(value);
        text.push(b'}');
    }
    text
}

fn edit(line: &[u8], range: Range<usize>, change: impl FnOnce(&[u8]) -> Vec<u8>) -> Bytes {
    let changed = line.get(range.clone()).map(change).unwrap_or_default();
    replace(line, range, &changed)
}

/// Writes a container again from its items, each with the blanks around it.
fn rebuild(text: &[u8], mut decide: impl FnMut(&Item) -> Edit) -> Vec<u8> {
    let items = items(text);
    let (Some(open), Some(close), false) = (text.first(), text.last(), items.is_empty()) else { return text.to_vec() };
    let mut out = Vec::with_capacity(text.len());
    out.push(*open);
    let mut from = 1;
    for (at, item) in items.iter().enumerate() {
        let gap = item.value.end..items.get(at + 1).map_or(text.len() - 1, |next| next.start);
        let blanks = text.get(gap.clone()).unwrap_or_default();
        let end = gap.start + memchr::memchr(b',', blanks).unwrap_or(blanks.len());
        let (value, separator) = (decide(item), if out.len() > 1 { &b","[..] } else { b"" });
        let parts = match &value {
            Edit::Drop => [&b""[..], b"", b"", b""],
            Edit::Keep => [separator, text.get(from..end).unwrap_or_default(), b"", b""],
            Edit::Value(value) => {
                [separator, text.get(from..item.value.start).unwrap_or_default(), value, text.get(item.value.end..end).unwrap_or_default()]
            }
        };
        out.extend(parts.concat());
        from = end + 1;
    }
    out.push(*close);
    out
}

/// The items of an admitted container, in order; stops early on text that was never admitted.
fn items(text: &[u8]) -> Vec<Item> {
    let mut events = Events::new(text, usize::MAX);
    let mut items: Vec<Item> = Vec::new();
    let (mut name, mut start) = (None, 0);
    while let Ok(Some(event)) = events.next() {
        let range = events.range();
        match (event, events.depth()) {
            (Event::Key(text), 1) => name = Some((text, range.start)),
            (Event::ObjectStart | Event::ArrayStart, 2) => start = range.start,
            (Event::ObjectEnd | Event::ArrayEnd, 1) => push(&mut items, name.take(), start..range.end),
            (Event::ObjectStart | Event::ArrayStart | Event::Key(_), _) => {}
            (_, 1) => push(&mut items, name.take(), range),
            _ => {}
        }
    }
    items
}

fn push(items: &mut Vec<Item>, name: Option<(Text, usize)>, value: Range<usize>) {
    let start = name.map_or(value.start, |(_, start)| start);
    items.push(Item { name: name.map(|(text, _)| text), start, value });
}
