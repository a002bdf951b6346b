//! The settings of a session, from options, policy and environment.
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use crate::gate::GrantStore;
use crate::policy::Channel;
use crate::session::Config;
use crate::wire::Limits;

use super::judge_context::JudgeContext;
use super::options::{ApprovalOptions, Options};

/// Makes the settings of a session in `context`.
///
/// # Errors
/// When no random bytes can be had.
pub fn session_config(options: &Options, approval: &ApprovalOptions, context: &JudgeContext) -> anyhow::Result<Config> {
    let limits = context.policy.limits();
    let by_policy = context.policy.approval();
    let mut seed = [0; 56];
    rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty()).context("no random bytes can be had")?;
    let bytes = usize::try_from(limits.message_bytes.value).unwrap_or(usize::MAX);
    let depth = usize::try_from(limits.depth.value).unwrap_or(usize::MAX);
    Ok(Config {
        server: context.server.clone(),
        policy: Arc::new(context.policy.clone()),
        sensitive: Arc::clone(&context.sensitive),
        surroundings: Arc::clone(&context.surroundings),
        access: context.access(),
        channels: channels(options, approval, &by_policy.channels.value),
        limits: Limits { bytes, depth, ..Limits::default() },
        call_timeout: call_timeout(context),
        timeout: approval.ask_timeout.map(Duration::from_secs).or_else(|| by_policy.timeout()),
        soonest_answer: by_policy.minimum_answer(),
        locked: context.locked.clone(),
        grants: GrantStore::default(),
        rewrite_relative: context.rewrites_relative(),
        seed,
    })
}

/// The policy's channels that this run may use. The terminal and the helper program have to be asked for.
fn channels(options: &Options, approval: &ApprovalOptions, by_policy: &[Channel]) -> Vec<Channel> {
    if options.non_interactive {
        return Vec::new();
    }
    let is_usable = |channel: &Channel| match channel {
        Channel::Elicitation | Channel::Socket => true,
        Channel::Tty => approval.tty,
        Channel::Program => approval.askpass.is_some(),
    };
    by_policy.iter().copied().filter(is_usable).collect()
}

/// Seconds in `CALLGATE_TOOL_CALL_TIMEOUT` go over the policy; 0 or less waits for ever, and what is no number is not heeded.
fn call_timeout(context: &JudgeContext) -> Option<Duration> {
    let by_hand = context.surroundings.variables.get("CALLGATE_TOOL_CALL_TIMEOUT").and_then(|text| text.trim().parse::<f64>().ok());
    match by_hand.filter(|seconds| seconds.is_finite()) {
        Some(seconds) if seconds > 0.0 => Some(Duration::from_secs_f64(seconds.min(1e9))),
        Some(_) => None,
        None => context.policy.limits().call_timeout(),
    }
}
