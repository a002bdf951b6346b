//! Options that several subcommands share, as clap reads them.
use std::path::PathBuf;

use callgate_workspace::Tag;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::policy::Access;

/// Where a call is made from and what is permitted: for `run`, `check`, `explain` and `call`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Options {
    /// The project: relative paths start here, and all below it is permitted
    #[arg(long, value_name = "DIR")]
    pub root: Option<String>,
    /// Permit a directory and all below it (repeatable)
    #[arg(long, value_name = "DIR")]
    pub allow_dir: Vec<String>,
    /// Permit one file, also if it is on the sensitive list (repeatable)
    #[arg(long, value_name = "FILE")]
    pub allow_file: Vec<String>,
    /// `read_only` permits only tools that are known to only read; `full` permits all
    #[arg(long, value_name = "LEVEL", value_parser = access)]
    pub access: Option<Access>,
    /// Use this policy alone, not the user's or the project's
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// What the server is called in policy, questions and audit
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Ask before a tool is used that is not in `callgate.lock` (or in FILE) as it is now
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub locked: Option<Option<PathBuf>>,
    /// Never ask: what would be asked about is refused
    #[arg(long)]
    pub non_interactive: bool,
}

/// Who is asked, and where verdicts are written: for whatever runs a gate.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ApprovalOptions {
    /// Also ask on the controlling terminal
    #[arg(long)]
    pub tty: bool,
    /// Also ask through this helper program (absolute path; exit 0 allows once)
    #[arg(long, value_name = "PATH")]
    pub askpass: Option<PathBuf>,
    /// Write verdicts to this file instead of the one in the user's state directory
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
    /// Give a question up after this many seconds instead of what fits the client
    #[arg(long, value_name = "SECONDS")]
    pub ask_timeout: Option<u64>,
}

/// Which built-in tools are offered, and what they may reach: for whatever serves them.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(id = "offered", multiple = true)]
pub struct Offered {
    /// Let the web tools connect to loopback, private and other internal addresses
    #[arg(long)]
    pub allow_internal: bool,
    /// Only built-in tools with one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',', value_parser = tags())]
    pub include: Vec<Tag>,
    /// No built-in tools with one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',', value_parser = tags())]
    pub exclude: Vec<Tag>,
}

impl Offered {
    /// The words that say the same to `callgate tools`.
    pub fn words(&self) -> Vec<String> {
        let tags = |option: &str, tags: &[Tag]| tags.iter().flat_map(|tag| [option.to_owned(), tag.word().to_owned()]).collect::<Vec<_>>();
        let mut words = [tags("--include", &self.include), tags("--exclude", &self.exclude)].concat();
        words.extend(self.allow_internal.then(|| "--allow-internal".to_owned()));
        words
    }
}

fn tags() -> impl TypedValueParser<Value = Tag> {
    PossibleValuesParser::new(Tag::ALL.map(Tag::word)).try_map(|word| Tag::named(&word).ok_or("no such tag"))
}

fn access(word: &str) -> Result<Access, String> {
    match word {
        "read_only" => Ok(Access::ReadOnly),
        "full" => Ok(Access::Full),
        _ => Err("the levels are `read_only` and `full`".to_owned()),
    }
}

impl Options {
    /// The same options as words of a command line, for a gate that is started with them.
    ///
    /// Whatever is added to the struct is added here: a call would otherwise be judged by other rules than were asked for.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut pair = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        self.root.iter().for_each(|root| pair("--root", root));
        self.allow_dir.iter().for_each(|directory| pair("--allow-dir", directory));
        self.allow_file.iter().for_each(|file| pair("--allow-file", file));
        self.access.iter().for_each(|access| pair("--access", &access.to_string()));
        self.policy.iter().for_each(|policy| pair("--policy", &policy.to_string_lossy()));
        self.server.iter().for_each(|server| pair("--server", server));
        if let Some(file) = &self.locked {
            words.push(file.as_ref().map_or_else(|| "--locked".to_owned(), |file| format!("--locked={}", file.display())));
        }
        if self.non_interactive {
            words.push("--non-interactive".to_owned());
        }
        words
    }
}
