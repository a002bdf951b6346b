//! `find`, `test` and `tar`: arguments that are a small language each.
use super::act::{Act, Acts, Use};
use super::arguments::ReadArguments;
use super::command_words::COMMAND_WORDS;
use super::replace::replace;
use super::table::{Program, WordRole};
use crate::analyse::Condition;
use crate::analyse::shell::values::{Field, Unknown};
use crate::policy::Direction;

impl Acts {
    /// `find`; `consumed` says that something reads the names it writes.
    pub fn find(&mut self, arguments: &[Field], consumed: bool) {
        let mut starts: Vec<Field> = Vec::new();
        let mut rest = arguments
            .iter()
            .skip_while(|field| {
                matches!(field.text.as_str(), "-H" | "-L" | "-P") || field.text.starts_with("-O") || field.text.starts_with("-D")
            })
            .peekable();
        while let Some(start) = rest.next_if(|field| !field.text.starts_with(['-', '(', ')', '!', ','])) {
            starts.push(start.clone());
        }
        let rest: Vec<Field> = rest.cloned().collect();
        let deletes = rest.iter().any(|field| field.text == "-delete");
        let direction = if deletes { Direction::Write } else { Direction::Read };
        for start in &starts {
            self.note(start, "directory that is searched");
            self.path(start, Use::new(direction, "directory searched by `find`"));
        }
        if starts.is_empty() {
            starts.push(Field::known("."));
        }
        self.expression(&starts, &rest, consumed);
    }

    fn expression(&mut self, starts: &[Field], rest: &[Field], consumed: bool) {
        let say = &COMMAND_WORDS.find;
        let mut names: Vec<&Field> = Vec::new();
        let mut acts = consumed || rest.iter().any(|field| field.text == "-delete");
        let mut at = 0;
        while let Some(field) = rest.get(at) {
            at += 1;
            let next = rest.get(at);
            let text = field.text.as_str();
            if say.runs.has(text) {
                acts = true;
                let end = rest.iter().skip(at).position(|word| matches!(word.text.as_str(), ";" | "+")).map_or(rest.len(), |end| at + end);
                self.executed(rest.get(at..end).unwrap_or_default());
                at = end + 1;
                continue;
            }
            match next {
                Some(file) if say.writes.has(text) => self.apply(file, WordRole::Write, "find"),
                Some(file) if say.reads.has(text) => self.apply(file, WordRole::Read, "find"),
                Some(name) if say.names.has(text) => names.push(name),
                _ if say.values.has(text) => {}
                _ => continue,
            }
            at += 1;
        }
        if acts {
            self.named_by_pattern(starts, &names);
        }
    }

    /// The command that is run for each file found.
    fn executed(&mut self, command: &[Field]) {
        let inside = Field::unknown(Unknown::Inside);
        let words: Vec<Field> = command.iter().map(|word| replace(word, "{}", &inside)).collect();
        self.push(Act::Run(words));
    }

    /// Files that are acted on by name: the name is tested even where the search does not go now.
    fn named_by_pattern(&mut self, starts: &[Field], names: &[&Field]) {
        for start in starts {
            for name in names {
                let mut both = start.clone();
                both.push_quoted("/");
                both.push_active(&name.text);
                both.span = name.span;
                self.path(&both, Use::guess(Direction::Read, Condition::Always, "name that `find` acts on"));
            }
        }
    }

    /// `test` and `[`: files stand after the operators that ask about files.
    pub fn test(&mut self, fields: &[Field]) {
        // Scripts look everywhere for what is installed; whether a file exists is all they learn by this.
        if self.setting().in_script {
            return;
        }
        let say = &COMMAND_WORDS.test;
        let mut at = 0;
        while let Some(field) = fields.get(at) {
            let unary = say.one_file.has(&field.text);
            let binary = say.two_files.has(&field.text);
            if binary && let Some(left) = at.checked_sub(1).and_then(|before| fields.get(before)) {
                self.apply(left, WordRole::Read, "test");
            }
            if (unary || binary)
                && let Some(file) = fields.get(at + 1)
            {
                self.apply(file, WordRole::Read, "test");
                at += 1;
            }
            at += 1;
        }
    }

    pub fn tar(&mut self, program: &Program, arguments: &[Field]) {
        let (mut read, _): (ReadArguments, _) = super::arguments::read(program, &dashed(arguments));
        let makes = read.has(["-c", "--create", "-r", "--append", "-u", "--update", "-A", "--concatenate"]);
        for (field, role) in &mut read.words {
            let operand = read.operands.contains(field) && *role == WordRole::Name;
            if operand && makes {
                *role = WordRole::Read;
            }
            if *role == WordRole::RemoteWrite && !makes {
                *role = WordRole::Remote;
            }
        }
        let extracts = read.has(["-x", "--extract", "--get"]);
        if extracts && read.has(["-P", "--absolute-names"]) {
            self.push(Act::UnparsedLine("`tar` may write anywhere: absolute names of members are kept"));
        }
        for (field, _) in read.words.iter().filter(|(field, role)| *role == WordRole::Plain && field.text.starts_with("exec=")) {
            self.push(Act::Shell(field.skip(5), true));
        }
        self.apply_all(&read, "tar");
    }
}

/// The old form of options: the first word is a bundle of letters without a dash, and their values follow in order.
fn dashed(arguments: &[Field]) -> Vec<Field> {
    let Some((first, rest)) = arguments.split_first() else { return Vec::new() };
    let bundle = first.literal().is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if !bundle {
        return arguments.to_vec();
    }
    let mut words = Vec::new();
    let mut values = rest.iter();
    for letter in first.text.chars() {
        words.push(Field { span: first.span, ..Field::known(format!("-{letter}")) });
        if matches!(letter, 'f' | 'b' | 'C' | 'T' | 'X' | 'g' | 'I' | 'K' | 'L' | 'N' | 'V' | 'F') {
            words.extend(values.next().cloned());
        }
    }
    words.extend(values.cloned());
    words
}
