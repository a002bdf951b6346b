//! Options that `run`, `check`, `explain` and `call` share.
use std::path::PathBuf;

use crate::policy::Access;

/// Where a call is made from and what is permitted.
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
    /// Never ask: what would be asked about is refused
    #[arg(long)]
    pub non_interactive: bool,
}

fn access(word: &str) -> Result<Access, String> {
    match word {
        "read_only" => Ok(Access::ReadOnly),
        "full" => Ok(Access::Full),
        _ => Err("the levels are `read_only` and `full`".to_owned()),
    }
}
