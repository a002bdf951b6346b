//! Text of database shells, editors and `awk`: the commands in it that touch files or run something.
use std::sync::LazyLock;

use regex::Regex;

use super::act::{Acts, Use};
use super::by_role::climbs_or_absolute;
use super::command_words::COMMAND_WORDS;
use crate::analyse::Condition;
use crate::analyse::shell::values::{Field, MARK};
use crate::policy::Direction;

/// A program of `awk` that opens or runs something.
static AWK_ACTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"getline|system|print[^;}\n]*>|\|\s*"|"\s*\|"#).ok());

impl Acts {
    /// Text of a database shell: only its commands that touch files are looked into.
    pub fn sql(&mut self, field: &Field) {
        let marks = &COMMAND_WORDS.database;
        let lower = field.text.to_ascii_lowercase();
        for mark in marks.shells.iter() {
            if let Some(at) = lower.find(mark) {
                self.shell_text(&field.skip(at + mark.len()));
            }
        }
        let is_own =
            |line: &&str| line.starts_with(['.', '\\']) && !marks.shells.iter().any(|mark| line.to_ascii_lowercase().starts_with(mark));
        for line in field.text.lines().map(str::trim_start).filter(is_own) {
            self.client_command(line, field);
        }
        if marks.files.iter().any(|word| lower.contains(word)) {
            self.code_words(&field.text.replace(MARK, " "), field);
        }
    }

    /// Commands of the database shell itself take bare words: `.read /x`, `\i x`.
    fn client_command(&mut self, line: &str, field: &Field) {
        for word in line.split_whitespace().skip(1).map(|word| word.trim_matches(['\'', '"', ';'])) {
            let condition = if climbs_or_absolute(word) { Condition::FirstComponentExists } else { Condition::Exists };
            let found = Field { span: field.span, ..Field::known(word.replace(MARK, " ").as_str()) };
            self.path(&found, Use::guess(Direction::Unknown, condition, "operand of a database shell's own command"));
        }
    }

    /// Commands of an editor: what they run, read and write.
    pub fn editor(&mut self, field: &Field) {
        if let Some(at) = field.text.find('!') {
            self.shell_text(&field.skip(at + 1));
        }
        for word in field.text.replace(MARK, " ").split([' ', '|', ':']).filter(|word| !word.is_empty()) {
            self.path(
                &Field { span: field.span, ..Field::known(word) },
                Use::guess(Direction::Unknown, Condition::Exists, "command of an editor"),
            );
            if climbs_or_absolute(word) {
                self.path(
                    &Field { span: field.span, ..Field::known(word) },
                    Use::guess(Direction::Unknown, Condition::FirstComponentExists, "command of an editor"),
                );
            }
        }
    }

    /// A program of `awk`: its strings count only if it opens or runs something.
    pub fn awk(&mut self, field: &Field) {
        let text = field.text.as_str();
        // Without the pattern every program counts as one that acts.
        let acts = AWK_ACTS.as_ref().is_none_or(|acts| acts.is_match(text));
        if acts {
            self.code_field(field);
            self.code_commands(text);
        }
    }
}
