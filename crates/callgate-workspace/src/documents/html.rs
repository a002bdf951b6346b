//! Markdown of a web page: its title, headings, lists, links and tables.
use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};

/// What holds no text for a reader.
const SKIPPED: [&str; 4] = ["noscript", "script", "style", "template"];

/// The page as Markdown.
pub fn text(page: &[u8]) -> anyhow::Result<String> {
    let options = Options { bullet_list_marker: BulletListMarker::Dash, ul_bullet_spacing: 1, ol_number_spacing: 1, ..Options::default() };
    let converter = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).options(options).build();
    Ok(converter.convert(&String::from_utf8_lossy(page))?)
}
