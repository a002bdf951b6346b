//! Blocks of Markdown, put together as a document is read: headings, list items, paragraphs and tables.

/// What a paragraph is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Ordinary text.
    #[default]
    Plain,
    /// A heading of this level, from 1.
    Heading(usize),
    /// An item of a list.
    Item {
        /// Lists around the one it stands in.
        depth: usize,
        /// Whether the list is numbered.
        is_numbered: bool,
    },
}

/// Markdown so far.
#[derive(Debug, Default)]
pub struct Blocks {
    text: String,
    /// Whether the last block is an item, so that another one follows without a blank line.
    after_item: bool,
    /// The tables that are open, one within the other.
    tables: Vec<Table>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    cell: String,
}

/// Cells of one row; a document that repeats a cell more often is damaged or hostile.
const CELLS: usize = 1_000;

impl Blocks {
    /// All of it.
    pub fn finish(self) -> String {
        self.text
    }

    /// Adds a paragraph, to the open cell if there is one.
    pub fn paragraph(&mut self, kind: Kind, text: &str) {
        let text = text.trim_end();
        if text.trim().is_empty() {
            return;
        }
        if let Some(table) = self.tables.last_mut() {
            return table.add(text);
        }
        match kind {
            Kind::Plain => self.block(text, false),
            Kind::Heading(level) => self.block(&format!("{} {}", "#".repeat(level.clamp(1, 6)), one_line(text)), false),
            Kind::Item { depth, is_numbered } => {
                let (mark, width) = if is_numbered { ("1. ", 3) } else { ("- ", 2) };
                let before = " ".repeat(depth.min(10) * width);
                self.block(&format!("{before}{mark}{}", text.replace('\n', &format!("\n{before}{}", " ".repeat(width)))), true);
            }
        }
    }

    /// Opens a table, within the open cell if there is one.
    pub fn open_table(&mut self) {
        self.tables.push(Table::default());
    }

    /// Ends a cell that counts `times` times.
    pub fn end_cell(&mut self, times: usize) {
        if let Some(table) = self.tables.last_mut() {
            let cell = std::mem::take(&mut table.cell);
            let room = CELLS.saturating_sub(table.row.len());
            table.row.extend(std::iter::repeat_n(cell, times.min(room)));
        }
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            let row = std::mem::take(&mut table.row);
            table.rows.push(row);
        }
    }

    /// Ends a table. One that stands in a cell of another becomes the text of that cell.
    pub fn close_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        match self.tables.last_mut() {
            Some(outer) => table.rows.iter().for_each(|row| outer.add(&row.join(" ").replace("\\|", "|"))),
            None => self.block(&pipes(&table.rows), false),
        }
    }

    fn block(&mut self, block: &str, is_item: bool) {
        if block.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if is_item && self.after_item { "\n" } else { "\n\n" });
        }
        self.text.push_str(block);
        self.after_item = is_item;
    }
}

impl Table {
    fn add(&mut self, text: &str) {
        if !self.cell.is_empty() {
            self.cell.push(' ');
        }
        self.cell.push_str(&cell(text));
    }
}

/// Rows as a table, the first one as its head. Rows of blanks are left out; later rows are not filled up, so that one wide row costs
/// no more than itself.
pub fn pipes(rows: &[Vec<String>]) -> String {
    let length = |row: &Vec<String>| row.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
    let width = rows.iter().map(length).max().unwrap_or(0);
    let mut lines = Vec::new();
    for row in rows.iter().filter(|row| length(row) > 0) {
        let filled = if lines.is_empty() { width } else { length(row) };
        let cells = row.iter().map(String::as_str).chain(std::iter::repeat("")).take(filled);
        lines.push(format!("| {} |", cells.collect::<Vec<_>>().join(" | ")));
        if lines.len() == 1 {
            lines.push(format!("|{}", " --- |".repeat(width)));
        }
    }
    lines.join("\n")
}

/// A text as the content of a cell.
pub fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ").trim().to_owned()
}
