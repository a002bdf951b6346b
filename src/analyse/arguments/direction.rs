//! Whether the tool reads or writes the place that one argument names.
use crate::policy::Direction;

use super::tool::Tool;
use super::words::words;

const WRITTEN: &[&str] = &[
    "destination",
    "dest",
    "dst",
    "output",
    "out",
    "outfile",
    "outdir",
    "outputdir",
    "save",
    "saved",
    "target",
    "download",
    "export",
    "write",
    "logfile",
    "into",
    "new",
];
const READ: &[&str] = &["source", "src", "input", "infile", "indir", "inputdir", "from", "cwd", "workdir", "upload", "read", "root"];

/// Names of arguments that take the file or directory to be made.
const OUTPUT: &[&str] = &["output", "outputs", "out", "dest", "save", "saved"];

/// Whether the argument `name` takes what is to be made.
pub fn is_output(name: &str) -> bool {
    words(name).iter().any(|word| OUTPUT.contains(&word.as_str()))
}

/// The direction for the argument `name` of `tool`.
pub fn of(name: &str, tool: &Tool) -> Direction {
    let words = words(name);
    let any = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    if any(WRITTEN) && !(any(&["target"]) && tool.direction == Direction::Read) {
        return Direction::Write;
    }
    if any(READ) && !tool.changes_sources {
        return Direction::Read;
    }
    tool.direction
}
