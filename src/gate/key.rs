//! What an answer is given for.
use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What an answer is given for: equal keys are asked once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A directory and all below it.
    Directory(#[serde(with = "exact")] PathBuf),
    /// One file and nothing else.
    File(#[serde(with = "exact")] PathBuf),
    /// This call only: what it is about has no place of its own.
    Call(String),
}

impl Key {
    /// The key as it is shown and recorded. Two keys can have one text: a file and a directory of one name.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Directory(path) | Self::File(path) => path.to_string_lossy(),
            Self::Call(text) => Cow::Borrowed(text),
        }
    }

    /// The place, if it is one.
    pub fn place(&self) -> Option<&Path> {
        match self {
            Self::Directory(path) | Self::File(path) => Some(path),
            Self::Call(_) => None,
        }
    }
}

/// A path as text where it is text, and unit by unit where it is not, so that two paths never become one.
mod exact {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Spelled {
        Text(String),
        Units(OsString),
    }

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => path.as_os_str().serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        Ok(match Spelled::deserialize(deserializer)? {
            Spelled::Text(text) => text.into(),
            Spelled::Units(units) => units.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::Key;

    #[test]
    fn no_two_keys_are_written_alike() {
        let torn = |byte: u8| OsStr::from_bytes(&[b'/', byte]).into();
        let keys = [
            Key::Directory("/a".into()),
            Key::File("/a".into()),
            Key::Call("/a".into()),
            Key::File("/\u{fffd}".into()),
            Key::File(torn(0xff)),
            Key::File(torn(0xfe)),
        ];
        let written: Vec<String> = keys.iter().map(|key| serde_json::to_string(key).unwrap()).collect();
        for (text, key) in written.iter().zip(&keys) {
            assert_eq!(written.iter().filter(|other| *other == text).count(), 1, "{text}");
            assert_eq!(serde_json::from_str::<Key>(text).unwrap(), *key, "{text}");
        }
        assert_eq!(written[0], r#"{"directory":"/a"}"#);
    }
}
