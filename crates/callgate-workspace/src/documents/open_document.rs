//! OpenDocument: paragraphs, headings, lists and tables (OASIS OpenDocument 1.3, part 3).
use std::collections::HashSet;

use quick_xml::events::BytesStart;

use super::markdown::{Blocks, Kind};
use super::office::{Dialect, attribute};

/// A document as it is read.
#[derive(Debug, Default)]
pub struct OpenDocument {
    blocks: Blocks,
    /// The open paragraphs and headings: a frame stands within a paragraph and has its own.
    paragraphs: Vec<(Kind, String)>,
    /// The styles whose lists are numbered.
    numbered: HashSet<String>,
    /// The style of lists that is being defined.
    style: String,
    /// For each list around the place whether it is numbered.
    lists: Vec<bool>,
    /// Whether an item began and has no paragraph yet.
    item_begins: bool,
    /// How often the open cells count.
    repeated: Vec<usize>,
    /// Elements around the place that are no text of the document.
    annotations: usize,
}

impl OpenDocument {
    /// Its text.
    pub fn finish(self) -> String {
        self.blocks.finish()
    }

    fn begin_list(&mut self, element: &BytesStart<'_>) {
        // A list within another one has its style from that.
        let named = attribute(element, "style-name").map(|style| self.numbered.contains(&style));
        self.lists.push(named.or(self.lists.last().copied()).unwrap_or(false));
    }

    fn begin_paragraph(&mut self) {
        let item = self.lists.last().filter(|_| std::mem::take(&mut self.item_begins));
        let kind = item.map_or(Kind::Plain, |is_numbered| Kind::Item { depth: self.lists.len() - 1, is_numbered: *is_numbered });
        self.paragraphs.push((kind, String::new()));
    }

    fn push(&mut self, mark: char, times: usize) {
        if let Some(text) = self.text() {
            text.extend(std::iter::repeat_n(mark, times));
        }
    }
}

impl Dialect for OpenDocument {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let number = |name: &str| attribute(element, name).and_then(|value| value.parse().ok());
        match name {
            "annotation" => self.annotations += 1,
            _ if self.annotations > 0 => {}
            "h" => self.paragraphs.push((Kind::Heading(number("outline-level").unwrap_or(1)), String::new())),
            "p" => self.begin_paragraph(),
            "s" => self.push(' ', number("c").unwrap_or(1).min(1_000)),
            "tab" => self.push('\t', 1),
            "line-break" => self.push('\n', 1),
            "list-style" => self.style = attribute(element, "name").unwrap_or_default(),
            "list-level-style-number" if number("level") == Some(1) => drop(self.numbered.insert(self.style.clone())),
            "list" => self.begin_list(element),
            "list-item" => self.item_begins = true,
            "table" => self.blocks.open_table(),
            "table-cell" | "covered-table-cell" => self.repeated.push(number("number-columns-repeated").unwrap_or(1)),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "annotation" => self.annotations = self.annotations.saturating_sub(1),
            _ if self.annotations > 0 => {}
            "p" | "h" => {
                if let Some((kind, text)) = self.paragraphs.pop() {
                    self.blocks.paragraph(kind, &text);
                }
            }
            "list" => drop(self.lists.pop()),
            "table-cell" | "covered-table-cell" => {
                let times = self.repeated.pop().unwrap_or(1);
                self.blocks.end_cell(times);
            }
            "table-row" => self.blocks.end_row(),
            "table" => self.blocks.close_table(),
            _ => {}
        }
    }

    fn text(&mut self) -> Option<&mut String> {
        self.paragraphs.last_mut().filter(|_| self.annotations == 0).map(|(_, text)| text)
    }
}
