//! `[paths] deny`: which paths are refused wherever they lie.
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::sourced::Listed;
use super::words::Platform;
use crate::escape::visible;

/// The deny globs, ready to match.
#[derive(Debug, Clone, Default)]
pub(super) struct Denied {
    globs: GlobSet,
    /// For each glob of the set: how it is spoken of, and what it is matched with.
    entries: Vec<(String, Reach)>,
}

/// What a glob is matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It has no slash: the name of the path or of any directory above it.
    Name,
    /// It starts at the root.
    Root,
    /// It is absolute.
    Absolute,
}

impl Denied {
    /// Globs that do not compile were refused when the text was read.
    pub(super) fn new(listed: &Listed) -> Self {
        let mut builder = GlobSetBuilder::new();
        let mut entries = Vec::new();
        for (text, source) in listed.values.iter().zip(&listed.sources) {
            let reach = Reach::of(text);
            for form in [text.as_str(), text.trim_end_matches('/').trim_end_matches("/**")] {
                let built = GlobBuilder::new(form).literal_separator(true).case_insensitive(Platform::host() != Platform::Linux).build();
                if let Ok(glob) = built {
                    builder.add(glob);
                    entries.push((format!("`{}`, {source}", visible(text)), reach));
                }
            }
        }
        builder.build().map(|globs| Self { globs, entries }).unwrap_or_default()
    }

    /// The glob that refuses `path`: it matches the path, or a directory that holds it.
    pub(super) fn hit(&self, path: &Path, root: &Path) -> Option<&str> {
        if self.entries.is_empty() {
            return None;
        }
        path.ancestors().find_map(|part| {
            let name = part.file_name().and_then(|name| self.find(Path::new(name), Reach::Name));
            let below = part.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
            name.or_else(|| below.and_then(|below| self.find(below, Reach::Root))).or_else(|| self.find(part, Reach::Absolute))
        })
    }

    fn find(&self, part: &Path, reach: Reach) -> Option<&str> {
        let hits = self.globs.matches(part);
        hits.into_iter().filter_map(|index| self.entries.get(index)).find(|(_, held)| *held == reach).map(|(label, _)| label.as_str())
    }
}

impl Reach {
    fn of(text: &str) -> Self {
        match text {
            absolute if absolute.starts_with('/') || absolute.get(1..3) == Some(":/") => Self::Absolute,
            rooted if rooted.trim_end_matches('/').contains('/') => Self::Root,
            _ => Self::Name,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Denied;
    use crate::policy::sourced::Listed;

    #[test]
    fn globs_reach_from_the_root_by_name_or_from_the_top() {
        let globs = ["vendor/**", "*.key", "/srv/data", "node_modules"];
        let listed = Listed { values: globs.map(str::to_owned).to_vec(), sources: vec!["p:1".to_owned(); 4] };
        let denied = Denied::new(&listed);
        for (path, hit) in [
            ("/r/vendor/a/b", true),
            ("/r/vendor", true),
            ("/r/vendors/a", false),
            ("/r/x/vendor/a", false),
            ("/else/vendor/a", false),
            ("/r/a/b.key", true),
            ("/else/b.key", true),
            ("/srv/data/x", true),
            ("/srv/database", false),
            ("/r/x/node_modules/y", true),
            ("/r", false),
        ] {
            assert_eq!(denied.hit(Path::new(path), Path::new("/r")).is_some(), hit, "{path}");
        }
        assert_eq!(denied.hit(Path::new("/r/vendor/a"), Path::new("/r")), Some("`vendor/**`, p:1"));
    }
}
