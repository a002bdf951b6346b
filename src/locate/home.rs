//! Home directories: the user's own and those that only the password database knows.
use std::io::Read as _;

/// The most of the password database that is read.
const MOST_BYTES: u64 = 1 << 20;

/// What a spelling that begins with a tilde becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tilde {
    /// A path, expanded or as it was.
    Path(String),
    /// `~name` of a user who does not exist: the shell takes it as it stands.
    NoUser(String),
}

/// Expands `~`, `~/…` and `~user/…`; `home` is the user's own.
pub fn expand(text: &str, home: Option<&str>) -> Tilde {
    let Some(after) = text.strip_prefix('~') else { return Tilde::Path(text.to_owned()) };
    let (user, rest) = after.find('/').map_or((after, ""), |at| after.split_at(at));
    if user.is_empty() {
        return home.map_or_else(|| Tilde::NoUser(String::new()), |home| Tilde::Path(format!("{home}{rest}")));
    }
    if !is_user_name(user) {
        return Tilde::Path(text.to_owned());
    }
    home_of(|fields| fields.first() == Some(&user))
        .map_or_else(|| Tilde::NoUser(user.to_owned()), |home| Tilde::Path(format!("{home}{rest}")))
}

/// The home directory that the password database gives for the user this process runs as.
#[cfg(unix)]
pub fn own() -> Option<String> {
    let number = rustix::process::getuid().as_raw().to_string();
    home_of(|fields| fields.get(2) == Some(&number.as_str()))
}

/// The home directory on a system without a password database.
#[cfg(not(unix))]
pub fn own() -> Option<String> {
    None
}

fn home_of(fits: impl Fn(&[&str]) -> bool) -> Option<String> {
    let mut database = Vec::new();
    std::fs::File::open("/etc/passwd").ok()?.take(MOST_BYTES).read_to_end(&mut database).ok()?;
    let text = String::from_utf8_lossy(&database);
    text.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fits(fields))?.get(5).map(|home| (*home).to_owned())
}

/// Names as `useradd` takes them; `~5` and `~$lock.docx` are none.
fn is_user_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    name.len() <= 32 && name.bytes().all(allowed) && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::{Tilde, expand};

    #[test]
    fn expands_as_the_shell_does() {
        let path = |text: &str| Tilde::Path(text.to_owned());
        assert_eq!(expand("~", Some("/h")), path("/h"));
        assert_eq!(expand("~/x", Some("/h")), path("/h/x"));
        assert_eq!(expand("/a/~", Some("/h")), path("/a/~"));
        assert_eq!(expand("~root/x", Some("/h")), path("/root/x"));
        assert_eq!(expand("~no_such_user_here/x", Some("/h")), Tilde::NoUser("no_such_user_here".to_owned()));
        assert_eq!(expand("~5 minutes", Some("/h")), path("~5 minutes"));
        assert_eq!(expand("~", None), Tilde::NoUser(String::new()));
    }
}
