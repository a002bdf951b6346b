//! One path as the list looks at it: folded, in components, with its bases taken off.
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::list::List;
use crate::analyse::Surroundings;

/// A folded path. INVARIANT: every text is lower case and uses `/`; `relative`, `control` and `home` are ends of `whole`.
#[derive(Debug, Clone)]
pub struct View {
    whole: String,
    relative: usize,
    control: usize,
    home: Option<usize>,
}

impl View {
    /// A text without any base: whole if it begins with `/`.
    pub fn plain(text: &str) -> Self {
        Self { whole: fold(text), relative: 0, control: 0, home: None }
    }

    /// An absolute path with the innermost of root and home taken off; for control files permitted directories count too, so
    /// that a worktree kept below an agent's own directory is not a control file as a whole.
    pub fn within(text: &str, surroundings: &Surroundings) -> Self {
        let whole = fold(text);
        let after = |base: &Path| base.to_str().and_then(|base| end_of(base, text, &whole));
        let home = if whole.starts_with("~/") { Some(2) } else { surroundings.home.as_deref().and_then(after) };
        let roots = [surroundings.root.as_path(), surroundings.spelled_root.as_path()].into_iter().filter_map(after);
        let relative = roots.chain(home).max().unwrap_or(0);
        let allowed = surroundings.allowed_directories.iter().filter_map(|directory| after(directory));
        let control = allowed.max().unwrap_or(0).max(relative);
        Self { whole, relative, control, home }
    }

    /// The last component, without a slash behind it.
    pub fn name(&self) -> &str {
        self.whole.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }

    /// The part below the innermost base.
    pub fn relative(&self) -> &str {
        self.whole.get(self.relative..).unwrap_or_default()
    }

    /// The part that is looked at for control files.
    pub fn control(&self) -> &str {
        self.whole.get(self.control..).unwrap_or_default()
    }

    /// The part below the home directory, if it lies there.
    pub fn home(&self) -> Option<&str> {
        self.whole.get(self.home?..)
    }

    /// The whole, if it is absolute.
    pub fn rooted(&self) -> Option<&str> {
        self.whole.strip_prefix('/')
    }
}

/// Lower case, wide forms narrowed (a server may fold them later), characters that some volumes ignore in names taken out
/// (HFS+), one kind of separator.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        let lower = text.to_ascii_lowercase();
        return if lower.contains('\\') { lower.replace('\\', "/") } else { lower };
    }
    let ignored =
        |character: &char| !matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    text.nfkc().filter(ignored).flat_map(char::to_lowercase).map(|character| if character == '\\' { '/' } else { character }).collect()
}

/// Where the part of `whole` below `base` begins, if it lies there. `text` is `whole` before it was folded.
fn end_of(base: &str, text: &str, whole: &str) -> Option<usize> {
    let base = base.trim_end_matches(['/', '\\']);
    if base.is_empty() {
        return None;
    }
    let length = if text.is_ascii() && base.is_ascii() {
        text.get(..base.len()).filter(|head| head.eq_ignore_ascii_case(base)).map(str::len)?
    } else {
        let base = fold(base);
        whole.strip_prefix(base.as_str()).map(|_| base.len())?
    };
    let rest = whole.get(length..)?;
    if rest.is_empty() { Some(length) } else { rest.starts_with('/').then_some(length + 1) }
}

/// The names under which a last component is looked up: as it stands, without blanks, without a stream suffix, and as the file
/// that a backup is a copy of.
#[derive(Debug, Clone)]
pub struct Candidates<'name> {
    names: Vec<&'name str>,
}

impl<'name> Candidates<'name> {
    /// The candidates of one name; the first is the name itself.
    pub fn of(name: &'name str, list: &List) -> Self {
        let name = name.trim();
        let mut names = vec![name];
        if let Some((before, _)) = name.split_once(':') {
            names.extend([before, name.rsplit(':').next().unwrap_or_default()]);
        }
        let bare = name.trim_start_matches(['.', '#']).len();
        // `.#name`, `#name#` and `.name.swp` are what editors leave beside a file
        let editor = name.trim_start_matches(".#").trim_matches('#');
        let mut stem = editor;
        while let Some(shorter) = list.without_backup_suffix(stem) {
            stem = shorter;
            names.push(stem);
            names.extend(stem.strip_prefix('.').filter(|_| bare != name.len()));
        }
        if editor != name {
            names.push(editor);
        }
        Self { names }
    }

    /// The name as it stands, before anything was taken off it.
    pub fn itself(&self) -> &'name str {
        self.names.first().copied().unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = &'name str> + '_ {
        self.names.iter().copied()
    }
}
