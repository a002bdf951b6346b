//! Text of a spreadsheet: every sheet as lines of tab-separated cells.
use std::io::{Read, Seek};

use calamine::{Data, Reader, open_workbook_auto_from_rs};

/// Rows of all sheets together.
const ROWS: usize = 200_000;

/// The text of all sheets.
pub fn text(document: impl Read + Seek + Clone) -> anyhow::Result<String> {
    let mut workbook = open_workbook_auto_from_rs(document)?;
    let mut text = String::new();
    let mut left = ROWS;
    for name in workbook.sheet_names() {
        text.push_str(&format!("[sheet {name}]\n"));
        for row in workbook.worksheet_range(&name)?.rows().take(left) {
            left -= 1;
            let cells: Vec<String> = row.iter().map(cell).collect();
            text.push_str(cells.join("\t").trim_end_matches('\t'));
            text.push('\n');
        }
    }
    Ok(text)
}

fn cell(data: &Data) -> String {
    data.to_string().replace(['\t', '\n', '\r'], " ")
}
