//! What the built-in server is started with.
use std::path::PathBuf;
use std::time::Duration;

use crate::root_guard;

/// A group of tools that can be included or excluded as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Every tool that comes with the server.
    Bundled,
    /// Reading, finding and changing files.
    Files,
    /// Fetching from the web.
    Web,
    /// Running commands.
    Shell,
    /// Querying databases.
    Data,
}

impl Tag {
    /// Every tag.
    pub const ALL: [Self; 5] = [Self::Bundled, Self::Files, Self::Web, Self::Shell, Self::Data];

    /// The tag of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.word() == word)
    }

    /// The word used on the command line and in `_meta.tags`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::Files => "files",
            Self::Web => "web",
            Self::Shell => "shell",
            Self::Data => "data",
        }
    }
}

/// Why a host is not on the public internet, or nothing if nothing speaks against it. It is given a name, or an address in any
/// spelling; the gate and the web tools must agree about it, so whoever starts the server hands in the gate's own.
pub type IsInternal = fn(host: &str) -> Option<&'static str>;

/// How the server behaves; everything the environment decides is read once, here.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where relative paths start and commands run.
    pub root: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Whether the web tools may connect to loopback, private and other internal addresses.
    pub allow_internal: bool,
    /// Which hosts those are.
    pub is_internal: IsInternal,
    /// Only tools with one of these tags; all when empty.
    pub include: Vec<Tag>,
    /// No tools with one of these tags.
    pub exclude: Vec<Tag>,
    /// The longest time a command may be given.
    pub command_ceiling: Duration,
    /// This program, which is started again to convert documents.
    pub program: Option<PathBuf>,
    /// Why the tools must not run at all, or nothing.
    pub refusal: Option<String>,
}

/// Sets the longest time a command may ask for, in seconds.
pub const COMMAND_CEILING_VARIABLE: &str = "CALLGATE_RUN_COMMAND_MAX_TIMEOUT";
const COMMAND_CEILING: Duration = Duration::from_secs(600);

impl Settings {
    /// Settings for a root directory, with what the environment says of the rest.
    pub fn from_environment(root: PathBuf, is_internal: IsInternal) -> Self {
        Self {
            root,
            home: etcetera::home_dir().ok(),
            allow_internal: false,
            is_internal,
            include: Vec::new(),
            exclude: Vec::new(),
            command_ceiling: ceiling(std::env::var(COMMAND_CEILING_VARIABLE).ok().as_deref()),
            program: std::env::current_exe().ok(),
            refusal: root_guard::refusal(),
        }
    }

    /// Whether a tool with these tags is offered.
    pub fn offers(&self, tags: &[Tag]) -> bool {
        let any = |wanted: &[Tag]| tags.iter().any(|tag| wanted.contains(tag));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

/// Anything but a positive number of seconds leaves the built-in ceiling.
fn ceiling(value: Option<&str>) -> Duration {
    let seconds = value.and_then(|text| text.trim().parse::<f64>().ok()).filter(|seconds| *seconds > 0.0);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(COMMAND_CEILING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_positive_number_moves_the_ceiling() {
        for bad in [None, Some(""), Some("0"), Some("-4"), Some("soon"), Some("NaN"), Some("1e400")] {
            assert_eq!(ceiling(bad), COMMAND_CEILING, "{bad:?}");
        }
        assert_eq!(ceiling(Some(" 2.5 ")), Duration::from_millis(2500));
    }

    #[test]
    fn tags_filter_by_any_match_and_exclusion_wins() {
        let mut settings = Settings::from_environment(PathBuf::from("/"), |_| None);
        assert!(settings.offers(&[Tag::Bundled, Tag::Web]));
        settings.include = vec![Tag::Files, Tag::Web];
        settings.exclude = vec![Tag::Web];
        assert!(settings.offers(&[Tag::Bundled, Tag::Files]));
        assert!(!settings.offers(&[Tag::Bundled, Tag::Web]));
        assert!(!settings.offers(&[Tag::Bundled, Tag::Shell]));
    }
}
