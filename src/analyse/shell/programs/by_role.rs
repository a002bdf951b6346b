//! What each word of a program comes to, by its role.
use std::rc::Rc;

use super::act::{Act, Acts, Use};
use super::arguments::ReadArguments;
use super::table::{OutputKind, Program, WordRole};
use crate::analyse::shell::values::{Field, MARK, Stream, Unknown};
use crate::analyse::{Condition, Form};
use crate::policy::Direction;

impl Acts {
    /// Gives every word what its role says; a change of directory comes first.
    pub fn apply_all(&mut self, read: &ReadArguments, title: &str) {
        for (field, _) in read.words.iter().filter(|(_, role)| *role == WordRole::Chdir) {
            self.push(Act::Enter(field.clone()));
        }
        for (field, role) in &read.words {
            self.apply(field, *role, title);
        }
    }

    /// What one word of a program comes to.
    pub fn apply(&mut self, field: &Field, role: WordRole, program: &str) {
        if self.setting().explain {
            self.note(field, format!("{} of {program}", word_for(role)));
        }
        if says_nothing(role) {
            return self.listed_by_glob(field);
        }
        let because: Rc<str> = format!("{} of `{program}`", word_for(role)).into();
        let because = &because;
        match role {
            WordRole::Read | WordRole::Write | WordRole::Change if field.text == "-" => {}
            // `@file` holds further arguments.
            WordRole::Read if field.text.strip_prefix('@').is_some_and(climbs_or_absolute) => self.at_file(field, because),
            WordRole::Read => self.path(field, Use::new(Direction::Read, Rc::clone(because))),
            WordRole::Write => self.path(field, Use::new(Direction::Write, Rc::clone(because))),
            WordRole::Change => self.path(field, Use::new(Direction::Unknown, Rc::clone(because))),
            WordRole::Tree => self.tree(field, because),
            WordRole::Stem => {
                let mut files = field.clone();
                files.push_active("*");
                self.path(&files, Use::new(Direction::Write, Rc::clone(because)));
                files = field.clone();
                files.push_quoted("aa");
                self.path(&files, Use::new(Direction::Write, Rc::clone(because)));
            }
            WordRole::Make => self.make(field, because),
            WordRole::Chdir | WordRole::Argv | WordRole::Rest | WordRole::Pattern => {}
            WordRole::Plain | WordRole::Message | WordRole::Pair | WordRole::PairRead => {}
            WordRole::Revision => self.revision(field, because),
            WordRole::Name => self.name_only(field, because),
            WordRole::At => self.at_file(field, because),
            WordRole::Form => self.form(field, because),
            WordRole::Url => self.url(field, because),
            WordRole::Remote | WordRole::RemoteWrite => self.remote(field, role, because),
            WordRole::Volume => self.volume(field, because),
            WordRole::Mount => self.mount(field, because),
            WordRole::Config => self.config(field),
            WordRole::Connection => self.connection(field, because),
            WordRole::Shell => self.shell_text(field),
            WordRole::Guess => self.guess_known(field, program),
            WordRole::Exists => self.option_value(field, because),
            WordRole::Sed => self.sed(field),
            WordRole::Awk => self.awk(field),
            WordRole::Code => self.code_field(field),
            WordRole::Editor => self.editor(field),
            WordRole::Sql => self.sql(field),
        }
    }

    fn tree(&mut self, field: &Field, because: &Rc<str>) {
        if field.text == "-" {
            return;
        }
        self.path(field, Use::new(Direction::Read, Rc::clone(because)));
        // Reading a whole tree reads the environment file at its top too, if there is one.
        let mut hidden = field.clone();
        hidden.push_quoted("/.env");
        self.path(&hidden, Use::guess(Direction::Read, Condition::Exists, Rc::clone(because)));
        let mut hidden = field.clone();
        hidden.push_quoted("/.env.");
        hidden.push_active("*");
        self.path(&hidden, Use::guess(Direction::Read, Condition::Exists, Rc::clone(because)));
    }

    fn make(&mut self, field: &Field, because: &Rc<str>) {
        self.path(field, Use::new(Direction::Write, Rc::clone(because)));
        self.push(Act::Make(field.clone()));
    }

    /// A glob in a message lists what it matches, also elsewhere.
    pub fn listed_by_glob(&mut self, field: &Field) {
        if field.pattern.is_some() && (field.text.starts_with(['/', '~']) || field.text.starts_with("..") || field.text.contains("/../")) {
            self.path(field, Use::guess(Direction::Read, Condition::Exists, "names listed by a glob"));
        }
    }

    /// `a..b`, `HEAD:path`, `main`, or a path.
    fn revision(&mut self, field: &Field, because: &Rc<str>) {
        if field.text.starts_with("ext::") {
            return self.url(field, because);
        }
        if climbs_or_absolute(&field.text) {
            return self.path(field, Use::new(Direction::Read, Rc::clone(because)));
        }
        // A name that looks like a file is tested by name too, because a revision may hold what the disk does not.
        if field.text.contains('.') && !field.text.contains("..") && field.unknowns.is_empty() {
            self.name_only(field, because);
        }
        if let Some((_, path)) = field.text.rsplit_once(':') {
            if !path.is_empty() {
                self.mention(field, Form::NameOnly(path.to_owned()), Use::new(Direction::Read, Rc::clone(because)));
            }
        } else if field.unknowns.is_empty() {
            self.path(field, Use::guess(Direction::Read, Condition::Exists, Rc::clone(because)));
        }
    }

    fn name_only(&mut self, field: &Field, because: &Rc<str>) {
        let name = field.text.rsplit_once(':').map_or(field.text.as_str(), |(_, name)| name);
        // `!` before a glob leaves out what fits it.
        if !name.is_empty() && !name.contains(MARK) && !name.starts_with('!') {
            self.mention(field, Form::NameOnly(name.to_owned()), Use::new(Direction::Read, Rc::clone(because)));
        }
    }

    pub fn at_file(&mut self, field: &Field, because: &Rc<str>) {
        let file = match field.text.find('@') {
            Some(0) => field.skip(1),
            // `--data-urlencode name@file`.
            Some(at)
                if !field.text.get(..at).unwrap_or_default().contains(['=', '{', ' '])
                    && climbs_or_absolute(field.text.get(at + 1..).unwrap_or_default()) =>
            {
                field.skip(at + 1)
            }
            _ => return,
        };
        if file.text != "-" {
            self.path(&file, Use::new(Direction::Read, Rc::clone(because)));
        }
    }

    fn form(&mut self, field: &Field, because: &Rc<str>) {
        if let Some((_, value)) = field.split_once('=')
            && value.text.starts_with(['@', '<'])
        {
            let end = value.text.find([';', ',']).unwrap_or(value.text.len());
            let file = value.before(end).skip(1);
            if file.text != "-" {
                self.path(&file, Use::new(Direction::Read, Rc::clone(because)));
            }
        } else if field.text.starts_with('@') {
            self.at_file(field, because);
        }
    }

    fn remote(&mut self, field: &Field, role: WordRole, because: &Rc<str>) {
        let colon = field.text.find(':');
        let slash = field.text.find('/');
        let elsewhere = colon.is_some_and(|colon| colon > 0 && slash.is_none_or(|slash| colon < slash));
        if !elsewhere && field.text != "-" {
            let direction = if role == WordRole::RemoteWrite { Direction::Write } else { Direction::Read };
            self.path(field, Use::new(direction, Rc::clone(because)));
        }
    }

    /// `source:target` where the source is a directory of this machine, not a volume's name.
    fn volume(&mut self, field: &Field, because: &Rc<str>) {
        let source = match field.split_once(':') {
            Some((source, _)) => source,
            None => return,
        };
        if source.text.starts_with(['/', '.', '~', MARK]) {
            self.path(&source, Use::new(Direction::Unknown, Rc::clone(because)));
        }
    }

    fn mount(&mut self, field: &Field, because: &Rc<str>) {
        let mut start = 0;
        for part in field.text.split(',') {
            if let Some((key @ ("source" | "src" | "path"), value)) = part.split_once('=')
                && value.starts_with(['/', '.', '~', MARK])
            {
                let value = field.skip(start + key.len() + 1).before(value.len());
                self.path(&value, Use::new(Direction::Unknown, Rc::clone(because)));
            }
            start += part.len() + 1;
        }
    }
}

/// Whether a text leaves where it stands: absolute, from a home directory, or with `..` in it.
pub fn climbs_or_absolute(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..")
}

/// What is known of the output of a program.
pub fn output(program: &Program, read: &ReadArguments, input: &Stream) -> Stream {
    match program.output {
        Some(OutputKind::Token) => Stream::Unknown(Unknown::Token),
        Some(OutputKind::Inside) => Stream::Unknown(Unknown::Inside),
        Some(OutputKind::Filter) if read.operands.len() <= program.operands.len().saturating_sub(1) => match input {
            Stream::Text(text) if program.names.iter().any(|name| name == "cat") => Stream::Text(text.clone()),
            Stream::Text(_) => Stream::Unknown(Unknown::Computed),
            other => other.clone(),
        },
        _ => Stream::Unknown(Unknown::Computed),
    }
}

const fn says_nothing(role: WordRole) -> bool {
    matches!(role, WordRole::Plain | WordRole::Message | WordRole::Pair | WordRole::PairRead)
}

const fn word_for(role: WordRole) -> &'static str {
    match role {
        WordRole::Read | WordRole::Write | WordRole::Change | WordRole::Tree | WordRole::Make | WordRole::Stem | WordRole::Exists => {
            "operand"
        }
        WordRole::Chdir => "directory",
        WordRole::Plain | WordRole::Rest | WordRole::Pair | WordRole::PairRead => "plain word",
        WordRole::Message => "message",
        WordRole::Pattern => "pattern",
        WordRole::Revision => "revision or path",
        WordRole::Name => "name in a store",
        WordRole::At | WordRole::Form => "data",
        WordRole::Url => "url",
        WordRole::Remote | WordRole::RemoteWrite => "local or remote operand",
        WordRole::Volume | WordRole::Mount => "mounted directory",
        WordRole::Config => "setting",
        WordRole::Connection => "address",
        WordRole::Shell | WordRole::Argv => "command",
        WordRole::Guess => "argument",
        WordRole::Sed | WordRole::Awk | WordRole::Code | WordRole::Editor => "program text",
        WordRole::Sql => "query",
    }
}
