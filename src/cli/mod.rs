//! The command line: one file per subcommand.
pub mod approve;
pub mod call;
pub mod cases;
pub mod check;
pub mod demo;
pub mod exit;
pub mod explain;
pub mod judging;
pub mod lock;
pub mod log;
pub mod paths;
pub mod policy;
pub mod run;
pub mod tools;
pub mod trust;
pub mod verify;

use std::process::ExitCode;

use clap::Parser;

/// A permission gate for the Model Context Protocol: every tool call is judged before a server sees it.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Call one tool through the gate, asking on the terminal
    Call(call::Arguments),
    /// Take a two-minute tour on a scratch project
    Demo(demo::Arguments),
    /// Judge a call without sending it
    Check(check::Arguments),
    /// Show how a call is judged, step by step
    Explain(explain::Arguments),
    /// Gate a server: stand between an MCP client and the server's command
    Run(run::Arguments),
    /// Accept a server's tools as they are now, or show what has changed since
    Lock(lock::Arguments),
    /// Show the record of verdicts
    Log(log::Arguments),
    /// Show, check or test the policy
    Policy(policy::Arguments),
    /// Answer questions of running gates from this terminal
    Approve(approve::Arguments),
    /// List and change the places that running gates permit, and kept answers
    Paths(paths::Arguments),
    /// Serve the built-in workspace tools by themselves, without a gate
    Tools(tools::Arguments),
    /// Let a project's policy file loosen the policy
    Trust(trust::Arguments),
    /// Check that no line of an audit log was changed, removed, added or moved
    Verify(verify::Arguments),
}

/// Log lines go to standard error: standard output belongs to the protocol. `CALLGATE_LOG` sets the level.
fn start_log() {
    let level = std::env::var("CALLGATE_LOG").ok().and_then(|level| level.parse().ok()).unwrap_or(tracing::Level::WARN);
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_target(false)
        .init();
}

/// Reads the command line, runs the subcommand and turns its error into a line and an exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(usage) => {
            let _ = usage.print();
            return if usage.use_stderr() { exit::USAGE.into() } else { ExitCode::SUCCESS };
        }
    };
    start_log();
    let done = match arguments.command {
        Command::Call(arguments) => call::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Lock(arguments) => lock::run(&arguments),
        Command::Log(arguments) => log::run(&arguments),
        Command::Policy(arguments) => policy::run(arguments),
        Command::Approve(arguments) => approve::run(&arguments),
        Command::Paths(arguments) => paths::run(arguments),
        Command::Tools(arguments) => tools::run(arguments),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Verify(arguments) => verify::run(arguments),
    };
    done.unwrap_or_else(|problem| {
        eprintln!("callgate: {problem:#}");
        exit::code(&problem).into()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;
    use crate::analyse::shell::OWN_COMMANDS;

    /// Every command that does something by itself, with its name below the program's and its options.
    fn leaves(command: &clap::Command, name: &str, found: &mut Vec<(String, Vec<String>)>) {
        let options = command.get_arguments().flat_map(|argument| {
            let long = argument.get_long_and_visible_aliases().unwrap_or_default().into_iter().map(|long| format!("--{long}"));
            let short = argument.get_short_and_visible_aliases().unwrap_or_default().into_iter().map(|short| format!("-{short}"));
            long.chain(short).collect::<Vec<_>>()
        });
        if !command.is_subcommand_required_set() {
            found.push((name.to_owned(), options.collect()));
        }
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            leaves(sub, &format!("{name} {}", sub.get_name()), found);
        }
    }

    #[test]
    fn each_command_and_option_is_known_to_be_harmless_or_to_be_asked_about() {
        let mut command = Arguments::command();
        command.build();
        let mut found = Vec::new();
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            leaves(sub, sub.get_name(), &mut found);
        }
        assert!(found.len() >= 18, "only {} commands found", found.len());
        for (name, options) in &found {
            assert!(OWN_COMMANDS.lists(name), "`callgate {name}` stands in no list of policy/own_commands.toml");
            let Some(harmless) = OWN_COMMANDS.harmless_options(name) else { continue };
            let unlisted: Vec<_> = options.iter().filter(|option| !harmless.contains(&option.as_str())).collect();
            assert!(unlisted.is_empty(), "`callgate {name}` has options that policy/own_commands.toml does not list: {unlisted:?}");
            let stale: Vec<_> = harmless.iter().filter(|option| !options.iter().any(|known| known == *option)).collect();
            assert!(stale.is_empty(), "policy/own_commands.toml lists options that `callgate {name}` does not have: {stale:?}");
        }
        let is_known = |name: &str| {
            name.is_empty() || name == "help" || found.iter().any(|(found, _)| found == name || found.starts_with(&format!("{name} ")))
        };
        let stale: Vec<_> = OWN_COMMANDS.names().filter(|name| !is_known(name)).collect();
        assert!(stale.is_empty(), "policy/own_commands.toml lists commands that do not exist: {stale:?}");
    }
}
