//! The walk from `/` to a path's end: one look per component, links followed by reading them, `..` applied where it stands.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::look::{EntryKind, FileIdentity, LookError, is_process_view, look};
use super::mounts::Mounts;

/// How many links one path may lead through, as in the Linux kernel.
const MOST_LINKS: usize = 40;
/// How many entries are looked at for one path; a path within the kernel's limit of 4,096 bytes needs no more.
const MOST_LOOKS: usize = 2_048;
/// Directories longer than this are not remembered, so that memory stays linear in the input.
const LONGEST_REMEMBERED: usize = 1_024;

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, every link followed as far as the path exists.
    pub path: PathBuf,
    /// Whether the entry exists at the end of all links.
    pub exists: bool,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether an entry of the spelled name exists, be it a link that leads nowhere.
    pub is_named: bool,
    /// Which file it is, if that has several names (hard links).
    pub shared: Option<FileIdentity>,
    /// How many links were followed.
    pub links: usize,
    /// Whether one of them lies in a permitted directory.
    pub through_link: bool,
}

/// Walks paths, and remembers directories for the length of one call.
#[derive(Debug)]
pub struct Walker {
    /// What `/proc/self/cwd` stands for: the upstream is started in the root.
    working_directory: PathBuf,
    permitted: Vec<PathBuf>,
    remembered: HashMap<String, WalkState>,
    looks_left: usize,
    at_once: Option<Arc<Mounts>>,
    would_wait: bool,
}

/// How far a walk has come. INVARIANT: `at` is absolute; its last `missing` components do not exist.
#[derive(Debug, Clone)]
struct WalkState {
    at: PathBuf,
    missing: usize,
    is_directory: bool,
    is_named: bool,
    shared: Option<FileIdentity>,
    /// Set once a component could not be looked at, so that what follows is text only.
    blind: Option<LookError>,
    links: usize,
    through_link: bool,
}

impl Walker {
    /// A walker for an upstream that works in `working_directory`; links below `permitted` are told apart from others.
    pub fn new(working_directory: PathBuf, permitted: Vec<PathBuf>) -> Self {
        Self { working_directory, permitted, remembered: HashMap::new(), looks_left: MOST_LOOKS, at_once: None, would_wait: false }
    }

    /// The same walker, which gives up where it could be kept waiting: at such a mount, at a link, which could lead to one, and at a
    /// file with several names, which have to be looked for.
    pub fn at_once(self, mounts: Arc<Mounts>) -> Self {
        Self { at_once: Some(mounts), ..self }
    }

    /// Whether it gave up for that since it was made.
    pub const fn would_wait(&self) -> bool {
        self.would_wait
    }

    /// Whether `place` may keep a look waiting, where that matters; remembers that it did.
    pub fn waits_at(&mut self, place: &Path) -> bool {
        let waits = self.at_once.as_ref().is_some_and(|mounts| mounts.may_wait(place));
        self.would_wait |= waits;
        waits
    }

    /// Resolves an absolute path.
    ///
    /// # Errors
    /// When it cannot be known what the path names.
    pub fn resolve(&mut self, text: &str) -> Result<Resolved, LookError> {
        if text.contains('\0') {
            return Err(LookError::Nul);
        }
        self.looks_left = MOST_LOOKS;
        let (directory, last) = text.rsplit_once('/').unwrap_or(("", text));
        let mut state = self.directory(directory)?;
        self.take(&mut state, last)?;
        self.finish(state)
    }

    /// The entry `name` of a directory that was resolved before. `known` says what a directory listing said of it.
    pub fn child(&mut self, directory: &Resolved, name: &str, known: ListedKind) -> Result<Resolved, LookError> {
        let mut state = WalkState { is_named: true, ..WalkState::start() };
        state.at.clone_from(&directory.path);
        state.links = directory.links;
        state.through_link = directory.through_link;
        self.looks_left = MOST_LOOKS;
        match known {
            ListedKind::Link => self.take(&mut state, name)?,
            ListedKind::Directory | ListedKind::Other => {
                state.at.push(name);
                state.is_directory = known == ListedKind::Directory;
            }
        }
        self.finish(state)
    }

    fn finish(&self, state: WalkState) -> Result<Resolved, LookError> {
        let WalkState { at, missing, is_directory, is_named, shared, blind, links, through_link } = state;
        match blind {
            // What is blind and outside is asked about as outside; inside, it may be anything
            Some(error) if self.permits(&at) => Err(error),
            blind => {
                let exists = missing == 0 && blind.is_none();
                Ok(Resolved { path: at, exists, is_directory: is_directory && exists, is_named, shared, links, through_link })
            }
        }
    }

    /// The state at the end of a directory's spelling, from the longest part of it that is remembered.
    fn directory(&mut self, text: &str) -> Result<WalkState, LookError> {
        // Looked for only where something can be remembered, so that a long path costs no more than its length
        let mut known = text;
        if known.len() > LONGEST_REMEMBERED {
            let short = known.floor_char_boundary(LONGEST_REMEMBERED);
            known = known.get(..short).and_then(|head| head.rsplit_once('/')).map_or("", |(above, _)| above);
        }
        let mut state = loop {
            if let Some(state) = self.remembered.get(known) {
                break state.clone();
            }
            match known.rsplit_once('/') {
                Some((above, _)) => known = above,
                None => break WalkState::start(),
            }
        };
        let mut end = known.len();
        while let Some(rest) = text.get(end..).filter(|rest| !rest.is_empty()) {
            let after_slash = rest.strip_prefix('/').unwrap_or(rest);
            let component = after_slash.split('/').next().unwrap_or_default();
            self.take(&mut state, component)?;
            end += rest.len() - after_slash.len() + component.len();
            if let Some(prefix) = text.get(..end).filter(|prefix| prefix.len() <= LONGEST_REMEMBERED) {
                self.remembered.insert(prefix.to_owned(), state.clone());
            }
        }
        Ok(state)
    }

    /// Goes on by one spelled component, to the end of every link it leads into.
    fn take(&mut self, state: &mut WalkState, component: &str) -> Result<(), LookError> {
        let mut pending = vec![component.to_owned()];
        let mut first = true;
        while let Some(component) = pending.pop() {
            let found = self.step(state, &component, &mut pending)?;
            if first && !matches!(component.as_str(), "" | ".") {
                state.is_named = found;
            }
            first = false;
        }
        Ok(())
    }

    /// One component; says whether an entry of that name exists. A link's own components are put on `pending`.
    fn step(&mut self, state: &mut WalkState, component: &str, pending: &mut Vec<String>) -> Result<bool, LookError> {
        match component {
            "" | "." => return Ok(state.missing == 0),
            ".." => return state.up(),
            _ => {}
        }
        if state.missing > 0 || state.blind.is_some() {
            state.at.push(component);
            state.missing += 1;
            state.is_directory = false;
            state.shared = None;
            return Ok(false);
        }
        if let Some(target) = self.own_process(&state.at, component) {
            state.at = target;
            state.is_directory = true;
            return Ok(true);
        }
        let candidate = state.at.join(component);
        self.looks_left = self.looks_left.checked_sub(1).ok_or(LookError::TooLong)?;
        if self.waits_at(&candidate) {
            return Err(LookError::MayWait);
        }
        let look = match look(&candidate) {
            Err(error @ LookError::Denied(_)) => return Ok(state.go_blind(candidate, error)),
            other => other?,
        };
        match look {
            EntryKind::Link(_) | EntryKind::Other(Some(_)) if self.at_once.is_some() => {
                self.would_wait = true;
                Err(LookError::MayWait)
            }
            EntryKind::Link(_) if is_process_view(&state.at) => Ok(state.go_blind(candidate.clone(), LookError::Foreign(candidate))),
            EntryKind::Link(target) => self.follow(state, &candidate, &target, pending).map(|()| true),
            found => {
                state.is_directory = matches!(found, EntryKind::Directory);
                state.shared = if let EntryKind::Other(shared) = found { shared } else { None };
                state.missing = usize::from(matches!(found, EntryKind::Missing));
                state.at = candidate;
                Ok(state.missing == 0)
            }
        }
    }

    fn follow(&self, state: &mut WalkState, link: &Path, target: &str, pending: &mut Vec<String>) -> Result<(), LookError> {
        state.links += 1;
        if state.links > MOST_LINKS {
            return Err(LookError::Loop);
        }
        state.through_link |= self.permits(link);
        if target.starts_with('/') {
            state.at = PathBuf::from("/");
        }
        pending.extend(target.rsplit('/').map(str::to_owned));
        Ok(())
    }

    /// What the magic links of the process's own `/proc` directory mean for the upstream: its working directory is the root.
    fn own_process(&self, at: &Path, component: &str) -> Option<PathBuf> {
        match (at.to_str()?, component) {
            ("/proc", "self" | "thread-self") => Some(at.join(component)),
            ("/proc/self" | "/proc/thread-self", "cwd") => Some(self.working_directory.clone()),
            ("/proc/self" | "/proc/thread-self", "root") => Some(PathBuf::from("/")),
            _ => None,
        }
    }

    fn permits(&self, path: &Path) -> bool {
        self.permitted.iter().any(|directory| path.starts_with(directory))
    }
}

/// What a directory listing says of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedKind {
    /// A directory itself, not a link to one.
    Directory,
    /// A link, of which the target is not known yet.
    Link,
    /// A file, device, pipe or socket.
    Other,
}

impl WalkState {
    fn start() -> Self {
        let at = PathBuf::from("/");
        Self { at, missing: 0, is_directory: true, is_named: true, shared: None, blind: None, links: 0, through_link: false }
    }

    fn up(&mut self) -> Result<bool, LookError> {
        // Above something that may be a link lies what only the system knows
        if let Some(error) = &self.blind {
            return Err(error.clone());
        }
        self.at.pop();
        self.missing = self.missing.saturating_sub(1);
        self.is_directory = self.missing == 0;
        self.shared = None;
        Ok(self.missing == 0)
    }

    fn go_blind(&mut self, at: PathBuf, error: LookError) -> bool {
        self.at = at;
        self.is_directory = false;
        self.blind = Some(error);
        true
    }
}
