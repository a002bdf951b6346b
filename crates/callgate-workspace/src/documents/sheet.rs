//! Markdown of a spreadsheet: the name of each sheet and its cells as a table.
use std::io::{Read, Seek};

use calamine::{Data, Reader, open_workbook_auto_from_rs};

use super::markdown::{Blocks, Kind, cell, pipes};

/// Rows of all sheets together.
const ROWS: usize = 200_000;

/// All sheets.
pub fn text(document: impl Read + Seek + Clone) -> anyhow::Result<String> {
    let mut workbook = open_workbook_auto_from_rs(document)?;
    let mut blocks = Blocks::default();
    let mut left = ROWS;
    for name in workbook.sheet_names() {
        let range = workbook.worksheet_range(&name)?;
        let rows: Vec<Vec<String>> = range.rows().take(left).map(cells).collect();
        left -= rows.len();
        blocks.paragraph(Kind::Heading(2), &name);
        blocks.paragraph(Kind::Plain, &pipes(&rows));
    }
    Ok(blocks.finish())
}

fn cells(row: &[Data]) -> Vec<String> {
    let end = row.iter().rposition(|data| *data != Data::Empty).map_or(0, |last| last + 1);
    row.iter().take(end).map(|data| cell(&data.to_string())).collect()
}
