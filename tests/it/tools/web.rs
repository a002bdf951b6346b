//! The web tools against a real HTTP server on loopback, with names that a test resolves.
#![cfg(feature = "web")]
use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::HANG;
use callgate::gate::address::host_is_private;
use callgate_workspace::Settings;
use callgate_workspace::documents::Converter;
use callgate_workspace::place::Base;
use callgate_workspace::web::address_guard::{Guard, Lookup};
use callgate_workspace::web::download::{self, DownloadFile, download_file};
use callgate_workspace::web::fetch::Fetcher;
use callgate_workspace::web::page::{self, WebFetch, web_fetch};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Answers each path with its scripted replies in turn, the last one again and again. A reply is raw bytes; `STALL` at its end
/// keeps the connection open without a word more.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

const STALL: &[u8] = b"\0stall\0";

impl Server {
    async fn start(pages: &[(&str, &[Vec<u8>])]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages: HashMap<String, Vec<Vec<u8>>> = pages.iter().map(|(path, replies)| ((*path).to_owned(), replies.to_vec())).collect();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (pages, seen) = (Arc::new(pages), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&pages), Arc::clone(&seen)));
            }
        });
        Self { port, requests }
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn answer(mut stream: TcpStream, pages: Arc<HashMap<String, Vec<Vec<u8>>>>, seen: Arc<Mutex<Vec<String>>>) {
    let mut request = String::new();
    let mut reader = BufReader::new(&mut stream);
    while !request.ends_with("\r\n\r\n") {
        if reader.read_line(&mut request).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let earlier = {
        let mut seen = seen.lock().unwrap();
        seen.push(request);
        seen.iter().filter(|request| request.split(' ').nth(1) == Some(&path)).count() - 1
    };
    let replies = pages.get(&path).cloned().unwrap_or_else(|| vec![reply("404 Not Found", "text/plain", "no such page")]);
    let bytes = &replies[earlier.min(replies.len() - 1)];
    let (bytes, stall) = bytes.strip_suffix(STALL).map_or((bytes.as_slice(), false), |bytes| (bytes, true));
    let _ = stream.write_all(bytes).await;
    if stall {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}

fn reply(status: &str, kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
}

/// Gives each name its answers in turn, the last one again and again.
#[derive(Default)]
struct Names {
    answers: HashMap<&'static str, Vec<Vec<IpAddr>>>,
    lookups: AtomicUsize,
}

impl Lookup for Names {
    fn lookup(&self, host: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let earlier = self.lookups.fetch_add(1, Ordering::Relaxed);
        let answers = self.answers.get(host.as_str());
        let answer = answers.map(|answers| answers[earlier.min(answers.len() - 1)].clone());
        Box::pin(async move { answer.ok_or_else(|| std::io::ErrorKind::NotFound.into()) })
    }
}

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const INTERNAL: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// In these tests 127.0.0.1 stands for the public internet and every other address for an internal one.
fn is_internal(host: &str) -> Option<&'static str> {
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => (address != PUBLIC).then_some("an internal address"),
        Err(_) => host_is_private(host),
    }
}

fn names(answers: &[(&'static str, &[&[IpAddr]])]) -> Arc<Names> {
    let answers = answers.iter().map(|(name, answers)| (*name, answers.iter().map(|answer| answer.to_vec()).collect())).collect();
    Arc::new(Names { answers, ..Names::default() })
}

/// The guard that the server has.
fn real_guard(allow_internal: bool) -> Guard {
    Guard::from(&Settings { allow_internal, ..Settings::from_environment("/".into(), host_is_private) })
}

fn fetcher(names: &Arc<Names>) -> Fetcher {
    Fetcher::new(Guard::new(Arc::clone(names) as Arc<dyn Lookup>, is_internal))
}

async fn get(fetcher: &Fetcher, url: &str, more: serde_json::Value) -> WebFetch {
    let mut arguments = more;
    arguments["url"] = json!(url);
    let converter = Converter::new(Some(env!("CARGO_BIN_EXE_callgate").into()));
    web_fetch(fetcher, &converter, &serde_json::from_value::<page::Arguments>(arguments).unwrap()).await
}

async fn save(fetcher: &Fetcher, directory: &std::path::Path, url: &str) -> DownloadFile {
    let arguments: download::Arguments = serde_json::from_value(json!({"url": url, "file_path": "deep/file"})).unwrap();
    download_file(fetcher, &Base::new(directory.to_owned()), &arguments).await
}

fn site() -> Arc<Names> {
    names(&[("site.test", &[&[PUBLIC]]), ("inner.test", &[&[INTERNAL]]), ("both.test", &[&[PUBLIC, INTERNAL]])])
}

#[tokio::test]
async fn a_page_becomes_readable_text_and_its_source_on_request() {
    let page =
        "<html><head><title>t</title><script>var x;</script></head><body><h1>Hello</h1><p>A &amp; <a href='/b'>link</a></p></body></html>";
    let server = Server::start(&[("/", &[reply("200 OK", "text/html; charset=utf-8", page)])]).await;
    let fetcher = fetcher(&site());
    let url = server.url("site.test", "/");
    let read = get(&fetcher, &url, json!({})).await;
    assert_eq!((read.error.as_deref(), read.status_code), (None, Some(200)));
    assert!(read.content.contains("# Hello") && read.content.contains("A & [link]") && !read.content.contains("var x"), "{}", read.content);
    assert_eq!(get(&fetcher, &url, json!({"raw": true})).await.content, page);
    let cut = get(&fetcher, &url, json!({"raw": true, "max_chars": 6})).await;
    assert_eq!((cut.content.as_str(), cut.truncated), ("<html>", true));
    let agent = server.requests.lock().unwrap()[0].to_lowercase();
    assert!(agent.contains("user-agent: callgate/") && agent.contains("accept-encoding: identity"), "{agent}");
}

#[tokio::test]
async fn other_texts_are_decoded_and_binaries_refused() {
    let server = Server::start(&[
        ("/json", &[reply("200 OK", "application/json", "{\"a\": 1}")]),
        ("/latin", &[reply("200 OK", "text/plain; charset=iso-8859-1", b"caf\xe9")]),
        ("/image", &[reply("200 OK", "image/png", b"\x89PNG\0\0")]),
        ("/gone", &[reply("404 Not Found", "text/plain", "it is gone")]),
    ])
    .await;
    let fetcher = fetcher(&site());
    assert_eq!(get(&fetcher, &server.url("site.test", "/json"), json!({})).await.content, "{\"a\": 1}");
    assert_eq!(get(&fetcher, &server.url("site.test", "/latin"), json!({})).await.content, "café");
    assert!(get(&fetcher, &server.url("site.test", "/image"), json!({})).await.error.unwrap().contains("download_file"));
    let gone = get(&fetcher, &server.url("site.test", "/gone"), json!({})).await;
    assert_eq!((gone.status_code, gone.content.as_str()), (Some(404), "it is gone"));
    assert!(gone.error.unwrap().contains("404"));
    assert_eq!(server.requests(), 4, "a lasting failure is not tried again");
}

#[tokio::test]
async fn a_server_that_fails_is_asked_again_and_heard_in_the_end() {
    let later = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 600\r\nContent-Length: 7\r\nConnection: close\r\n\r\ntoo ofte".to_vec();
    let server = Server::start(&[
        ("/down", &[reply("500 Internal Server Error", "text/plain", "the disk is full")]),
        ("/later", &[later]),
        ("/back", &[reply("503 Service Unavailable", "text/plain", "wait"), reply("200 OK", "text/plain", "here")]),
        ("/never", &[reply("501 Not Implemented", "text/plain", "never")]),
    ])
    .await;
    let fetcher = fetcher(&site());
    for (path, status, content, attempts) in
        [("/down", 500, "the disk is full", 3), ("/later", 429, "too oft", 1), ("/back", 200, "here", 2), ("/never", 501, "never", 1)]
    {
        // A wait that is longer than the time that is left is not begun.
        let page = get(&fetcher, &server.url("site.test", path), json!({"timeout": if path == "/later" { 2 } else { 120 }})).await;
        assert_eq!((page.status_code, page.content.as_str(), page.attempts), (Some(status), content, attempts), "{path}: {page:?}");
        assert_eq!(page.error.is_some(), status != 200, "{path}: {page:?}");
    }
    let directory = tempfile::tempdir().unwrap();
    let saved = save(&fetcher, directory.path(), &server.url("site.test", "/down")).await;
    assert_eq!((saved.status_code, saved.attempts), (Some(500), 3));
    assert!(saved.error.as_deref().is_some_and(|error| error.contains("the disk is full")), "{saved:?}");
    assert!(!directory.path().join("deep").exists());
}

#[tokio::test]
async fn a_page_that_is_not_read_as_text_in_time_is_given_up() {
    let server = Server::start(&[("/deep", &[reply("200 OK", "text/html", "<div>".repeat(500_000))])]).await;
    let page = get(&fetcher(&site()), &server.url("site.test", "/deep"), json!({"timeout": 1})).await;
    // A machine that is quick enough, or a reader that ends by itself at such depth, is as good.
    assert_eq!(page.status_code, Some(200), "{page:?}");
    assert!(page.error.is_some() || page.content.is_empty(), "{page:?}");
}

#[tokio::test]
async fn a_download_to_a_directory_says_what_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    for path in ["d/", "d/.", "..", "."] {
        let arguments: download::Arguments = serde_json::from_value(json!({"url": "http://site.test/", "file_path": path})).unwrap();
        let saved = download_file(&fetcher(&site()), &Base::new(directory.path().to_owned()), &arguments).await;
        assert!(saved.error.as_deref().is_some_and(|error| error.contains("names a directory")), "{path}: {saved:?}");
    }
}

#[tokio::test]
async fn internal_addresses_are_refused_in_every_spelling_before_any_connection() {
    let server = Server::start(&[]).await;
    let guarded = fetcher(&site());
    let real = Fetcher::new(real_guard(false));
    for host in ["127.0.0.2", "2130706434", "0x7f000002", "0177.0.0.2", "127.2", "[::1]", "[::ffff:127.0.0.1]", "inner.test", "both.test"] {
        let refused = get(&guarded, &server.url(host, "/"), json!({})).await;
        assert!(refused.error.as_deref().is_some_and(|error| error.contains("--allow-internal")), "{host}: {refused:?}");
    }
    for host in [
        "127.0.0.1",
        "localhost",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "metadata.google.internal",
        "[fec0::1]",
        "[2002:7f00:1::]",
        "0",
    ] {
        let refused = get(&real, &server.url(host, "/"), json!({})).await;
        assert!(refused.error.as_deref().is_some_and(|error| error.contains("--allow-internal")), "{host}: {refused:?}");
    }
    assert_eq!(server.requests(), 0);
    let lifted = Fetcher::new(real_guard(true));
    assert_eq!(get(&lifted, &server.url("127.0.0.1", "/"), json!({})).await.status_code, Some(404));
}

#[tokio::test]
async fn what_is_no_web_url_is_refused() {
    let fetcher = fetcher(&site());
    for url in [
        "",
        "site.test",
        "file:///etc/passwd",
        "ftp://site.test/",
        "http://",
        "http://[::1",
        "javascript:alert(1)",
        "http://a b/",
        "http://\0/",
    ] {
        assert!(get(&fetcher, url, json!({})).await.error.is_some(), "{url:?}");
    }
    assert!(get(&fetcher, "http://unknown.test/", json!({})).await.error.unwrap().contains("was not found"));
}

#[tokio::test]
async fn every_hop_of_a_redirect_is_checked() {
    let server = Server::start(&[
        ("/ok", &[redirect("/end")]),
        ("/end", &[reply("200 OK", "text/plain", "end")]),
        ("/scheme", &[redirect("file:///etc/passwd")]),
        ("/round", &[redirect("/round")]),
    ])
    .await;
    let fetcher = fetcher(&site());
    let followed = get(&fetcher, &server.url("site.test", "/ok"), json!({})).await;
    assert_eq!((followed.content.as_str(), followed.url, followed.redirects.len()), ("end", server.url("site.test", "/end"), 1));
    assert!(get(&fetcher, &server.url("site.test", "/scheme"), json!({})).await.error.unwrap().contains("only http and https"));
    assert!(get(&fetcher, &server.url("site.test", "/round"), json!({})).await.error.unwrap().contains("more than 5 redirects"));

    for inner in ["http://127.0.0.2:1/", "http://inner.test/", "http://2130706434/", "//inner.test/", "http://localhost/"] {
        let hostile = Server::start(&[("/", &[redirect(inner)])]).await;
        let refused = get(&fetcher, &hostile.url("site.test", "/"), json!({})).await;
        assert!(refused.error.as_deref().is_some_and(|error| error.contains("--allow-internal")), "{inner}: {refused:?}");
        assert_eq!(hostile.requests(), 1);
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_that_answer_is_connected_to() {
    let server = Server::start(&[("/", &[reply("200 OK", "text/plain", "first")])]).await;
    let rebinding = names(&[("turn.test", &[&[PUBLIC], &[INTERNAL]])]);
    let fetcher = fetcher(&rebinding);
    let first = get(&fetcher, &server.url("turn.test", "/"), json!({})).await;
    assert_eq!((first.content.as_str(), rebinding.lookups.load(Ordering::Relaxed)), ("first", 1));
    let second = get(&fetcher, &server.url("turn.test", "/"), json!({})).await;
    assert!(second.error.unwrap().contains("127.0.0.2"));
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_failure_that_may_pass_is_tried_again_and_no_more_than_thrice() {
    let good = reply("200 OK", "text/plain", "at last");
    let busy = reply("503 Service Unavailable", "text/plain", "busy");
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
    let server = Server::start(&[("/busy", &[busy.clone(), good.clone()]), ("/cut", &[cut, good]), ("/always", &[busy])]).await;
    let fetcher = fetcher(&site());
    assert_eq!(get(&fetcher, &server.url("site.test", "/busy"), json!({})).await.content, "at last");
    assert_eq!(get(&fetcher, &server.url("site.test", "/cut"), json!({})).await.content, "at last");
    assert!(get(&fetcher, &server.url("site.test", "/always"), json!({})).await.error.unwrap().contains("(3 attempts)"));
    assert_eq!(server.requests(), 7);
}

#[tokio::test]
async fn slow_and_endless_bodies_end() {
    let slow = [b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nsome".as_slice(), STALL].concat();
    let silent = STALL.to_vec();
    let large = reply("200 OK", "text/plain", vec![b'x'; 6_000_000]);
    let server = Server::start(&[("/slow", &[slow]), ("/silent", &[silent]), ("/large", &[large])]).await;
    let fetcher = fetcher(&site());
    for path in ["/slow", "/silent"] {
        let late = get(&fetcher, &server.url("site.test", path), json!({"timeout": 1})).await;
        assert!(late.error.unwrap().contains("within 1 seconds"));
    }
    let large = get(&fetcher, &server.url("site.test", "/large"), json!({})).await;
    assert_eq!((large.content.len(), large.truncated, large.download_truncated), (100_000, true, true));
}

#[tokio::test]
async fn a_download_is_whole_or_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let body: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    let huge = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\nx".to_vec();
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf".to_vec();
    let server = Server::start(&[
        ("/good", &[reply("200 OK", "application/octet-stream", &body)]),
        ("/huge", &[huge]),
        ("/cut", &[cut]),
        ("/gone", &[reply("410 Gone", "text/plain", "gone")]),
    ])
    .await;
    let fetcher = fetcher(&site());
    for path in ["/huge", "/cut", "/gone"] {
        let failed = save(&fetcher, directory.path(), &server.url("site.test", path)).await;
        assert!(failed.error.unwrap().contains("nothing was written"), "{path}");
    }
    let left: Vec<_> = std::fs::read_dir(directory.path().join("deep")).map(|entries| entries.flatten().collect()).unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
    let good = save(&fetcher, directory.path(), &server.url("site.test", "/good")).await;
    assert_eq!((good.error, good.bytes), (None, 800_000));
    assert_eq!(std::fs::read(directory.path().join("deep/file")).unwrap(), body);
    assert_eq!(good.sha256.unwrap().len(), 64);
}

#[tokio::test]
async fn a_proxy_of_the_environment_is_not_used() {
    // The variable is set for a process of its own, since this one is shared with other tests.
    let server = Server::start(&[("/", &[reply("200 OK", "text/plain", "straight")])]).await;
    let root = tempfile::tempdir().unwrap();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_callgate"));
    command
        .args(["tools", "--allow-internal", "--root"])
        .arg(root.path())
        .env("http_proxy", "http://127.0.0.1:1")
        .env("CALLGATE_ALLOW_ROOT_TOOLS", "1");
    let transport = rmcp::transport::TokioChildProcess::new(command).unwrap();
    let client = rmcp::ServiceExt::serve((), transport).await.unwrap();
    let arguments = json!({"url": server.url("127.0.0.1", "/")}).as_object().unwrap().clone();
    let call = client.call_tool(rmcp::model::CallToolRequestParams::new("web_fetch").with_arguments(arguments));
    let result = tokio::time::timeout(HANG, call).await.unwrap().unwrap();
    assert_eq!(result.structured_content.unwrap()["content"], "straight");
    client.cancel().await.unwrap();
}
