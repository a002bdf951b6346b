//! The table of programs: what their operands and options are. Read from `policy/programs.toml`, which is compiled in.
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

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
    /// A pattern.
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
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Program {
    /// Its names.
    pub names: Vec<String>,
    /// The roles of its operands; the last one stands for all that follow.
    pub operands: Vec<WordRole>,
    /// The role of the last operand where there are several.
    pub last: Option<WordRole>,
    /// The role of what follows `--`.
    pub after_dashes: Option<WordRole>,
    /// Options that take the place of the first operand.
    pub instead: String,
    /// Options that say where to, so that `last` does not count.
    pub target: String,
    /// Options that turn operands which are read into ones that are written.
    pub writes: String,
    /// Options that make it read whole trees.
    pub recursive: String,
    /// Options that narrow such a reading to names, which are looked at by themselves.
    pub narrows: String,
    /// Options with a value, by role. A name that ends in `?` takes only a value that is attached.
    pub options: BTreeMap<WordRole, String>,
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
    /// Its subcommands.
    pub sub: Vec<Program>,
}

impl Program {
    /// The role of the value of an option, and whether the value must be attached.
    pub fn option(&self, name: &str) -> Option<(WordRole, bool)> {
        self.options.iter().find_map(|(role, names)| {
            names.split_whitespace().find_map(|listed| {
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    variables: Variables,
    program: Vec<Program>,
    /// Commands of `cmd.exe`.
    command: Vec<Program>,
    /// Commands of PowerShell.
    cmdlet: Vec<Program>,
}

/// Environment variables that name what runs or what is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variables {
    /// Their values are command lines.
    pub commands: Vec<String>,
    /// Their values are paths of code that is loaded, or of files that are read.
    pub paths: Vec<String>,
}

/// The table with its index.
pub struct ProgramTable {
    programs: Vec<Program>,
    index: HashMap<String, usize>,
    commands: Vec<Program>,
    cmdlets: Vec<Program>,
    pub variables: Variables,
}

impl ProgramTable {
    /// The program of this name.
    pub fn find(&self, name: &str) -> Option<&Program> {
        self.index.get(name).and_then(|at| self.programs.get(*at))
    }

    /// The command of `cmd.exe` of this name, in lower case.
    pub fn command(&self, name: &str) -> Option<&Program> {
        self.commands.iter().find(|command| command.names.iter().any(|listed| listed == name))
    }

    /// The command of PowerShell of this name, in lower case.
    pub fn cmdlet(&self, name: &str) -> Option<&Program> {
        self.cmdlets.iter().find(|cmdlet| cmdlet.names.iter().any(|listed| listed == name))
    }
}

/// The table that is compiled in. A fault in it leaves it empty, so that all programs are guessed at; a test holds it whole.
pub static TABLE: LazyLock<ProgramTable> = LazyLock::new(|| indexed(read().unwrap_or_default()));

fn read() -> Result<TableFile, toml::de::Error> {
    toml::from_str(include_str!("../../../../policy/programs.toml"))
}

fn indexed(file: TableFile) -> ProgramTable {
    let mut index = HashMap::new();
    for (at, program) in file.program.iter().enumerate() {
        index.extend(program.names.iter().map(|name| (name.clone(), at)));
    }
    ProgramTable { programs: file.program, index, commands: file.command, cmdlets: file.cmdlet, variables: file.variables }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let file = read().unwrap();
        let mut names: Vec<&String> = file.program.iter().flat_map(|program| &program.names).collect();
        assert!(names.len() >= 120, "{} names", names.len());
        names.sort();
        let listed = names.len();
        names.dedup();
        assert_eq!(listed, names.len(), "a name is listed twice");
    }
}
