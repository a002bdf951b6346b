//! Markdown of office documents: parts of a zip archive that hold XML.
use std::io::{Read, Seek};

use anyhow::Context;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::open_document::OpenDocument;
use super::word::{Styles, Word};

pub use zip;

/// What a part of an archive may unpack to, in bytes.
const PART: u64 = 64 << 20;
/// Slides of one presentation.
const SLIDES: usize = 2_000;

/// How the elements of a format become text; names come without their prefix.
pub trait Dialect {
    /// An element begins.
    fn start(&mut self, name: &str, element: &BytesStart<'_>);
    /// An element ends.
    fn end(&mut self, name: &str);
    /// Where text goes; nowhere if what stands here is no text of the document.
    fn text(&mut self) -> Option<&mut String>;
}

/// A word processor's document.
pub fn docx(document: impl Read + Seek) -> anyhow::Result<String> {
    let mut archive = ZipArchive::new(document)?;
    let body = part(&mut archive, "word/document.xml")?;
    // A document may do without both.
    let [styles, numbering] = ["word/styles.xml", "word/numbering.xml"].map(|name| part(&mut archive, name).unwrap_or_default());
    let mut word = Word::new(Styles::read(&styles, &numbering)?);
    read(&body, &mut word)?;
    Ok(word.finish())
}

/// Slides, in order of their numbers.
pub fn pptx(document: impl Read + Seek) -> anyhow::Result<String> {
    let mut archive = ZipArchive::new(document)?;
    let names: Vec<String> = archive.file_names().filter_map(|name| name.ok().map(|name| name.into_owned())).collect();
    let number = |name: &String| name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse::<u32>().ok();
    let mut slides: Vec<(u32, String)> = names.into_iter().filter_map(|name| number(&name).map(|number| (number, name))).collect();
    slides.sort();
    anyhow::ensure!(!slides.is_empty(), "there are no slides");
    let mut text = Vec::new();
    for (number, name) in slides.into_iter().take(SLIDES) {
        let mut slide = Word::default();
        read(&part(&mut archive, &name)?, &mut slide)?;
        text.push(format!("## Slide {number}\n\n{}", slide.finish()));
    }
    Ok(text.join("\n\n"))
}

/// An OpenDocument text or presentation.
pub fn opendocument(document: impl Read + Seek) -> anyhow::Result<String> {
    let mut open = OpenDocument::default();
    read(&part(&mut ZipArchive::new(document)?, "content.xml")?, &mut open)?;
    Ok(open.finish())
}

/// Unpacks one part, within its bound.
pub fn part(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> anyhow::Result<String> {
    let entry = archive.by_name(name).with_context(|| format!("the archive has no `{name}`"))?;
    let mut text = String::new();
    entry.take(PART).read_to_string(&mut text)?;
    Ok(text)
}

/// Reads XML in a dialect.
pub fn read(xml: &str, dialect: &mut impl Dialect) -> anyhow::Result<()> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(()),
            Event::Start(element) => dialect.start(element.local_name().into_inner(), &element),
            Event::Empty(element) => {
                let name = element.local_name().into_inner();
                dialect.start(name, &element);
                dialect.end(name);
            }
            Event::End(element) => dialect.end(element.local_name().into_inner()),
            Event::Text(piece) => dialect.text().into_iter().for_each(|text| text.push_str(&piece)),
            Event::CData(piece) => dialect.text().into_iter().for_each(|text| text.push_str(&piece)),
            Event::GeneralRef(reference) => dialect.text().into_iter().for_each(|text| text.push_str(&resolved(&reference))),
            _ => {}
        }
    }
}

/// The value of an attribute by its name without prefix.
pub fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    attributes.find(|attribute| attribute.key.local_name().into_inner() == name).map(|attribute| attribute.value.into_owned())
}

/// The character an entity stands for; an unknown one stays as it is written, since a document may not define its own.
fn resolved(reference: &str) -> String {
    let written = format!("&{reference};");
    quick_xml::escape::unescape(&written).map_or_else(|_| written.clone(), |text| text.into_owned())
}
