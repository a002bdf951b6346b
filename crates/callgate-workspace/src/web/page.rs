//! `web_fetch`: a web page as text.
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::documents::{self, Converter, Format};
use crate::outcome::payloads;
use crate::web::encoding;
use crate::web::fetch::{Body, Fetcher, Opened, Problem, tries};
use crate::work::Stop;

/// Arguments of `web_fetch`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// URL to fetch, http or https.
    pub url: String,
    /// Seconds for everything, from 1 to 120.
    #[serde(default = "half_a_minute")]
    pub timeout: f64,
    /// Characters of text to return at most, up to 1000000.
    #[serde(default = "characters")]
    pub max_chars: u64,
    /// Whether an HTML page is returned as it is and not as readable text.
    #[serde(default)]
    pub raw: bool,
}

/// Result of `web_fetch`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct WebFetch {
    /// Where the page came from, after redirects.
    pub url: String,
    /// The URLs that redirected on the way.
    pub redirects: Vec<String>,
    /// The status code.
    pub status_code: Option<u16>,
    /// How often the page was asked for; more than once when a server says that it may answer later.
    pub attempts: u32,
    /// The type the server says it is.
    pub content_type: String,
    /// The text.
    pub content: String,
    /// Whether the text was cut.
    pub truncated: bool,
    /// Whether the page was longer than what is downloaded.
    pub download_truncated: bool,
    /// What else there is to know.
    pub note: Option<String>,
    /// Why there is no text, or that the server refused.
    pub error: Option<String>,
}

payloads!(WebFetch);

/// Bytes of a page that are downloaded.
const DOWNLOAD: u64 = 5_000_000;

fn half_a_minute() -> f64 {
    30.0
}

fn characters() -> u64 {
    100_000
}

/// A downloaded page.
struct Downloaded {
    page: WebFetch,
    bytes: Vec<u8>,
}

/// Fetches a page.
pub async fn web_fetch(fetcher: &Fetcher, converter: &Converter, arguments: &Arguments) -> WebFetch {
    let limit = Duration::from_secs_f64(if arguments.timeout.is_nan() { 30.0 } else { arguments.timeout.clamp(1.0, 120.0) });
    // One time for both: what the conversion may take is what the download left.
    let stop = Stop::after(limit);
    let _raised = stop.raised_on_drop();
    let downloaded = match fetcher.fetch(&arguments.url, limit, download).await {
        Ok(downloaded) => downloaded,
        Err(error) => return WebFetch { url: arguments.url.clone(), error: Some(error), ..WebFetch::default() },
    };
    let (converter, arguments) = (converter.clone(), arguments.clone());
    let finished = tokio::task::spawn_blocking(move || finish(downloaded, &converter, &arguments, &stop)).await;
    finished.unwrap_or_else(|_| WebFetch { error: Some("the page could not be read as text".to_owned()), ..WebFetch::default() })
}

async fn download(opened: Opened) -> Result<Downloaded, Problem> {
    let Opened { response, url, redirects, attempts } = opened;
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
    let status = response.status();
    let mut page = WebFetch {
        url: url.into(),
        redirects,
        status_code: Some(status.as_u16()),
        attempts,
        content_type: kind.unwrap_or_default(),
        ..WebFetch::default()
    };
    if !status.is_success() {
        page.error = Some(format!("the server answered {status}{}", tries(attempts)));
    }
    let (mut bytes, mut body) = (Vec::new(), Body::new(response, DOWNLOAD));
    while let Some(chunk) = body.chunk().await? {
        bytes.extend_from_slice(&chunk);
    }
    page.download_truncated = body.more;
    Ok(Downloaded { page, bytes })
}

/// Makes text of the bytes.
fn finish(downloaded: Downloaded, converter: &Converter, arguments: &Arguments, stop: &Stop) -> WebFetch {
    let Downloaded { mut page, bytes } = downloaded;
    let kind = page.content_type.to_ascii_lowercase();
    let text = match format(&kind, &bytes) {
        Some(Format::Html) if arguments.raw => Ok(encoding::decode(&bytes, &kind)),
        Some(Format::Html) => converter.convert(Format::Html, encoding::decode(&bytes, &kind).as_bytes(), stop),
        Some(format) => converter.convert(format, &bytes, stop).inspect(|text| {
            page.note = text.trim().is_empty().then(|| format.without_text().to_owned());
        }),
        None if documents::is_text(&bytes) => Ok(encoding::decode(&bytes, &kind)),
        None => Err(format!("the answer is no text but `{}`; use download_file to save it", page.content_type.escape_debug())),
    };
    match text {
        Ok(text) => cut(&mut page, text, arguments.max_chars),
        Err(error) => page.error = page.error.or(Some(error)),
    }
    page
}

fn format(kind: &str, bytes: &[u8]) -> Option<Format> {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind {
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        "application/pdf" => Some(Format::Pdf),
        "" if bytes.trim_ascii_start().get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype")) => Some(Format::Html),
        _ => None,
    }
}

fn cut(page: &mut WebFetch, text: String, most: u64) {
    let most = usize::try_from(most.clamp(1, 1_000_000)).unwrap_or(1);
    let end = text.char_indices().nth(most).map(|(end, _)| end);
    page.truncated = end.is_some();
    page.content = end.and_then(|end| text.get(..end)).map_or(text.clone(), str::to_owned);
    page.note = match (page.truncated, page.download_truncated) {
        (true, _) => Some(format!("only the first {most} characters are shown; raise max_chars, or use download_file")),
        (_, true) => Some(format!("only the first {DOWNLOAD} bytes were downloaded; use download_file for the whole")),
        _ => page.note.take(),
    };
}
