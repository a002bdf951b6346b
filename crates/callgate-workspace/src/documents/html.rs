//! Text of a web page.

/// Columns of the text.
const WIDTH: usize = 120;

/// The readable text, with its links as footnotes.
pub fn text(page: &[u8]) -> anyhow::Result<String> {
    Ok(html2text::config::plain().string_from_read(page, WIDTH)?)
}
