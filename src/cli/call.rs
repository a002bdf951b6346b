//! `callgate call`: be the client. One call through the gate, asking on the terminal.
use std::io::Write;
use std::process::ExitCode;

use serde_json::Value;

use super::exit;
use super::explain::values;
use crate::assembly::client::{GateClient, Handler, text_of};
use crate::assembly::executor::block_on;
use crate::assembly::options::Options;

/// Call one tool through the gate and print its result.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The tool
    tool: String,
    /// The tool's arguments: `name=value`, or one JSON object
    #[arg(value_name = "KEY=VALUE")]
    values: Vec<String>,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: Options,
    /// The server's command and its arguments; without one, the built-in workspace server
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Runs the subcommand: 0 when the tool did its work, 1 when it says that it did not, 3 when the gate refused the call.
///
/// # Errors
/// A server that does not start, or a call that fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Value::Object(values) = values(&arguments.values)? else { anyhow::bail!("the arguments are no JSON object") };
    let result = block_on(async {
        let client = GateClient::start(&gate_arguments(arguments), &[], Handler::default()).await?;
        let result = client.call(&arguments.tool, values).await;
        client.end().await?;
        result
    })??;
    let (text, refused) = text_of(&result);
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&result)?)?;
    } else {
        writeln!(out, "{text}")?;
    }
    Ok(match (refused, result.is_error) {
        (true, _) => exit::FINDINGS.into(),
        (false, Some(true)) => exit::FAILURE.into(),
        (false, _) => ExitCode::SUCCESS,
    })
}

/// What follows `callgate run`: the same options, and the terminal to ask on.
fn gate_arguments(arguments: &Arguments) -> Vec<String> {
    let mut words = arguments.options.words();
    if !arguments.options.non_interactive {
        words.push("--tty".to_owned());
    }
    if !arguments.command.is_empty() {
        words.push("--".to_owned());
        words.extend(arguments.command.iter().cloned());
    }
    words
}
