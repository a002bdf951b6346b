//! Text of an electronic book: its chapters in reading order (EPUB 3.3, package documents).
use std::collections::HashMap;
use std::io::{Read, Seek};

use anyhow::Context;
use percent_encoding::percent_decode_str;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::html;
use super::office::part;

/// Chapters of one book.
const CHAPTERS: usize = 2_000;

/// The text of all chapters.
pub fn text(document: impl Read + Seek) -> anyhow::Result<String> {
    let mut archive = ZipArchive::new(document)?;
    let container = part(&mut archive, "META-INF/container.xml")?;
    let package = elements(&container, "rootfile")?.first().and_then(|element| element.get("full-path").cloned());
    let package = package.context("the book names no package document")?;
    let directory = package.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("{directory}/"));
    let content = part(&mut archive, &package)?;
    let mut text = String::new();
    for chapter in chapters(&content)?.into_iter().take(CHAPTERS) {
        let name = format!("{directory}{}", percent_decode_str(&chapter).decode_utf8_lossy());
        text.push_str(&html::text(part(&mut archive, &name)?.as_bytes())?);
        text.push('\n');
    }
    Ok(text)
}

/// The files of the chapters, in the order of the spine.
fn chapters(package: &str) -> anyhow::Result<Vec<String>> {
    let files: HashMap<String, String> =
        elements(package, "item")?.into_iter().filter_map(|mut item| Some((item.remove("id")?, item.remove("href")?))).collect();
    let order = elements(package, "itemref")?;
    Ok(order.iter().filter_map(|item| files.get(item.get("idref")?).cloned()).collect())
}

/// The attributes of every element of a name.
fn elements(xml: &str, wanted: &str) -> anyhow::Result<Vec<HashMap<String, String>>> {
    let mut reader = Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(found),
            Event::Start(element) | Event::Empty(element) if element.local_name().into_inner() == wanted => {
                found.push(attributes(&element))
            }
            _ => {}
        }
    }
}

fn attributes(element: &BytesStart<'_>) -> HashMap<String, String> {
    let mut attributes = element.attributes();
    let pairs = attributes.with_checks(false).flatten();
    pairs.map(|attribute| (attribute.key.as_ref().to_owned(), attribute.value.into_owned())).collect()
}
