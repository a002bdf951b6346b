//! Program text in an argument: its words are searched for paths, its calls of other programs are followed.
use std::sync::LazyLock;

use regex::Regex;

use super::emit::Use;
use super::field::{Field, HOLE};
use super::interpreter::Interpreter;
use super::programs::{Program, Role, TABLE};
use super::stream::Stream;
use crate::analyse::Condition;
use crate::policy::Direction;

/// Words that ask a language for the home directory.
const HOME: [&str; 10] = [
    "Path.home(",
    "expanduser",
    "homedir(",
    "environ['HOME']",
    "environ[\"HOME\"]",
    "getenv('HOME')",
    "getenv(\"HOME\")",
    "env.HOME",
    "ENV['HOME']",
    "ENV{HOME}",
];
/// Words that ask for a directory above.
const ABOVE: [&str; 6] = ["cwd().parent", "pardir", "dirname(os.getcwd", "dirname(process.cwd", "resolve().parent", "absolute().parent"];
/// Words that make text which cannot be seen.
const ENCODED: [&str; 10] =
    ["b64decode", "fromhex", "fromCharCode", "atob(", "chr(", "unhexlify", "codecs.decode", "decode64", "unpack(", "'base64'"];
/// Words that open, run or load.
const ACTS: [&str; 12] = [
    "open(",
    "exec(",
    "eval(",
    "system(",
    "popen",
    "readFile",
    "Path(",
    "subprocess",
    "child_process",
    "file_get_contents",
    "File.",
    "spawn",
];
/// Words that run other programs.
const RUNS: [&str; 12] =
    ["system", "popen", "subprocess", "execSync", "spawn", "child_process", "exec", "shell_exec", "passthru", "Open3", "qx", "`"];

/// Where two strings are put together: `"a" + "b"`, `'a' . 'b'`.
static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"'\s*[+]\s*'|"\s*[+]\s*"|'\s+[.]\s+'|"\s+[.]\s+""#).ok());
/// A program of `awk` that opens or runs something.
static AWK_ACTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"getline|system|print[^;}\n]*>|\|\s*"|"\s*\|"#).ok());

impl Interpreter<'_> {
    /// Program text as a word.
    pub(super) fn code_field(&mut self, field: &Field) {
        let text = field.text.replace(HOLE, " ");
        self.code(&text, field);
    }

    /// Searches program text. `field` is the word it stands in.
    pub(super) fn code(&mut self, text: &str, field: &Field) {
        if self.spend(1 + text.len() / 16) {
            return;
        }
        let text = if text.contains('\\') { super::escapes::ansi(text) } else { text.to_owned() };
        let text = JOINT.as_ref().map_or_else(|| text.clone(), |joint| joint.replace_all(&text, "").into_owned());
        let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
        if has(&ENCODED) && has(&ACTS) {
            self.unparsed(field, "program text makes a text that cannot be seen and acts on it");
        }
        if has(&ABOVE) {
            self.unparsed(field, "program text asks for a directory above");
        }
        if has(&HOME)
            && let Some(home) = self.named("HOME").and_then(|values| values.first()?.first().cloned())
        {
            self.path(
                &Field { span: field.span, ..home },
                Use::guess(Direction::Unknown, Condition::Always, "program text asks for the home directory"),
            );
        }
        self.code_words(&text, field);
        if has(&RUNS) {
            self.code_commands(&text);
        }
    }

    /// Runs of characters that can be a path. What quotes enclose may also be a bare name.
    fn code_words(&mut self, text: &str, field: &Field) {
        let runs = RUNS.iter().any(|word| text.contains(word));
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
            return self.url(&found, because);
        }
        let climbs = word.split('/').any(|part| part == "..") && (word.contains('/') || enclosed);
        let home = word.starts_with("~/");
        if climbs || home {
            let found = if home { self.expanded_home(word, field) } else { found };
            self.path(&found, Use::guess(Direction::Unknown, Condition::Always, because));
        } else if word.starts_with('/') && !word.starts_with("//") && begins {
            self.path(&found, Use::guess(Direction::Unknown, Condition::FirstComponentExists, because));
        } else if !word.starts_with('/') && (enclosed || word.contains('/')) {
            self.path(&found, Use::guess(Direction::Unknown, Condition::Exists, because));
        }
    }

    fn expanded_home(&self, word: &str, field: &Field) -> Field {
        let home = self.named("HOME").and_then(|values| values.first()?.first().cloned());
        let mut path = home.unwrap_or_else(|| Field::known("~"));
        path.push_quoted(word.get(1..).unwrap_or_default());
        path.span = field.span;
        path
    }

    /// Strings that are command lines of known programs.
    fn code_commands(&mut self, text: &str) {
        for quote in ['"', '\'', '`'] {
            for literal in text.split(quote).skip(1) {
                let first = literal.split_whitespace().next().unwrap_or_default();
                let known = TABLE.find(first.rsplit('/').next().unwrap_or(first)).is_some() || matches!(first, "cd" | "eval" | "source");
                if known && literal.contains(' ') && super::parse::parse(literal, 0).is_ok() {
                    self.text(literal, &Stream::None);
                }
            }
        }
    }

    /// An interpreter: inline text, a script, or text from a pipe.
    pub(super) fn interpreter(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let (read, _) = super::arguments::read(program, arguments);
        self.apply_all(&read, name);
        let inline =
            read.words.iter().any(|(_, role)| matches!(role, Role::Code | Role::Sql)) || read.has("-m --module -v -V --version -h --help");
        let script = read.command.first();
        match script {
            Some(script) if !inline && script.text != "-" => self.script_of(script, &read.command, name),
            Some(_) if inline => self.guess_or_read(&read.command, program),
            _ if inline => {}
            _ => self.piped_code(input),
        }
        Stream::Unknown(crate::analyse::shell::field::Unknown::Computed)
    }

    fn script_of(&mut self, script: &Field, command: &[Field], name: &str) {
        self.note(script, "script that is run");
        if script.text.starts_with("/dev/fd/") {
            return self.unparsed(script, "a program runs text that is computed");
        }
        self.path(script, Use::new(Direction::Read, &format!("script run by `{name}`")));
        if let Some(text) = script.literal().and_then(|path| self.written_text(path)) {
            self.code(&text, script);
        }
        self.guess_all(command.get(1..).unwrap_or_default());
    }

    /// Operands after inline text are its parameters: files for `perl -ne`, anything for the others.
    fn guess_or_read(&mut self, operands: &[Field], program: &Program) {
        let edits = program.names.iter().any(|name| name == "perl" || name == "ruby");
        for operand in operands {
            if edits && !operand.text.starts_with('-') {
                self.apply(operand, Role::Change, "perl");
            } else {
                self.guess(operand, "an interpreter");
            }
        }
    }

    fn piped_code(&mut self, input: &Stream) {
        match input {
            Stream::Text(text) => {
                let text = text.clone();
                self.code(&text, &Field::known(text.as_str()));
            }
            Stream::Unknown(_) => self.unparsed_text(self.source, "an interpreter runs text that is computed"),
            Stream::None => {}
        }
    }

    /// Text of a database shell: only its commands that touch files are looked into.
    pub(super) fn sql(&mut self, field: &Field) {
        const SHELLS: [&str; 3] = [".shell ", ".system ", "\\! "];
        const FILES: [&str; 25] = [
            "source ",
            "infile",
            "pg_read",
            "attach",
            ".read",
            ".output",
            ".once",
            ".import",
            ".save",
            ".backup",
            ".restore",
            ".clone",
            ".open",
            ".load",
            ".shell",
            ".system",
            "copy",
            "load_file",
            "outfile",
            "dumpfile",
            "readfile",
            "writefile",
            "\\i",
            "\\o",
            "\\!",
        ];
        let lower = field.text.to_ascii_lowercase();
        for mark in SHELLS {
            if let Some(at) = lower.find(mark) {
                self.shell_text(&field.skip(at + mark.len()), &[], &Stream::None);
            }
        }
        let is_own = |line: &&str| line.starts_with(['.', '\\']) && !SHELLS.iter().any(|mark| line.to_ascii_lowercase().starts_with(mark));
        for line in field.text.lines().map(str::trim_start).filter(is_own) {
            self.client_command(line, field);
        }
        if FILES.iter().any(|word| lower.contains(word)) {
            self.code_words(&field.text.replace(HOLE, " "), field);
        }
    }

    /// Commands of the database shell itself take bare words: `.read /x`, `\i x`.
    fn client_command(&mut self, line: &str, field: &Field) {
        for word in line.split_whitespace().skip(1).map(|word| word.trim_matches(['\'', '"', ';'])) {
            let condition = if super::program::climbs_or_absolute(word) { Condition::FirstComponentExists } else { Condition::Exists };
            let found = Field { span: field.span, ..Field::known(word.replace(HOLE, " ").as_str()) };
            self.path(&found, Use::guess(Direction::Unknown, condition, "operand of a database shell's own command"));
        }
    }

    /// Commands of an editor: what they run, read and write.
    pub(super) fn editor(&mut self, field: &Field) {
        if let Some(at) = field.text.find('!') {
            self.shell_text(&field.skip(at + 1), &[], &Stream::None);
        }
        for word in field.text.replace(HOLE, " ").split([' ', '|', ':']).filter(|word| !word.is_empty()) {
            self.path(
                &Field { span: field.span, ..Field::known(word) },
                Use::guess(Direction::Unknown, Condition::Exists, "command of an editor"),
            );
            if super::program::climbs_or_absolute(word) {
                self.path(
                    &Field { span: field.span, ..Field::known(word) },
                    Use::guess(Direction::Unknown, Condition::FirstComponentExists, "command of an editor"),
                );
            }
        }
    }

    /// A program of `awk`: its strings count only if it opens or runs something.
    pub(super) fn awk(&mut self, field: &Field) {
        let text = field.text.as_str();
        // Without the pattern every program counts as one that acts.
        let acts = AWK_ACTS.as_ref().is_none_or(|acts| acts.is_match(text));
        if acts {
            self.code_field(field);
            self.code_commands(text);
        }
    }
}
