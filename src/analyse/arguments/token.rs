//! What one token looks like by itself.
use super::uri::{Uri, uri};

/// The look of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// `/…` with at least one more component.
    Absolute,
    /// `~` or `~/…`.
    Home,
    /// `~name/…`.
    HomeOf,
    /// Relative, and a prefix of it leaves the directory it starts from.
    Climbing,
    /// Something else that could be the name of an entry.
    Relative,
    /// A `file:` URI.
    FileUri,
    /// A URL of another scheme.
    Url,
    /// Nothing that names a place by itself: empty, or slashes alone.
    Nothing,
}

/// Tells the look of `token`.
pub fn look(token: &str) -> Look {
    match uri(token) {
        Uri::File(_) | Uri::FileOn(..) | Uri::Malformed(_) => return Look::FileUri,
        Uri::Other => return Look::Url,
        Uri::None => {}
    }
    if token.trim_matches('/').is_empty() {
        return Look::Nothing;
    }
    if let Some(after) = token.strip_prefix('~') {
        return home(after);
    }
    match token.starts_with('/') {
        true => Look::Absolute,
        false if climbs(token) => Look::Climbing,
        false => Look::Relative,
    }
}

/// Whether a relative path leaves, at some point, the directory it starts from (by its letters alone).
pub fn climbs(token: &str) -> bool {
    if !token.contains("..") {
        return false;
    }
    let mut depth = 0_i64;
    token.split('/').any(|component| {
        depth += match component {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Whether the last component is a name that hardly stands for anything but a file: a dotfile or a private key (`.env.local`,
/// `config/.npmrc`, `id_rsa`). Such a name counts whether or not the file exists.
pub fn is_unmistakable(token: &str) -> bool {
    let name = token.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut letters = name.chars();
    let is_dotfile = letters.next() == Some('.')
        && letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|letter| letter.is_alphanumeric() || letter == '.')
        && name.len() > 3;
    (is_dotfile || name.starts_with("id_")) && !name.contains(char::is_whitespace) && !is_glob(name)
}

/// A `data:` URI (RFC 2397), which is its own content.
pub fn is_data(token: &str) -> bool {
    token.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) && token.contains(',')
}

/// An `XPath` from the top of a document, with a condition in it.
pub fn is_xpath(token: &str) -> bool {
    token.starts_with("//") && (token.contains("[@") || token.contains("::") || token.contains("()"))
}

/// Whether the token would be expanded against the disk by a tool that globs.
pub fn is_glob(token: &str) -> bool {
    token.contains(['*', '?']) || (token.contains('{') && token.contains(',')) || (token.contains('[') && token.contains(']'))
}

fn home(after: &str) -> Look {
    let user = after.split('/').next().unwrap_or_default();
    let is_name = user.chars().next().is_some_and(char::is_alphabetic)
        && user.chars().all(|letter| letter.is_alphanumeric() || "._-".contains(letter));
    match user.is_empty() {
        true => Look::Home,
        false if is_name && after.contains('/') => Look::HomeOf,
        false => Look::Relative,
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, look};

    #[test]
    fn tells_looks_apart() {
        let table = [
            ("/etc/x", Look::Absolute),
            ("/", Look::Nothing),
            ("//", Look::Nothing),
            ("~", Look::Home),
            ("~/x", Look::Home),
            ("~root/x", Look::HomeOf),
            ("~5", Look::Relative),
            ("~3/4", Look::Relative),
            ("..", Look::Climbing),
            ("a/../../b", Look::Climbing),
            ("a/../b", Look::Relative),
            ("a..b", Look::Relative),
            ("...", Look::Relative),
            ("file:x", Look::FileUri),
            ("https://e.com/x", Look::Url),
            ("x", Look::Relative),
        ];
        for (token, want) in table {
            assert_eq!(look(token), want, "{token}");
        }
    }
}
