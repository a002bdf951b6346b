//! Whether the tool reads or writes the place that one argument names.
use crate::policy::Direction;

use super::tool::Tool;
use super::vocabulary::VOCABULARY;
use super::words::words;

/// Whether the argument `name` takes what is to be made.
pub fn is_output(name: &str) -> bool {
    VOCABULARY.direction.output.any(&words(name))
}

/// The direction for the argument `name` of `tool`.
pub fn of(name: &str, tool: &Tool) -> Direction {
    let words = words(name);
    let say = &VOCABULARY.direction;
    let is_target = words.iter().any(|word| word == "target");
    if say.written.any(&words) && !(is_target && tool.direction == Direction::Read) {
        return Direction::Write;
    }
    if say.read.any(&words) && !tool.changes_sources {
        return Direction::Read;
    }
    tool.direction
}
