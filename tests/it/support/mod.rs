//! What several modules need.
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Nothing that a test waits for takes this long, on any machine, unless it hangs.
pub const HANG: Duration = Duration::from_secs(180);

pub mod bare_session;
pub mod gate_process;
pub mod lines;
pub mod picker;
pub mod project;
pub mod reader_checks;
pub mod terminal;
pub mod verdicts;
pub mod workspace;

/// Writes a program, by another process: what this one has open for writing while any thread of it starts a program cannot be run.
pub fn write_program(path: &Path, text: &str) {
    let written = Command::new("sh").args(["-c", r#"printf '%s' "$2" > "$1" && chmod 700 "$1""#, "sh"]).arg(path).arg(text).status();
    assert!(written.expect("a shell").success());
}
