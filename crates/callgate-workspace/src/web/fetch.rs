//! One HTTP request: guarded, redirected hop by hop, tried again when the failure may pass.
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, redirect};
use url::Url;

use crate::web::address_guard::{Guard, Refused};

/// Makes requests.
pub struct Fetcher {
    guard: Guard,
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

/// A response whose body is still to be read.
pub struct Opened {
    /// The response.
    pub response: Response,
    /// Where it came from, after redirects.
    pub url: Url,
    /// The URLs that redirected, in order.
    pub redirects: Vec<String>,
    /// How often it was asked for.
    pub attempts: u32,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It would fail again.
    Lasting(String),
    /// It may pass.
    Passing(String),
}

/// How often a request is made at most.
pub const ATTEMPTS: u32 = 3;
const REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(10);
/// Silence within a body that ends the request.
const SILENCE: Duration = Duration::from_secs(30);
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// A server may ask for a longer wait; it is not granted.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const AGENT: &str = concat!("callgate/", env!("CARGO_PKG_VERSION"), " (tool of a coding agent)");

/// The body of a response, up to a cap.
pub struct Body {
    response: Response,
    left: u64,
    /// Whether the cap was met before the end.
    pub more: bool,
}

impl Body {
    /// At most `cap` bytes of a response.
    pub fn new(response: Response, cap: u64) -> Self {
        Self { response, left: cap, more: false }
    }

    /// The next bytes, until there are none.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        if self.more {
            return Ok(None);
        }
        let Some(mut chunk) = self.response.chunk().await.map_err(|error| problem(&error))? else { return Ok(None) };
        let length = chunk.len() as u64;
        self.more = length > self.left;
        chunk.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left = self.left.saturating_sub(length);
        Ok(Some(chunk))
    }
}

impl Fetcher {
    /// A fetcher behind a guard.
    pub fn new(guard: Guard) -> Self {
        Self { guard, plain: OnceLock::new(), secure: OnceLock::new() }
    }

    /// Requests a URL and runs `read` on the response; both are tried again, within `limit` for everything, while the failure may
    /// pass. The last response is read whatever its status, so that what the server says of its failure is kept.
    pub async fn fetch<T, F>(&self, url: &str, limit: Duration, read: impl Fn(Opened) -> F + Send) -> Result<T, String>
    where
        F: Future<Output = Result<T, Problem>> + Send,
    {
        let url = Url::parse(url.trim()).map_err(|error| format!("`{}` is no URL: {error}", url.trim().escape_debug()))?;
        let deadline = Instant::now() + limit;
        let attempts = async {
            let mut attempt = 1;
            loop {
                let pause = |asked| Some(wait(attempt, asked)).filter(|pause| attempt < ATTEMPTS && Instant::now() + *pause < deadline);
                let result = match self.open(&url, attempt).await {
                    Ok(opened) => match passing(&opened.response).and_then(pause) {
                        Some(pause) => Err((Problem::Passing(String::new()), Some(pause))),
                        None => read(opened).await.map_err(|problem| (problem, pause(None))),
                    },
                    Err(problem) => Err((problem, pause(None))),
                };
                match result {
                    Err((Problem::Passing(_), Some(pause))) => tokio::time::sleep(pause).await,
                    Err((Problem::Passing(words), None)) => return Err(format!("{words}{}", tries(attempt))),
                    Err((Problem::Lasting(words), _)) => return Err(words),
                    Ok(value) => return Ok(value),
                }
                attempt += 1;
            }
        };
        let seconds = limit.as_secs_f64();
        tokio::time::timeout(limit, attempts).await.unwrap_or_else(|_| Err(format!("no complete answer within {seconds} seconds")))
    }

    async fn open(&self, url: &Url, attempts: u32) -> Result<Opened, Problem> {
        let mut url = url.clone();
        let mut redirects = Vec::new();
        loop {
            self.guard.check(&url).map_err(|Refused(words)| Problem::Lasting(words))?;
            let response = self.request(&url).await?;
            let Some(next) = redirection(&url, &response)? else {
                return Ok(Opened { response, url, redirects, attempts });
            };
            redirects.push(url.to_string());
            if redirects.len() > REDIRECTS {
                return Err(Problem::Lasting(format!("more than {REDIRECTS} redirects, the last one to `{next}`")));
            }
            url = next;
        }
    }

    async fn request(&self, url: &Url) -> Result<Response, Problem> {
        let (client, cell) = if url.scheme() == "https" { (None, &self.secure) } else { (Some([]), &self.plain) };
        let client = match cell.get() {
            Some(client) => client,
            None => {
                let made =
                    self.client(client).map_err(|error| Problem::Lasting(format!("no client can be made: {}", innermost(&error))))?;
                cell.get_or_init(|| made)
            }
        };
        let accept = HeaderValue::from_static("text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5");
        let request = client.get(url.clone()).header(ACCEPT, accept).header(ACCEPT_ENCODING, "identity");
        request.send().await.map_err(|error| problem(&error))
    }

    /// A client without proxy, cookies and redirects of its own. With a list of certificates it takes no others.
    fn client(&self, certificates: Option<[reqwest::Certificate; 0]>) -> reqwest::Result<Client> {
        // Another part of the process may have chosen the provider already; then that one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().user_agent(AGENT).no_proxy().redirect(redirect::Policy::none()).connect_timeout(CONNECT);
        let builder = builder.read_timeout(SILENCE).pool_max_idle_per_host(0).dns_resolver(std::sync::Arc::new(self.guard.clone()));
        match certificates {
            Some(certificates) => builder.tls_certs_only(certificates).build(),
            None => builder.build(),
        }
    }
}

/// Where a response redirects to.
fn redirection(url: &Url, response: &Response) -> Result<Option<Url>, Problem> {
    let moved = [301, 302, 303, 307, 308].contains(&response.status().as_u16());
    let Some(location) = response.headers().get(LOCATION).filter(|_| moved) else { return Ok(None) };
    let target = String::from_utf8_lossy(location.as_bytes());
    let next =
        url.join(&target).map_err(|_| Problem::Lasting(format!("the server redirects to `{}`, which is no URL", target.escape_debug())))?;
    Ok(Some(next))
}

/// Whether an answer says that it will be another one later, and after what time if the server says so.
fn passing(response: &Response) -> Option<Option<Duration>> {
    let status = response.status();
    let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status) || status.is_server_error();
    if !passing || [StatusCode::NOT_IMPLEMENTED, StatusCode::HTTP_VERSION_NOT_SUPPORTED].contains(&status) {
        return None;
    }
    let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok()).map(Duration::from_secs);
    Some(asked)
}

/// How often something was tried, in words, if more than once.
pub fn tries(attempts: u32) -> String {
    if attempts > 1 { format!(" ({attempts} attempts)") } else { String::new() }
}

fn wait(attempt: u32, asked: Option<Duration>) -> Duration {
    asked.unwrap_or(FIRST_WAIT * 2_u32.pow(attempt - 1)).min(LONGEST_WAIT)
}

/// A refusal of the guard is final; a failure on the way may pass.
fn problem(error: &reqwest::Error) -> Problem {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(Refused(words)) = inner.downcast_ref::<Refused>() {
            return Problem::Lasting(words.clone());
        }
        source = inner.source();
    }
    if error.is_builder() {
        return Problem::Lasting(format!("the request cannot be made: {}", innermost(error)));
    }
    let what = if error.is_timeout() { "the server took too long" } else { "the connection failed" };
    Problem::Passing(format!("{what}: {}", innermost(error)))
}

/// The words of the deepest cause.
fn innermost(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let words = deepest.to_string();
    words.split(" (os error").next().unwrap_or_default().to_lowercase()
}
