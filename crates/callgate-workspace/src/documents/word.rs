//! Office Open XML: paragraphs, runs, headings, lists and tables of word processors and slides (ECMA-376).
use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::markdown::{Blocks, Kind};
use super::office::{Dialect, attribute, read};

/// A document or slide as it is read.
#[derive(Debug, Default)]
pub struct Word {
    blocks: Blocks,
    styles: Styles,
    /// The open paragraphs: a text box stands within a paragraph and has its own.
    paragraphs: Vec<Paragraph>,
    /// Elements around the text of a run.
    texts: usize,
    /// Runs around the place.
    runs: usize,
    /// Elements around the place that only say again what stands elsewhere.
    fallbacks: usize,
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    heading: Option<usize>,
    /// The list it belongs to, and how deep.
    list: Option<String>,
    depth: usize,
}

/// What the styles of a document mean.
#[derive(Debug, Default)]
pub struct Styles {
    /// By the identifier of a style.
    meanings: HashMap<String, Meaning>,
    /// The list definition of each list, by its identifier.
    definitions: HashMap<String, String>,
    /// The definitions whose outermost level is numbered.
    numbered: HashMap<String, bool>,
    current: String,
    definition: Option<String>,
}

#[derive(Debug, Default)]
struct Meaning {
    heading: Option<usize>,
    list: Option<String>,
}

impl Word {
    /// A document with these styles.
    pub fn new(styles: Styles) -> Self {
        Self { styles, ..Self::default() }
    }

    /// Its text.
    pub fn finish(self) -> String {
        self.blocks.finish()
    }

    fn property(&mut self, name: &str, element: &BytesStart<'_>) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        let value = attribute(element, "val").unwrap_or_default();
        match name {
            "pStyle" => {
                let meaning = self.styles.meanings.get(&value);
                paragraph.heading = meaning.and_then(|meaning| meaning.heading);
                paragraph.list = meaning.and_then(|meaning| meaning.list.clone());
            }
            "outlineLvl" => paragraph.heading = heading(&value),
            // A paragraph leaves the list of its style by one that does not exist.
            "numId" => paragraph.list = Some(value).filter(|list| list != "0"),
            "ilvl" => paragraph.depth = value.parse().unwrap_or(0),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Some(Paragraph { text, heading, list, depth }) = self.paragraphs.pop() else { return };
        let kind = match (heading, list) {
            (Some(level), _) => Kind::Heading(level),
            (None, Some(list)) => Kind::Item { depth, is_numbered: self.styles.is_numbered(&list) },
            (None, None) => Kind::Plain,
        };
        self.blocks.paragraph(kind, &text);
    }

    fn push(&mut self, mark: char) {
        if let Some(paragraph) = self.paragraphs.last_mut().filter(|_| self.fallbacks == 0) {
            paragraph.text.push(mark);
        }
    }
}

impl Dialect for Word {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "Fallback" => self.fallbacks += 1,
            _ if self.fallbacks > 0 => {}
            "p" => self.paragraphs.push(Paragraph::default()),
            "r" => self.runs += 1,
            "t" => self.texts += 1,
            // Outside of a run it is the definition of a tab stop.
            "tab" if self.runs > 0 => self.push('\t'),
            "br" | "cr" => self.push('\n'),
            "tbl" => self.blocks.open_table(),
            _ => self.property(name, element),
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "Fallback" => self.fallbacks = self.fallbacks.saturating_sub(1),
            _ if self.fallbacks > 0 => {}
            "p" => self.end_paragraph(),
            "r" => self.runs = self.runs.saturating_sub(1),
            "t" => self.texts = self.texts.saturating_sub(1),
            "tc" => self.blocks.end_cell(1),
            "tr" => self.blocks.end_row(),
            "tbl" => self.blocks.close_table(),
            _ => {}
        }
    }

    fn text(&mut self) -> Option<&mut String> {
        let is_text = self.texts > 0 && self.fallbacks == 0;
        self.paragraphs.last_mut().filter(|_| is_text).map(|paragraph| &mut paragraph.text)
    }
}

impl Styles {
    /// Reads the parts of a document that define them; an empty one defines nothing.
    pub fn read(styles: &str, numbering: &str) -> anyhow::Result<Self> {
        let mut read_so_far = Self::default();
        read(styles, &mut read_so_far)?;
        read(numbering, &mut read_so_far)?;
        Ok(read_so_far)
    }

    fn is_numbered(&self, list: &str) -> bool {
        self.definitions.get(list).and_then(|definition| self.numbered.get(definition)).copied().unwrap_or(false)
    }

    fn meaning(&mut self) -> &mut Meaning {
        self.meanings.entry(self.current.clone()).or_default()
    }
}

impl Dialect for Styles {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let value = || attribute(element, "val").unwrap_or_default();
        match name {
            "style" => self.current = attribute(element, "styleId").unwrap_or_default(),
            // The name is the same in every language; the identifier is not.
            "name" => self.meaning().heading = named(&value()),
            "outlineLvl" => self.meaning().heading = heading(&value()),
            "numId" => self.meaning().list = Some(value()).filter(|list| list != "0"),
            "num" => self.current = attribute(element, "numId").unwrap_or_default(),
            "abstractNumId" => drop(self.definitions.insert(self.current.clone(), value())),
            "abstractNum" => self.definition = attribute(element, "abstractNumId"),
            "numFmt" => {
                if let Some(definition) = self.definition.take() {
                    self.numbered.insert(definition, !["bullet", "none"].contains(&value().as_str()));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, _name: &str) {}

    fn text(&mut self) -> Option<&mut String> {
        None
    }
}

/// The heading that a style's name stands for.
fn named(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    if name == "title" { Some(1) } else { name.strip_prefix("heading ")?.parse().ok().filter(|level| (1..=9).contains(level)) }
}

/// The heading of an outline level; the tenth is the body's.
fn heading(level: &str) -> Option<usize> {
    level.parse().ok().filter(|level| *level < 9).map(|level: usize| level + 1)
}
