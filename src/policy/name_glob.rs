//! Names of servers, tools and clients as a policy gives them: byte for byte, or as a glob.
use globset::{GlobBuilder, GlobMatcher};

/// A name, byte for byte, or a glob over names in which `*` crosses every character.
#[derive(Debug, Clone)]
pub(super) enum NameGlob {
    Exact(String),
    Glob(GlobMatcher),
}

impl NameGlob {
    /// Nothing if `text` is not a glob.
    pub(super) fn new(text: &str) -> Option<Self> {
        if !text.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Some(Self::Exact(text.to_owned()));
        }
        GlobBuilder::new(text).backslash_escape(true).build().ok().map(|glob| Self::Glob(glob.compile_matcher()))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(text) => text == name,
            Self::Glob(glob) => glob.is_match(name),
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Exact(text) => text,
            Self::Glob(glob) => glob.glob().glob(),
        }
    }
}
