//! Judging one call without a session: for `check`, `explain` and a policy's own tests.
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::analyse::{Definition, Discovered};
use crate::gate::{Decision, Facts, Finding, GrantStore, Judge, Located, PinStatus, Since, Step};
use crate::locate::{locate, scripts};
use crate::policy::{Effect, Platform};
use crate::wire::{self, Call, Limits, Side};

use crate::assembly::judge_context::JudgeContext;

/// One call as `check` reads it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The server's name; only fills in where the command line gave none.
    #[serde(default)]
    pub server: Option<String>,
    /// The tool, byte for byte.
    pub tool: String,
    /// The arguments, an object; null where there are none.
    #[serde(default, deserialize_with = "admitted")]
    pub arguments: Value,
    /// The tool's definition as a server lists it; the name may be left out.
    #[serde(default)]
    pub definition: Value,
    /// Paths the caller says the call will touch.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Whose path rules apply, for a call that is made elsewhere; this machine's where nothing is said.
    #[serde(default)]
    pub platform: Option<Platform>,
}

/// Arguments as a session would admit them, nested as deep as it allows and refused for what it refuses.
fn admitted<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?.get();
    if !raw.starts_with('{') {
        return serde_json::from_str(raw).map_err(D::Error::custom);
    }
    let line = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{{"name":"check","arguments":{raw}}}}}"#);
    wire::read(line.into(), Side::Client, &Limits::default()).map_err(D::Error::custom)?;
    Ok(wire::decode(raw.as_bytes()).0)
}

/// What became of it.
#[derive(Debug)]
pub struct Judgement {
    pub verdict: Effect,
    /// What spoke against the call, answered or not.
    pub findings: Vec<Finding>,
    /// What was found in the arguments; nothing unless it is to be explained.
    pub discovered: Discovered,
    /// What the disk said; nothing unless it is to be explained.
    pub located: Vec<Located>,
    /// How the tool stands to the lock file.
    pub pin_status: PinStatus,
}

/// Judges `asked` on `ground`, as a session would on its first call.
///
/// # Errors
/// A call that could not be sent either.
pub fn judge(ground: &JudgeContext, asked: &Asked, explain: bool) -> anyhow::Result<Judgement> {
    let call = Call::synthetic(&asked.tool, &asked.arguments)?;
    let mut definition = Definition::from_value(asked.definition.clone());
    definition.name.clone_from(&asked.tool);
    let pin_status = pin_status(ground, asked, &definition);
    let facts = Facts {
        policy: &ground.policy,
        sensitive: &ground.sensitive,
        surroundings: &ground.surroundings,
        server: &ground.server,
        access: ground.access(),
        definition: Some(&definition),
        pin_status: &pin_status,
        granted: &GrantStore::default(),
        expected: &asked.paths,
        rewrite_relative: ground.rewrites_relative(),
        explain,
    };
    let (decision, located) = decide(call, &facts);
    let verdict = decision.effect();
    let discovered = if explain { decision.discovered().clone() } else { Discovered::default() };
    Ok(Judgement { verdict, findings: decision.into_findings(), discovered, located, pin_status })
}

/// Drives the judge to its decision; what the disk said comes with it where it is to be explained.
fn decide(call: Call, facts: &Facts<'_>) -> (Decision, Vec<Located>) {
    let mut step = Judge::of(call).begin(facts);
    loop {
        step = match step {
            Step::ReadScripts(judge) => {
                let read = scripts(judge.wanted(), facts.surroundings);
                judge.read(read, facts)
            }
            Step::Locate(judge) => {
                let located = locate(judge.wanted(), facts.surroundings);
                let told = if facts.explain { located.clone() } else { Vec::new() };
                return (judge.located(located).decide(facts), told);
            }
            Step::Decided(decision) => return (decision, Vec::new()),
        };
    }
}

/// How the tool stands to the lock file. Where neither the call brings a definition nor a lock is required, there is nothing to compare.
fn pin_status(ground: &JudgeContext, asked: &Asked, definition: &Definition) -> PinStatus {
    let locked = ground.locked.tools.get(&asked.tool);
    match (locked, asked.definition.is_null()) {
        (Some(accepted), false) => PinStatus::of(definition, Some((accepted, Since::Lock))),
        (None, _) if ground.locked.required => PinStatus::of(definition, None),
        _ => PinStatus::Known,
    }
}
