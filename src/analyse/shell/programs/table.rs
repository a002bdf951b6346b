//! The table of programs: what their operands and options are. Read from `policy/programs.toml`, which is compiled in.
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use crate::analyse::word_lists::{word_lists, words_of};

/// What a word of a program's arguments is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordRole {
    /// A file or directory that is read.
    Read,
    /// A file that is written, made, changed or deleted.
    Write,
    /// A file of which it is not known whether it is read or written.
    Change,
    /// A directory all of which is read.
    Tree,
    /// What the names of files that are written begin with.
    Stem,
    /// A directory that is made.
    Make,
    /// A directory the program goes to before it reads its other arguments.
    Chdir,
    /// Nothing that names a file.
    Plain,
    /// A text for people.
    Message,
    Pattern,
    /// A revision of a version control system, or a path.
    Revision,
    /// A name within a store: an archive member, an object.
    Name,
    /// `@file` is a file, all else is data.
    At,
    /// `name=@file` or `name=<file`.
    Form,
    /// A URL, or a path where it is none.
    Url,
    /// `host:path` is elsewhere, all else is a file that is read.
    Remote,
    /// The same for a file that is written.
    RemoteWrite,
    /// `source:target` of a container.
    Volume,
    /// `type=bind,source=…`.
    Mount,
    /// `key=value` of `git -c`.
    Config,
    /// An address of `socat`: a socket, a file or a command.
    Connection,
    /// A command line that is run.
    Shell,
    /// This word and all after it are a command.
    Argv,
    /// This word and all after it are not ours: they run elsewhere or are free text.
    Rest,
    /// A path if it looks like one or if it exists.
    Guess,
    /// A path only if it exists.
    Exists,
    /// A program of `sed`.
    Sed,
    /// A program of `awk`.
    Awk,
    /// Program text in another language.
    Code,
    /// A name and a value: two words.
    Pair,
    /// A name and a file that is read: two words.
    PairRead,
    /// Commands of an editor.
    Editor,
    /// SQL or commands of a database shell.
    Sql,
}

/// What is known of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// A number, a date, a name: no path.
    Token,
    /// Paths below the working directory or below operands that are mentions already.
    Inside,
    /// Lines of its input or of its operands' text.
    Filter,
}

/// Programs whose arguments have rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Special {
    Shell,
    Env,
    Xargs,
    Find,
    Tar,
    Test,
    Echo,
    Printf,
    Link,
    GitConfig,
    PipedCode,
    Make,
    Seq,
    Joined,
    Temporary,
    NamePart,
    WindowsShell,
    Gate,
}

/// One program, or one of its subcommands.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Program {
    pub names: Vec<String>,
    /// The roles of its operands; the last one stands for all that follow.
    pub operands: Vec<WordRole>,
    /// The role of the last operand where there are several.
    pub last: Option<WordRole>,
    /// The role of what follows `--`.
    pub after_dashes: Option<WordRole>,
    /// Options that take the place of the first operand.
    pub instead: Vec<String>,
    /// Options that say where to, so that `last` does not count.
    pub target: Vec<String>,
    /// Options that turn operands which are read into ones that are written.
    pub writes: Vec<String>,
    /// Options that make it read whole trees.
    pub recursive: Vec<String>,
    /// Options that narrow such a reading to names, which are looked at by themselves.
    pub narrows: Vec<String>,
    /// Options with a value, by role. A name that ends in `?` takes only a value that is attached.
    pub options: BTreeMap<WordRole, Vec<String>>,
    /// Operands `key=value` and the role of the value.
    pub keys: BTreeMap<String, WordRole>,
    /// Whether long options have one dash, so that letters are not bundled.
    pub single_dash: bool,
    /// Whether options may not follow operands.
    pub options_first: bool,
    /// What is known of its output.
    pub output: Option<OutputKind>,
    /// Rules of its own.
    pub special: Option<Special>,
    pub sub: Vec<Program>,
}

impl Program {
    /// The role of the value of an option, and whether the value must be attached.
    pub fn option(&self, name: &str) -> Option<(WordRole, bool)> {
        self.options.iter().find_map(|(role, names)| {
            names.iter().find_map(|listed| {
                let attached = listed.ends_with('?');
                (listed.strip_suffix('?').unwrap_or(listed) == name).then_some((*role, attached))
            })
        })
    }

    /// The role of the operand at a place.
    pub fn operand(&self, at: usize) -> WordRole {
        self.operands.get(at).or(self.operands.last()).copied().unwrap_or(WordRole::Guess)
    }

    pub fn subcommand(&self, name: &str) -> Option<&Self> {
        self.sub.iter().find(|sub| sub.names.iter().any(|listed| listed == name))
    }
}

/// Environment variables that name what runs or what is read.
#[derive(Debug)]
pub struct VariableMeanings {
    /// Their values are command lines.
    pub commands: Vec<&'static str>,
    /// Their values are paths of code that is loaded, or of files that are read.
    pub paths: Vec<&'static str>,
}

/// Which part of the table a program stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Dialect {
    Posix,
    Cmd,
    PowerShell,
}

const PARTS: [(&str, Dialect); 3] = [("[[program]]", Dialect::Posix), ("[[command]]", Dialect::Cmd), ("[[cmdlet]]", Dialect::PowerShell)];

/// One program as text, read when it is first asked for.
#[derive(Debug)]
struct Entry {
    text: &'static str,
    program: OnceLock<Option<Program>>,
}

/// The table with its index.
#[derive(Debug)]
pub struct ProgramTable {
    entries: Vec<Entry>,
    index: HashMap<(Dialect, &'static str), usize>,
    pub variables: VariableMeanings,
}

impl ProgramTable {
    /// The program of this name.
    pub fn find(&self, name: &str) -> Option<&Program> {
        self.entry(Dialect::Posix, name)
    }

    /// The command of `cmd.exe` of this name, in lower case.
    pub fn command(&self, name: &str) -> Option<&Program> {
        self.entry(Dialect::Cmd, name)
    }

    /// The command of PowerShell of this name, in lower case.
    pub fn cmdlet(&self, name: &str) -> Option<&Program> {
        self.entry(Dialect::PowerShell, name)
    }

    /// Whether there is such a program; this reads no more than the index.
    pub fn knows(&self, name: &str) -> bool {
        self.index.contains_key(&(Dialect::Posix, name))
    }

    fn entry(&self, dialect: Dialect, name: &str) -> Option<&Program> {
        let entry = self.entries.get(*self.index.get(&(dialect, name))?)?;
        entry.program.get_or_init(|| read(entry.text).ok().flatten()).as_ref()
    }
}

/// The table that is compiled in. A fault in it makes a program an unknown one, which is guessed at; a test holds it whole.
pub static TABLE: LazyLock<ProgramTable> = LazyLock::new(|| indexed(TEXT));

const TEXT: &str = include_str!("../../../../policy/programs.toml");

/// One table of the file; nothing if it is not that of a program.
fn read(text: &str) -> Result<Option<Program>, toml::de::Error> {
    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct OneProgram {
        program: Vec<Program>,
        command: Vec<Program>,
        cmdlet: Vec<Program>,
    }
    let found: OneProgram = toml::from_str(text)?;
    Ok(found.program.into_iter().chain(found.command).chain(found.cmdlet).next())
}

/// Finds where each program stands, by the heading and the list of names after it.
fn indexed(text: &'static str) -> ProgramTable {
    let mut table = ProgramTable {
        entries: Vec::new(),
        index: HashMap::new(),
        variables: VariableMeanings { commands: Vec::new(), paths: Vec::new() },
    };
    let starts: Vec<usize> = text.match_indices("\n[").map(|(at, _)| at + 1).filter(|at| !is_inner(text, *at)).collect();
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(text.len());
        let chunk = text.get(*start..end).unwrap_or_default();
        match PARTS.iter().find(|(heading, _)| chunk.starts_with(heading)) {
            Some((_, dialect)) => table.add(*dialect, chunk),
            None => {
                let lists = word_lists(chunk);
                table.variables =
                    VariableMeanings { commands: words_of(&lists, "variables", "commands"), paths: words_of(&lists, "variables", "paths") };
            }
        }
    }
    table
}

/// Whether the heading at this place belongs to the program above it.
fn is_inner(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with("[[program.") || rest.starts_with("[[command.") || rest.starts_with("[[cmdlet."))
}

impl ProgramTable {
    fn add(&mut self, dialect: Dialect, chunk: &'static str) {
        let head = chunk.split("\n[").next().unwrap_or_default();
        let names_end = head.find("\noperands").unwrap_or(head.len());
        let lists = word_lists(head.get(..names_end).unwrap_or(head));
        let place = self.entries.len();
        self.entries.push(Entry { text: chunk, program: OnceLock::new() });
        self.index.extend(lists.first().into_iter().flat_map(|list| &list.words).map(|name| ((dialect, *name), place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        variables: BTreeMap<String, Vec<String>>,
        program: Vec<Program>,
        command: Vec<Program>,
        cmdlet: Vec<Program>,
    }

    #[test]
    fn the_index_finds_what_the_whole_file_says() {
        let whole: Whole = toml::from_str(TEXT).unwrap();
        let mut names = 0;
        for (programs, find) in [
            (&whole.program, ProgramTable::find as for<'t> fn(&'t ProgramTable, &str) -> Option<&'t Program>),
            (&whole.command, ProgramTable::command),
            (&whole.cmdlet, ProgramTable::cmdlet),
        ] {
            for program in programs {
                for name in &program.names {
                    assert_eq!(find(&TABLE, name), Some(program), "{name} is not found, or is listed twice");
                    names += 1;
                }
            }
        }
        assert_eq!(names, TABLE.index.len());
        assert!(names >= 900, "{names} names");
        assert_eq!(TABLE.variables.commands, whole.variables["commands"]);
        assert_eq!(TABLE.variables.paths, whole.variables["paths"]);
    }
}
