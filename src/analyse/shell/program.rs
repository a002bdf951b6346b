//! Running a program in the mind: its arguments by the table, each by its role.
use super::arguments::Arguments;
use super::emit::Use;
use super::field::{Field, HOLE, Unknown};
use super::interpreter::Interpreter;
use super::programs::{Output, Program, Role, TABLE};
use super::stream::Stream;
use crate::analyse::{Condition, Form};
use crate::policy::Direction;

impl Interpreter<'_> {
    /// Runs the program `name`.
    pub(super) fn program(&mut self, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let lower;
        let name = match name.strip_suffix(".exe").or_else(|| name.strip_suffix(".EXE")) {
            Some(stem) => {
                lower = stem.to_ascii_lowercase();
                lower.as_str()
            }
            None => name,
        };
        let Some(program) = TABLE.find(name).or_else(|| TABLE.find(unversioned(name))) else {
            self.guess_all(arguments);
            return Stream::Unknown(Unknown::Computed);
        };
        let directories = self.state.directories.clone();
        let output = match self.special(program, name, arguments, input) {
            Some(output) => output,
            None => self.by_table(program, name, arguments, input),
        };
        if !matches!(name, "cd" | "pushd") {
            self.state.directories = directories;
        }
        output
    }

    /// Runs a program by what the table says of it.
    pub(super) fn by_table(&mut self, program: &Program, name: &str, arguments: &[Field], input: &Stream) -> Stream {
        let (read, found) = super::arguments::read(program, arguments);
        self.special_sub(found, &read);
        let title = std::iter::once(name).chain(read.path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        self.apply_all(&read, &title);
        if !read.command.is_empty() {
            return self.run(&read.command, input);
        }
        output(found, &read, input)
    }

    /// Gives every word what its role says; a change of directory comes first.
    pub(super) fn apply_all(&mut self, read: &Arguments, title: &str) {
        for (field, _) in read.words.iter().filter(|(_, role)| *role == Role::Chdir) {
            self.enter(std::slice::from_ref(field));
        }
        for (field, role) in &read.words {
            self.apply(field, *role, title);
        }
    }

    /// What one word of a program comes to.
    pub(super) fn apply(&mut self, field: &Field, role: Role, program: &str) {
        if self.at.explain {
            self.note(field, &format!("{} of {program}", word_for(role)));
        }
        let because = format!("{} of `{program}`", word_for(role));
        let because = because.as_str();
        match role {
            Role::Read | Role::Write | Role::Change if field.text == "-" => {}
            // `@file` holds further arguments.
            Role::Read if field.text.strip_prefix('@').is_some_and(climbs_or_absolute) => self.at_file(field, because),
            Role::Read => self.path(field, Use::new(Direction::Read, because)),
            Role::Write => self.path(field, Use::new(Direction::Write, because)),
            Role::Change => self.path(field, Use::new(Direction::Unknown, because)),
            Role::Tree => self.tree(field, because),
            Role::Stem => {
                let mut files = field.clone();
                files.push_active("*");
                self.path(&files, Use::new(Direction::Write, because));
                files = field.clone();
                files.push_quoted("aa");
                self.path(&files, Use::new(Direction::Write, because));
            }
            Role::Make => self.make(field, because),
            Role::Chdir | Role::Argv | Role::Rest | Role::Pattern => {}
            Role::Plain | Role::Message | Role::Pair | Role::PairRead => self.listed_by_glob(field),
            Role::Revision => self.revision(field, because),
            Role::Name => self.name_only(field, because),
            Role::At => self.at_file(field, because),
            Role::Form => self.form(field, because),
            Role::Url => self.url(field, because),
            Role::Remote | Role::RemoteWrite => self.remote(field, role, because),
            Role::Volume => self.volume(field, because),
            Role::Mount => self.mount(field, because),
            Role::Config => self.config(field),
            Role::Shell => drop(self.shell_text(field, &[], &Stream::None)),
            Role::Guess => self.guess_known(field, program),
            Role::Exists => self.option_value(field, because),
            Role::Sed => self.sed(field),
            Role::Awk => self.awk(field),
            Role::Code => self.code_field(field),
            Role::Editor => self.editor(field),
            Role::Sql => self.sql(field),
        }
    }

    fn tree(&mut self, field: &Field, because: &str) {
        if field.text == "-" {
            return;
        }
        self.path(field, Use::new(Direction::Read, because));
        // Reading a whole tree reads the environment file at its top too, if there is one.
        let mut hidden = field.clone();
        hidden.push_quoted("/.env");
        self.path(&hidden, Use::guess(Direction::Read, Condition::Exists, because));
        let mut hidden = field.clone();
        hidden.push_quoted("/.env.");
        hidden.push_active("*");
        self.path(&hidden, Use::guess(Direction::Read, Condition::Exists, because));
    }

    fn make(&mut self, field: &Field, because: &str) {
        self.path(field, Use::new(Direction::Write, because));
        if let Some(path) = field.literal().and_then(|name| self.absolute(name)) {
            std::rc::Rc::make_mut(&mut self.state.made).insert(path);
        }
    }

    /// A glob in a message lists what it matches, also elsewhere.
    pub(super) fn listed_by_glob(&mut self, field: &Field) {
        if field.pattern.is_some() && (field.text.starts_with(['/', '~']) || field.text.starts_with("..") || field.text.contains("/../")) {
            self.path(field, Use::guess(Direction::Read, Condition::Exists, "names listed by a glob"));
        }
    }

    /// `a..b`, `HEAD:path`, `main`, or a path.
    fn revision(&mut self, field: &Field, because: &str) {
        if field.text.starts_with("ext::") {
            return self.url(field, because);
        }
        if climbs_or_absolute(&field.text) {
            return self.path(field, Use::new(Direction::Read, because));
        }
        // A name that looks like a file is tested by name too, because a revision may hold what the disk does not.
        if field.text.contains('.') && !field.text.contains("..") && field.holes.is_empty() {
            self.name_only(field, because);
        }
        if let Some((_, path)) = field.text.rsplit_once(':') {
            if !path.is_empty() {
                self.mention(field, Form::NameOnly(path.to_owned()), Use::new(Direction::Read, because));
            }
        } else if field.holes.is_empty() {
            self.path(field, Use::guess(Direction::Read, Condition::Exists, because));
        }
    }

    fn name_only(&mut self, field: &Field, because: &str) {
        let name = field.text.rsplit_once(':').map_or(field.text.as_str(), |(_, name)| name);
        // `!` before a glob leaves out what fits it.
        if !name.is_empty() && !name.contains(HOLE) && !name.starts_with('!') {
            self.mention(field, Form::NameOnly(name.to_owned()), Use::new(Direction::Read, because));
        }
    }

    pub(super) fn at_file(&mut self, field: &Field, because: &str) {
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
            self.path(&file, Use::new(Direction::Read, because));
        }
    }

    fn form(&mut self, field: &Field, because: &str) {
        if let Some((_, value)) = field.split_once('=')
            && value.text.starts_with(['@', '<'])
        {
            let end = value.text.find([';', ',']).unwrap_or(value.text.len());
            let file = value.before(end).skip(1);
            if file.text != "-" {
                self.path(&file, Use::new(Direction::Read, because));
            }
        } else if field.text.starts_with('@') {
            self.at_file(field, because);
        }
    }

    fn remote(&mut self, field: &Field, role: Role, because: &str) {
        let colon = field.text.find(':');
        let slash = field.text.find('/');
        let elsewhere = colon.is_some_and(|colon| colon > 0 && slash.is_none_or(|slash| colon < slash));
        if !elsewhere && field.text != "-" {
            let direction = if role == Role::RemoteWrite { Direction::Write } else { Direction::Read };
            self.path(field, Use::new(direction, because));
        }
    }

    /// `source:target` where the source is a directory of this machine, not a volume's name.
    fn volume(&mut self, field: &Field, because: &str) {
        let source = match field.split_once(':') {
            Some((source, _)) => source,
            None => return,
        };
        if source.text.starts_with(['/', '.', '~', HOLE]) {
            self.path(&source, Use::new(Direction::Unknown, because));
        }
    }

    fn mount(&mut self, field: &Field, because: &str) {
        let mut start = 0;
        for part in field.text.split(',') {
            if let Some((key @ ("source" | "src" | "path"), value)) = part.split_once('=')
                && value.starts_with(['/', '.', '~', HOLE])
            {
                let value = field.skip(start + key.len() + 1).before(value.len());
                self.path(&value, Use::new(Direction::Unknown, because));
            }
            start += part.len() + 1;
        }
    }
}

/// The name without the version that some systems append: `python3.12`, `gcc-13`.
fn unversioned(name: &str) -> &str {
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    stem.strip_suffix('-').unwrap_or(stem)
}

/// Whether a text leaves where it stands: absolute, from a home directory, or with `..` in it.
pub(super) fn climbs_or_absolute(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..")
}

fn output(program: &Program, read: &Arguments, input: &Stream) -> Stream {
    match program.output {
        Some(Output::Token) => Stream::Unknown(Unknown::Token),
        Some(Output::Inside) => Stream::Unknown(Unknown::Inside),
        Some(Output::Filter) if read.operands.len() <= program.operands.len().saturating_sub(1) => match input {
            Stream::Text(text) if program.names.iter().any(|name| name == "cat") => Stream::Text(text.clone()),
            Stream::Text(_) => Stream::Unknown(Unknown::Computed),
            other => other.clone(),
        },
        _ => Stream::Unknown(Unknown::Computed),
    }
}

const fn word_for(role: Role) -> &'static str {
    match role {
        Role::Read | Role::Write | Role::Change | Role::Tree | Role::Make | Role::Stem | Role::Exists => "operand",
        Role::Chdir => "directory",
        Role::Plain | Role::Rest | Role::Pair | Role::PairRead => "plain word",
        Role::Message => "message",
        Role::Pattern => "pattern",
        Role::Revision => "revision or path",
        Role::Name => "name in a store",
        Role::At | Role::Form => "data",
        Role::Url => "url",
        Role::Remote | Role::RemoteWrite => "local or remote operand",
        Role::Volume | Role::Mount => "mounted directory",
        Role::Config => "setting",
        Role::Shell | Role::Argv => "command",
        Role::Guess => "argument",
        Role::Sed | Role::Awk | Role::Code | Role::Editor => "program text",
        Role::Sql => "query",
    }
}
