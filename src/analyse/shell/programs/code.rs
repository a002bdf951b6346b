//! Program text in an argument: its words are searched for paths, its calls of other programs are followed.
use std::sync::LazyLock;

use regex::Regex;

use super::act::{Act, Acts, Use};
use super::arguments::ReadArguments;
use super::command_words::COMMAND_WORDS;
use super::table::{Program, TABLE, WordRole};
use crate::analyse::Condition;
use crate::analyse::shell::grammar::{parse, unescape_ansi};
use crate::analyse::shell::values::{Field, MARK, Stream};
use crate::analyse::word_lists::Words;
use crate::policy::Direction;

/// Where two strings are put together: `"a" + "b"`, `'a' . 'b'`.
static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"'\s*[+]\s*'|"\s*[+]\s*"|'\s+[.]\s+'|"\s+[.]\s+""#).ok());
impl Acts {
    /// Program text as a word.
    pub fn code_field(&mut self, field: &Field) {
        let text = field.text.replace(MARK, " ");
        self.code(&text, field);
    }

    /// Searches program text. `field` is the word it stands in.
    pub fn code(&mut self, text: &str, field: &Field) {
        self.push(Act::Spend(1 + text.len() / 16));
        let text = if text.contains('\\') { unescape_ansi(text) } else { text.to_owned() };
        let text = JOINT.as_ref().map_or_else(|| text.clone(), |joint| joint.replace_all(&text, "").into_owned());
        let marks = &COMMAND_WORDS.code;
        let has = |list: &Words| list.iter().any(|word| text.contains(word));
        if has(&marks.encoded) && has(&marks.acts) {
            self.unparsed(field, "program text makes a text that cannot be seen and acts on it");
        }
        if has(&marks.above) {
            self.unparsed(field, "program text asks for a directory above");
        }
        if has(&marks.home) {
            let how = Use::guess(Direction::Unknown, Condition::Always, "program text asks for the home directory");
            self.push(Act::BelowHome(field.clone(), String::new(), how));
        }
        self.code_words(&text, field);
        if has(&marks.runs) {
            self.code_commands(&text);
        }
    }

    /// Runs of characters that can be a path. What quotes enclose may also be a bare name.
    pub(super) fn code_words(&mut self, text: &str, field: &Field) {
        let runs = COMMAND_WORDS.code.runs.iter().any(|word| text.contains(word));
        let mut start = None;
        let mut before = ' ';
        for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
            let part = character.is_alphanumeric() || matches!(character, '/' | '.' | '_' | '-' | '~' | '@' | '+' | ':');
            match (start, part) {
                (None, true) => start = Some((at, before)),
                (Some((from, quote)), false) => {
                    let word = text.get(from..at).unwrap_or_default();
                    self.code_word(word, (quote, character), runs, field);
                    start = None;
                }
                _ => {}
            }
            before = character;
        }
    }

    fn code_word(&mut self, word: &str, (before, after): (char, char), runs: bool, field: &Field) {
        let enclosed = before == after && matches!(after, '\'' | '"' | '`');
        if word.bytes().all(|byte| byte == b'/') {
            return;
        }
        let found = Field { span: field.span, ..Field::known(word) };
        // An absolute word counts where a string or a redirection begins; elsewhere it may be a pattern.
        let begins = matches!(before, '\'' | '"' | '`' | '<' | '>' | '|') || runs && before == ' ' || (before, after) == ('(', ')');
        let because = "a string in program text";
        if word.starts_with("file:") {
            return self.url(&found, &because.into());
        }
        let climbs = word.split('/').any(|part| part == "..") && (word.contains('/') || enclosed);
        if let Some(below) = word.strip_prefix('~').filter(|below| below.starts_with('/')) {
            let how = Use::guess(Direction::Unknown, Condition::Always, because);
            self.push(Act::BelowHome(field.clone(), below.to_owned(), how));
        } else if climbs {
            self.path(&found, Use::guess(Direction::Unknown, Condition::Always, because));
        } else if word.starts_with('/') && !word.starts_with("//") && begins {
            self.path(&found, Use::guess(Direction::Unknown, Condition::FirstComponentExists, because));
        } else if !word.starts_with('/') && (enclosed || word.contains('/')) {
            self.path(&found, Use::guess(Direction::Unknown, Condition::Exists, because));
        }
    }

    /// Strings that are command lines of known programs.
    pub(super) fn code_commands(&mut self, text: &str) {
        for quote in ['"', '\'', '`'] {
            for literal in text.split(quote).skip(1) {
                let first = literal.split_whitespace().next().unwrap_or_default();
                let known = TABLE.knows(first.rsplit('/').next().unwrap_or(first)) || matches!(first, "cd" | "eval" | "source");
                if known && literal.contains(' ') && parse(literal, 0).is_ok() {
                    self.push(Act::Text(literal.to_owned()));
                }
            }
        }
    }

    /// An interpreter: inline text, a script, or text from a pipe.
    pub fn interpreter(&mut self, program: &Program, name: &str, read: &ReadArguments, input: &Stream) {
        self.apply_all(read, name);
        let inline = read.words.iter().any(|(_, role)| matches!(role, WordRole::Code | WordRole::Sql))
            || read.has(["-m", "--module", "-v", "-V", "--version", "-h", "--help"]);
        let script = read.command.first();
        match script {
            Some(script) if !inline && script.text != "-" => self.script_of(script, &read.command, name),
            Some(_) if inline => self.guess_or_read(&read.command, program),
            _ if inline => {}
            _ => self.piped_code(input),
        }
    }

    fn script_of(&mut self, script: &Field, command: &[Field], name: &str) {
        self.note(script, "script that is run");
        if script.text.starts_with("/dev/fd/") {
            return self.unparsed(script, "a program runs text that is computed");
        }
        self.path(script, Use::new(Direction::Read, format!("script run by `{name}`")));
        self.push(Act::Code(script.clone()));
        self.guess_all(command.get(1..).unwrap_or_default());
    }

    /// Operands after inline text are its parameters: files for `perl -ne`, anything for the others.
    fn guess_or_read(&mut self, operands: &[Field], program: &Program) {
        let edits = program.names.iter().any(|name| name == "perl" || name == "ruby");
        for operand in operands {
            if edits && !operand.text.starts_with('-') {
                self.apply(operand, WordRole::Change, "perl");
            } else {
                self.guess(operand, "an interpreter");
            }
        }
    }

    fn piped_code(&mut self, input: &Stream) {
        match input {
            Stream::Text(text) => self.code(text, &Field::known(text.as_str())),
            Stream::Unknown(_) => self.push(Act::UnparsedLine("an interpreter runs text that is computed")),
            Stream::None => {}
        }
    }
}
