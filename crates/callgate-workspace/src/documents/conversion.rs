//! What the converting process does: bounds itself, then turns a document into text.
use std::io::{Read, Write};

use crate::documents::{Format, LARGEST};

/// Memory the process may take, in bytes.
const MEMORY: u64 = 1 << 30;
/// Seconds of processor time it may take.
const SECONDS: u64 = 20;
/// Room for parsers that call themselves once per level of a document.
const STACK: usize = 64 << 20;

/// Reads a document from `input` and writes its text to `output`.
pub fn run(format: Format, input: impl Read + Send, mut output: impl Write) -> anyhow::Result<()> {
    bound_this_process()?;
    let mut document = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut document)?;
    anyhow::ensure!(document.len() as u64 <= LARGEST, "the document is too large");
    let text = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || text_of(format, document))?;
        thread.join().map_err(|_| anyhow::anyhow!("the document is damaged"))?
    })?;
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

/// The text of a document.
#[cfg(feature = "documents")]
fn text_of(format: Format, document: Vec<u8>) -> anyhow::Result<String> {
    use std::io::Cursor;

    use super::{ebook, html, office, sheet};
    match format {
        Format::Html => html::text(&document),
        Format::Pdf => Ok(pdf_extract::extract_text_from_mem(&document)?),
        Format::Docx => office::docx(Cursor::new(document)),
        Format::Pptx => office::pptx(Cursor::new(document)),
        Format::Odt => office::opendocument(Cursor::new(document)),
        Format::Sheet => sheet::text(Cursor::new(document)),
        Format::Epub => ebook::text(Cursor::new(document)),
    }
}

/// The text of a document, of the formats that this build has.
#[cfg(not(feature = "documents"))]
fn text_of(format: Format, document: Vec<u8>) -> anyhow::Result<String> {
    match format {
        #[cfg(feature = "web")]
        Format::Html => super::html::text(&document),
        _ => {
            drop(document);
            anyhow::bail!(format.left_out().unwrap_or_default())
        }
    }
}

/// A document that unpacks to more than this ends the process and nothing else.
#[cfg(unix)]
fn bound_this_process() -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, limit) in [(Resource::As, MEMORY), (Resource::Cpu, SECONDS), (Resource::Core, 0), (Resource::Fsize, 0)] {
        // Writing to a pipe is no file, so a size of nought forbids files only.
        setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn bound_this_process() -> std::io::Result<()> {
    Ok(())
}
