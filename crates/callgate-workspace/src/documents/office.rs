//! Text of office documents: parts of a zip archive that hold XML.
use std::io::{Read, Seek};

use anyhow::Context;
use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;

pub use zip;

/// What a part of an archive may unpack to, in bytes.
const PART: u64 = 64 << 20;
/// Slides of one presentation.
const SLIDES: usize = 2_000;

/// How the elements of a format map to text; names without their prefix.
struct Elements {
    /// Text within these counts.
    text: &'static [&'static str],
    /// These end a paragraph.
    paragraph: &'static [&'static str],
    /// These stand for a tab.
    tab: &'static [&'static str],
    /// These stand for a line end.
    line: &'static [&'static str],
}

const OFFICE_OPEN: Elements = Elements { text: &["t"], paragraph: &["p"], tab: &["tab"], line: &["br", "cr"] };
const OPEN_DOCUMENT: Elements = Elements { text: &["p", "h"], paragraph: &["p", "h"], tab: &["tab"], line: &["line-break"] };

/// Text of a word processor's document.
pub fn docx(document: impl Read + Seek) -> anyhow::Result<String> {
    text_of(&part(&mut ZipArchive::new(document)?, "word/document.xml")?, &OFFICE_OPEN)
}

/// Text of slides, in order of their numbers.
pub fn pptx(document: impl Read + Seek) -> anyhow::Result<String> {
    let mut archive = ZipArchive::new(document)?;
    let names: Vec<String> = archive.file_names().filter_map(|name| name.ok().map(|name| name.into_owned())).collect();
    let number = |name: &String| name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse::<u32>().ok();
    let mut slides: Vec<(u32, String)> = names.into_iter().filter_map(|name| number(&name).map(|number| (number, name))).collect();
    slides.sort();
    anyhow::ensure!(!slides.is_empty(), "there are no slides");
    let mut text = String::new();
    for (number, name) in slides.into_iter().take(SLIDES) {
        text.push_str(&format!("[slide {number}]\n{}\n", text_of(&part(&mut archive, &name)?, &OFFICE_OPEN)?));
    }
    Ok(text)
}

/// Text of an OpenDocument text or presentation.
pub fn opendocument(document: impl Read + Seek) -> anyhow::Result<String> {
    text_of(&part(&mut ZipArchive::new(document)?, "content.xml")?, &OPEN_DOCUMENT)
}

/// Unpacks one part, within its bound.
pub fn part(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> anyhow::Result<String> {
    let entry = archive.by_name(name).with_context(|| format!("the archive has no `{name}`"))?;
    let mut text = String::new();
    entry.take(PART).read_to_string(&mut text)?;
    Ok(text)
}

fn text_of(xml: &str, elements: &Elements) -> anyhow::Result<String> {
    let mut reader = Reader::from_str(xml);
    let mut text = String::new();
    let mut depth = 0_usize;
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(text),
            Event::Start(element) => {
                let name = element.local_name().into_inner().to_owned();
                depth += usize::from(elements.text.contains(&name.as_str()));
                text.push_str(mark(&name, elements));
            }
            Event::Empty(element) => {
                let name = element.local_name().into_inner().to_owned();
                text.push_str(mark(&name, elements));
                text.push_str(if elements.paragraph.contains(&name.as_str()) { "\n" } else { "" });
            }
            Event::End(element) => {
                let name = element.local_name().into_inner().to_owned();
                depth = depth.saturating_sub(usize::from(elements.text.contains(&name.as_str())));
                text.push_str(if elements.paragraph.contains(&name.as_str()) { "\n" } else { "" });
            }
            Event::Text(piece) if depth > 0 => text.push_str(&piece),
            Event::CData(piece) if depth > 0 => text.push_str(&piece),
            Event::GeneralRef(reference) if depth > 0 => text.push_str(&resolved(&reference)),
            _ => {}
        }
    }
}

fn mark(name: &str, elements: &Elements) -> &'static str {
    match name {
        _ if elements.tab.contains(&name) => "\t",
        _ if elements.line.contains(&name) => "\n",
        "s" if elements.text.contains(&"h") => " ",
        _ => "",
    }
}

/// The character an entity stands for; an unknown one stays as it is written, since a document may not define its own.
fn resolved(reference: &str) -> String {
    let written = format!("&{reference};");
    quick_xml::escape::unescape(&written).map_or_else(|_| written.clone(), |text| text.into_owned())
}
