//! `file:` URIs and URL schemes (RFC 3986, RFC 8089).
use percent_encoding::percent_decode_str;

/// What a text with a scheme is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Uri {
    /// A local file: the decoded path.
    File(String),
    /// A file on another host, as the path a server may make of it, and the host.
    FileOn(String, String),
    /// A `file:` URI that cannot be decoded, and why.
    Malformed(&'static str),
    /// Something with another scheme and `//`.
    Other,
    None,
}

/// Reads the scheme of `text`, and the path of a `file:` URI.
pub fn uri(text: &str) -> Uri {
    let Some(scheme) = scheme(text) else { return Uri::None };
    let rest = text.get(scheme.len() + 1..).unwrap_or_default();
    if scheme.eq_ignore_ascii_case("file") {
        return file(rest);
    }
    if rest.starts_with("//") { Uri::Other } else { Uri::None }
}

/// The scheme before the first `:`; two letters at least, so that a drive letter is none.
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let mut letters = scheme.chars();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = letters.clone().all(|next| next.is_ascii_alphanumeric() || "+-.".contains(next));
    (begins && goes_on && letters.next().is_some()).then_some(scheme)
}

/// The file of this machine that a URL of another scheme names: one without a host (`sqlite:///x.db`), or whose host says so
/// (`vscode://file/x`).
pub fn local_path(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = rest.strip_prefix("file").filter(|path| path.starts_with('/')).unwrap_or(rest);
    (path.starts_with('/') && path.trim_matches('/').contains('/')).then_some(path)
}

/// Decodes `%xx` sequences; `None` when there are none or when the bytes are not UTF-8.
pub fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let plain = percent_decode_str(text).decode_utf8().ok()?;
    (plain != text).then(|| plain.into_owned())
}

fn file(rest: &str) -> Uri {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match rest.strip_prefix("//") {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", rest),
    };
    let Ok(path) = percent_decode_str(path).decode_utf8() else { return Uri::Malformed("its percent escapes are not UTF-8") };
    if host.contains(['[', ']', '%', '\\']) {
        return Uri::Malformed("its host cannot be read");
    }
    match (host, path.as_ref()) {
        ("", "") => Uri::Malformed("it names no path"),
        ("" | "localhost", path) => Uri::File(path.to_owned()),
        (host, "") => Uri::File(host.to_owned()),
        (host, path) => Uri::FileOn(path.to_owned(), host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Uri, uri};

    #[test]
    fn reads_every_spelling_of_a_local_file() {
        for text in ["file:///a/b", "file:/a/b", "FILE:///a/%62", "file://localhost/a/b", "file:///a/b?x#y"] {
            assert_eq!(uri(text), Uri::File("/a/b".into()), "{text}");
        }
        assert_eq!(uri("file://srv/a"), Uri::FileOn("/a".into(), "srv".into()));
        assert_eq!(uri("file:../a"), Uri::File("../a".into()));
        assert_eq!(uri("file://..",), Uri::File("..".into()));
        assert!(matches!(uri("file://[x"), Uri::Malformed(_)));
        assert!(matches!(uri("file:///%ff"), Uri::Malformed(_)));
        assert_eq!(uri("https://e.com/x"), Uri::Other);
        assert_eq!(uri("C:/x"), Uri::None);
        assert_eq!(uri("a b://x"), Uri::None);
    }
}
