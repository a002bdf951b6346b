//! Texts of script files that a command runs: the gate names the files, an edge reads them, the gate follows what they do.
use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::wire::hex;

/// Most files that are read for one call; what a longer chain of scripts runs is not followed.
const MOST: usize = 16;

/// What is known of script files, by the absolute path as the command spells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scripts {
    texts: BTreeMap<String, Option<Arc<str>>>,
}

impl Scripts {
    /// Adds what was found at `path`: a text, or nothing that is followed (missing, outside, too large, no text).
    pub fn add(&mut self, path: String, text: Option<String>) {
        self.texts.insert(path, text.map(Arc::from));
    }

    /// None of `paths` can be followed.
    pub fn without(paths: Vec<String>) -> Self {
        Self { texts: paths.into_iter().map(|path| (path, None)).collect() }
    }

    /// Adds all of `other`.
    pub fn absorb(&mut self, other: Self) {
        self.texts.extend(other.texts);
    }

    /// The files of `wanted` that were not looked at yet, as far as one call may have them read. Each answer makes this list shorter,
    /// so that asking for them comes to an end.
    pub fn missing(&self, wanted: &[String]) -> Vec<String> {
        let room = MOST.saturating_sub(self.texts.len());
        wanted.iter().filter(|path| !self.texts.contains_key(*path)).take(room).cloned().collect()
    }

    /// SHA-256, in lower-case hexadecimal, over all that was found; nothing if nothing was looked for. An answer given while the scripts
    /// were these says nothing of others.
    pub fn digest(&self) -> Option<String> {
        if self.texts.is_empty() {
            return None;
        }
        let mut hash = Sha256::new();
        for (path, text) in &self.texts {
            hash.update(path.len().to_le_bytes());
            hash.update(path);
            hash.update([u8::from(text.is_some())]);
            let text = text.as_deref().unwrap_or_default();
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
        Some(hex(&hash.finalize()))
    }

    /// What was found at `path`; nothing if it was not looked at.
    pub(super) fn get(&self, path: &str) -> Option<Option<Arc<str>>> {
        self.texts.get(path).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_text_changes_the_digest() {
        let with = |text: Option<&str>| {
            let mut scripts = Scripts::default();
            scripts.add("/w/a.sh".to_owned(), text.map(str::to_owned));
            scripts.digest()
        };
        let all = [None, Some(""), Some("ls"), Some("ls ")].map(with);
        assert!(all.iter().all(Option::is_some));
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
        assert_eq!(Scripts::default().digest(), None);
    }

    #[test]
    fn asking_for_files_comes_to_an_end() {
        let mut scripts = Scripts::default();
        let wanted: Vec<String> = (0..100).map(|number| format!("/w/{number}.sh")).collect();
        while let Some(path) = scripts.missing(&wanted).first() {
            scripts.add(path.clone(), None);
        }
        assert_eq!(scripts.texts.len(), MOST);
    }
}
