//! A terminal with a person at it: a second process in a session of its own, what it shows, and what is typed.
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use crate::support::HANG;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a program once the process that forked it is gone, so that it descends from nobody here.
const ORPHANED: &str = r#"while grep -qx setsid "/proc/$(cut -d ' ' -f 4 /proc/$$/stat)/comm" 2>/dev/null; do :; done; exec "$@""#;

/// See the file's first line.
pub struct Terminal {
    keys: File,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    from: usize,
    left: Arc<AtomicBool>,
}

#[derive(Default)]
struct Seen {
    text: String,
    closed: bool,
}

/// Whose child the program is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The first process, as far as its ancestors tell: somebody else's terminal.
    Nobody,
    /// This test, and so whoever started it.
    Test,
}

impl Terminal {
    /// Runs `program` in a new terminal of 40 lines by 100 columns, with `runtime` as the user's runtime directory.
    pub fn running(program: &str, arguments: &[&str], runtime: &Path, parent: Parent) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        tcsetwinsize(&master, Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
        let side = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("the other side");
        let stdio = || Stdio::from(side.try_clone().expect("a copy"));
        let mut command = Command::new("setsid");
        if parent == Parent::Nobody {
            command.args(["--ctty", "--fork", "sh", "-c", ORPHANED, "sh"]);
        } else {
            command.arg("--ctty");
        }
        command.arg(program).args(arguments).env("XDG_RUNTIME_DIR", runtime).env("XDG_STATE_HOME", runtime);
        command.env("CALLGATE_ALLOW_ROOT_TOOLS", "1").env("TERM", "xterm").env_remove("NO_COLOR");
        let mut child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().expect("setsid of util-linux");
        drop(side);
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let (screen, watched) = (File::from(master.try_clone().expect("a copy")), Arc::clone(&seen));
        let left = Arc::new(AtomicBool::new(false));
        let person_left = Arc::clone(&left);
        std::thread::spawn(move || {
            watch(screen, &watched, &person_left);
            let _ = child.wait();
        });
        Self { keys: File::from(master), seen, from: 0, left }
    }

    /// Waits until `text` is shown after what was waited for before; gives everything up to it.
    pub fn wait_for(&mut self, text: &str) -> String {
        self.wait_for_first(&[text])
    }

    /// Waits until one of `texts` is shown after what was waited for before; gives everything up to the first that is, with it at its end.
    pub fn wait_for_first(&mut self, texts: &[&str]) -> String {
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().expect("not poisoned");
        let until = Instant::now() + HANG;
        loop {
            let found = texts.iter().filter_map(|text| seen.text[self.from..].find(text).map(|at| (at, text.len()))).min();
            if let Some((at, length)) = found {
                let end = self.from + at + length;
                let shown = seen.text[self.from..end].to_owned();
                self.from = end;
                return shown;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "none of {texts:?} was shown, but:\n{}", &seen.text[self.from..]);
            seen = changed.wait_timeout(seen, left).expect("not poisoned").0;
        }
    }

    /// Waits until the program ended; gives what was shown since the last wait.
    pub fn wait_for_end(&mut self) -> String {
        let (lock, changed) = &*self.seen;
        let seen = lock.lock().expect("not poisoned");
        let (seen, late) = changed.wait_timeout_while(seen, HANG, |seen| !seen.closed).expect("not poisoned");
        assert!(!late.timed_out(), "the program did not end:\n{}", &seen.text[self.from..]);
        seen.text[self.from..].to_owned()
    }

    /// Closes the terminal, as a window is closed: what runs in it is hung up.
    pub fn hang_up(self) {
        self.left.store(true, Ordering::Relaxed);
        let (lock, changed) = &*self.seen;
        let seen = lock.lock().expect("not poisoned");
        drop(changed.wait_timeout_while(seen, HANG, |seen| !seen.closed).expect("not poisoned"));
    }

    /// Types a line.
    pub fn type_line(&mut self, line: &str) {
        self.type_keys(&format!("{line}\n"));
    }

    /// Types these keys.
    pub fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("typed");
    }

    /// The code that is shown with the choices, after waiting for them and for the prompt.
    pub fn code(&mut self) -> String {
        self.wait_for("  allow ");
        let shown = self.wait_for(" only");
        let code = shown.split(" - ").next().unwrap_or_default().to_owned();
        self.wait_for("> ");
        code
    }
}

fn watch(mut screen: File, seen: &(Mutex<Seen>, Condvar), left: &AtomicBool) {
    let mut bytes = [0; 4096];
    let mut kept = Vec::new();
    loop {
        let length = if comes_before(&screen, left) { screen.read(&mut bytes).unwrap_or(0) } else { 0 };
        kept.extend_from_slice(&bytes[..length]);
        let mut seen_now = seen.0.lock().expect("not poisoned");
        let whole = match std::str::from_utf8(&kept) {
            Ok(_) => kept.len(),
            Err(error) => error.valid_up_to(),
        };
        let text: Vec<u8> = kept.drain(..whole).collect();
        seen_now.text.push_str(&String::from_utf8(text).expect("checked"));
        if length == 0 {
            // The other handle of the terminal closes after this one, so it has to go first.
            drop(screen);
            seen_now.closed = true;
            seen.1.notify_all();
            return;
        }
        seen.1.notify_all();
    }
}

/// Whether something is shown before the person leaves.
fn comes_before(screen: &File, left: &AtomicBool) -> bool {
    let moment = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    while !left.load(Ordering::Relaxed) {
        if !matches!(poll(&mut [PollFd::new(screen, PollFlags::IN)], Some(&moment)), Ok(0) | Err(_)) {
            return true;
        }
    }
    false
}
