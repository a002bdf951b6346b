//! The question put to a helper program (`--askpass PATH`): exit status 0 is yes for this call, everything else is no.
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::gate::{Answer, Channel, Choice, Ending, Question, quoted};

use super::draw;
use super::question_view::QuestionView;

/// What the helper gets of the gate's environment: where it can draw, and in which language.
const PASSED_ON: [&str; 8] = ["HOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "LANG", "TERM", "TMUX"];
/// The helper's search path: the gate's own may lead into the project.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin";
/// One yes cannot be about more findings than a person reads at once.
const MOST_ITEMS: usize = 12;
/// How often the helper's end is looked for.
const LOOK: Duration = Duration::from_millis(25);

/// A helper program that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
}

/// Why a helper program is not used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum HelperError {
    /// The path is relative: what it names hangs on where the gate was started.
    #[error("the helper program {} is not given by an absolute path", quoted(.0))]
    Relative(String),
    /// It is not there, or cannot be looked at.
    #[error("the helper program {} cannot be used: {}", quoted(.0), .1)]
    Missing(String, String),
    /// It is no regular file, or nobody may execute it.
    #[error("the helper program {} is no executable file", quoted(.0))]
    NotExecutable(String),
    /// Others could put another program in its place.
    #[error("others may change {}, so it is not run as a helper program: take write permission from group and others", quoted(.0))]
    Writable(String),
    /// It belongs to another user.
    #[error("{} belongs to another user, so it is not run as a helper program", quoted(.0))]
    ForeignOwner(String),
}

impl Program {
    /// The helper at `path`, if nobody else can change it.
    ///
    /// # Errors
    /// See [`HelperError`].
    pub fn at(path: &Path) -> Result<Self, HelperError> {
        let name = path.to_string_lossy().into_owned();
        if !path.is_absolute() {
            return Err(HelperError::Relative(name));
        }
        let real = path.canonicalize().map_err(|error| HelperError::Missing(name.clone(), error.to_string()))?;
        let about = real.metadata().map_err(|error| HelperError::Missing(name.clone(), error.to_string()))?;
        if !about.is_file() || about.permissions().mode() & 0o111 == 0 {
            return Err(HelperError::NotExecutable(name));
        }
        for place in real.ancestors() {
            only_ours(place, Some(place) == real.parent())?;
        }
        Ok(Self { path: real })
    }

    /// Asks and waits at most `deadline`, or until `withdrawn` is set; then the helper and all it started are killed.
    /// Nothing if it could not be asked or did not answer in time. Blocks: call it on a thread of its own.
    pub fn ask(&self, question: &Question, deadline: Duration, withdrawn: &AtomicBool) -> Option<Answer> {
        if question.items.is_empty() || question.items.len() > MOST_ITEMS {
            return None;
        }
        // What was fit when the gate started may have been changed since.
        Self::at(&self.path).ok()?;
        let until = Instant::now() + deadline;
        let view = QuestionView::of(question);
        let mut child = self.start(&view).ok()?;
        hand_over(&mut child, &view);
        let Some(yes) = wait(&mut child, until, withdrawn) else {
            end(&mut child);
            return None;
        };
        Some(answered(question, yes))
    }

    fn start(&self, view: &QuestionView) -> std::io::Result<Child> {
        let mut command = Command::new(&self.path);
        command.arg(draw::whole(view).join("\n")).env_clear().env("PATH", SEARCH_PATH).current_dir("/");
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
    }
}

/// The file and every directory above it belong to this user or to root and are closed to others. A directory with the
/// sticky bit keeps others from replacing what is in it, which will do above the helper's own directory.
fn only_ours(place: &Path, is_own_directory: bool) -> Result<(), HelperError> {
    let name = place.to_string_lossy().into_owned();
    let about = place.metadata().map_err(|error| HelperError::Missing(name.clone(), error.to_string()))?;
    let is_sticky = about.is_dir() && about.mode() & 0o1000 != 0 && !is_own_directory;
    if about.mode() & 0o022 != 0 && !is_sticky {
        return Err(HelperError::Writable(name));
    }
    let user = rustix::process::geteuid().as_raw();
    if about.uid() != user && about.uid() != 0 { Err(HelperError::ForeignOwner(name)) } else { Ok(()) }
}

fn hand_over(child: &mut Child, view: &QuestionView) {
    let (Some(mut input), Ok(text)) = (child.stdin.take(), serde_json::to_vec(view)) else { return };
    // A helper need not read its input, so this must not hold up the wait; the pipe breaks when the helper ends.
    std::thread::spawn(move || input.write_all(&text));
}

fn wait(child: &mut Child, until: Instant, withdrawn: &AtomicBool) -> Option<bool> {
    while Instant::now() < until && !withdrawn.load(Ordering::Relaxed) {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) => std::thread::sleep(LOOK),
            Err(_) => return None,
        }
    }
    None
}

// INVARIANT: the helper was not waited for, so its process id, which is its group's, still belongs to it.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn answered(question: &Question, yes: bool) -> Answer {
    let choice = if yes { Choice::Once } else { Choice::Deny };
    let decisions = question.items.iter().map(|item| (item.key.clone(), choice)).collect();
    Answer { decisions, ..Answer::nothing(Channel::Program, Ending::Decided) }
}
