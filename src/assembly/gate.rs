//! A gate around one server: the session with its audit, its channels and the server behind it.
use std::sync::Arc;

use crate::approve::socket::Listener;
use crate::policy::{Channel, Identity};
use crate::ports::{Upstream, open_stdio};
use crate::runtime::{Asker, Driver, Ended};
use crate::session::{Config, Session};
use crate::store::Files;

use super::executor::block_on;
use super::judge_context::JudgeContext;
use super::options::{ApprovalOptions, Offered, Options};
use super::recorder;
use super::server_command::{command_or_own, names, server_name};
use super::session_config::session_config;

/// Gates the server that `command` starts, else the built-in one with the tools that are `offered`, over standard input and output until either side ends.
///
/// # Errors
/// Whatever keeps the gate from starting. Once it runs, faults are answered in the session.
pub fn run(options: &Options, approval: &ApprovalOptions, offered: &Offered, command: &[String]) -> anyhow::Result<Ended> {
    let server = server_name(options, command);
    let mut context = JudgeContext::prepare(options, &server, None)?;
    approval.audit.iter().for_each(|file| context.guard(file));
    context.policy.identify(&server, &names(command), Identity::Command);
    let command = command_or_own(command, &context, offered)?;
    block_on(drive(options, approval, context, &command))?
}

async fn drive(options: &Options, approval: &ApprovalOptions, context: JudgeContext, command: &[String]) -> anyhow::Result<Ended> {
    let record = recorder::record(approval.audit.as_deref(), &context)?;
    let asker = asker(options, approval, &context);
    let store = Files::open()?;
    let config = Config { grants: store.granted(), ..session_config(options, approval, &context)? };
    let (limit, surroundings) = (config.limits.bytes, Arc::clone(&config.surroundings));
    let (upstream, stdin, stdout) = Upstream::start(command, &context.surroundings.root)?;
    let session = Session::new(config);
    let driver = Driver { session, surroundings, record, store: Box::new(store), asker, limit };
    Ok(driver.run(open_stdio(), (Box::pin(stdin), Box::pin(stdout)), upstream).await?)
}

/// The channels outside of the protocol. A gate without its socket still runs: the other channels are there, and it says so.
fn asker(options: &Options, approval: &ApprovalOptions, context: &JudgeContext) -> Asker {
    let is_wanted = !options.non_interactive && context.policy.approval().channels.value.contains(&Channel::Socket);
    let root = context.surroundings.root.clone();
    let socket = is_wanted.then(|| Listener::start(&tokio::runtime::Handle::current(), root));
    let socket = socket
        .and_then(|started| started.inspect_err(|problem| tracing::warn!("`callgate approve` cannot reach this gate: {problem}")).ok());
    Asker::new(approval.askpass.clone(), socket)
}
