//! `download_file`: a web resource into a file.
use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use crate::atomic::Replacement;
use crate::documents;
use crate::outcome::{Payload, payloads};
use crate::place::{Base, plain};
use crate::web::fetch::{Body, Fetcher, Opened, Problem, tries};

/// Arguments of `download_file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// URL to download, http or https.
    pub url: String,
    /// File to write, relative to the root or absolute. An existing file is replaced once the download is complete.
    pub file_path: String,
    /// Seconds for everything, from 1 to 600.
    #[serde(default = "five_minutes")]
    pub timeout: f64,
}

/// Result of `download_file`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct DownloadFile {
    /// The file, relative to the root when it is below it.
    pub file_path: String,
    /// Where it came from, after redirects.
    pub url: String,
    /// The status code.
    pub status_code: Option<u16>,
    /// How often it was asked for; more than once when a server says that it may answer later.
    pub attempts: u32,
    /// The type the server says it is.
    pub content_type: String,
    /// Bytes written.
    pub bytes: u64,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: Option<String>,
    /// Why nothing was written.
    pub error: Option<String>,
}

payloads!(DownloadFile);

/// Bytes read of what a server says of its failure.
const SAID: u64 = 4_096;
/// Characters shown of it.
const SHOWN: usize = 300;
/// The largest download.
pub const LARGEST: u64 = 100 << 20;

fn five_minutes() -> f64 {
    300.0
}

/// Downloads a file.
pub async fn download_file(fetcher: &Fetcher, base: &Base, arguments: &Arguments) -> DownloadFile {
    let path = match named_file(&arguments.file_path).and_then(|()| base.resolve(&arguments.file_path)) {
        Ok(path) => path,
        Err(error) => return DownloadFile::failed(error),
    };
    let limit = Duration::from_secs_f64(if arguments.timeout.is_nan() { 300.0 } else { arguments.timeout.clamp(1.0, 600.0) });
    let stored = fetcher.fetch(&arguments.url, limit, |opened| store(opened, base.clone(), path.clone())).await;
    stored.unwrap_or_else(|error| DownloadFile {
        file_path: base.show(&path),
        url: arguments.url.clone(),
        error: Some(format!("nothing was written: {error}")),
        ..DownloadFile::default()
    })
}

fn named_file(path: &str) -> Result<(), String> {
    let is_directory = path.ends_with('/') || ["/.", "/.."].iter().any(|end| path.ends_with(end)) || [".", ".."].contains(&path);
    if is_directory { Err(format!("`{}` names a directory; give the file's own name as well", path.escape_debug())) } else { Ok(()) }
}

async fn store(opened: Opened, base: Base, path: PathBuf) -> Result<DownloadFile, Problem> {
    let Opened { response, url, attempts, .. } = opened;
    let status = response.status();
    let result = DownloadFile {
        file_path: base.show(&path),
        url: url.into(),
        status_code: Some(status.as_u16()),
        attempts,
        ..DownloadFile::default()
    };
    if !status.is_success() {
        let body = beginning(response).await;
        return Ok(DownloadFile {
            error: Some(format!("nothing was written: the server answered {status}{body}{}", tries(attempts))),
            ..result
        });
    }
    if response.content_length().is_some_and(|length| length > LARGEST) {
        return Err(too_large());
    }
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
    let place = path.clone();
    let failed = |error: std::io::Error| Problem::Lasting(base.explain(&path, &error));
    let replacement = blocking(move || Replacement::begin(&place)).await.map_err(failed)?;
    let mut file = tokio::fs::File::from_std(replacement.file().map_err(failed)?);
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut body = Body::new(response, LARGEST);
    while let Some(chunk) = body.chunk().await? {
        hash.update(&chunk);
        bytes += chunk.len() as u64;
        file.write_all(&chunk).await.map_err(|error| Problem::Lasting(format!("writing failed: {}", plain(&error))))?;
    }
    if body.more {
        return Err(too_large());
    }
    file.flush().await.map_err(failed)?;
    blocking(move || replacement.finish()).await.map_err(failed)?;
    let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let content_type = kind.unwrap_or_default();
    Ok(DownloadFile { content_type, bytes, sha256: Some(sha256), ..result })
}

/// What a server says of its failure: the first words of a text.
async fn beginning(response: reqwest::Response) -> String {
    let mut body = Body::new(response, SAID);
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = body.chunk().await {
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&bytes);
    let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ").escape_debug().take(SHOWN).collect();
    if words.is_empty() || !documents::is_text(&bytes) { String::new() } else { format!(" and said: {words}") }
}

fn too_large() -> Problem {
    Problem::Lasting(format!("the file is larger than {} MiB", LARGEST >> 20))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))
}
