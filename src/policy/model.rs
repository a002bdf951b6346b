//! The typed policy that the gate reads; made by the parser, never by hand.
use serde_json::Value;

use super::role::{Access, Action, Role, Shell};

/// A value with the place it was set: `built-in`, `server profile git`, `callgate.toml:12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was set.
    pub source: String,
}

/// Which argument a role is given to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// A JSON pointer; `*` as a token stands for any array index or member.
    Pointer(Vec<String>),
    /// An argument of this name at the top level, byte for byte; also every element below it when it is an array.
    Name(String),
}

/// A declared role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    /// For which argument.
    pub selector: Selector,
    /// What it is.
    pub role: Role,
    /// Where that was said.
    pub source: String,
}

/// All that policy and server profile say of one tool, merged field by field (policy over profile).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Whether the tool only reads.
    pub read_only: Option<Sourced<bool>>,
    /// Whether it may destroy.
    pub destructive: Option<Sourced<bool>>,
    /// Which command language its commands are in.
    pub shell: Shell,
    /// Declared roles, strongest source first.
    pub roles: Vec<RoleRule>,
    /// What the policy says of the tool as such.
    pub action: Option<Sourced<Action>>,
}

/// A `[[rules]]` entry that matches a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleHit {
    /// What it says.
    pub action: Action,
    /// Its reason, or a generated one.
    pub reason: String,
    /// `file:line` of the rule.
    pub source: String,
}

/// The effective policy. Fields are private to `policy`; the gate asks through these functions.
#[derive(Debug, Clone, Default)]
pub struct Policy {}

impl Policy {
    /// The policy that is compiled in (`policy/default.toml` alone).
    pub fn builtin() -> Self {
        Self::default()
    }

    /// The access level for `server`.
    pub fn access(&self, _server: &str) -> Access {
        Access::Full
    }

    /// What is said of `tool` of `server` by the policy and by the profile that fits the server.
    pub fn tool(&self, _server: &str, _tool: &str) -> ToolSettings {
        ToolSettings::default()
    }

    /// Whether the server's own annotations count in `read_only` (design 8).
    pub fn trusts_annotations(&self, _server: &str) -> bool {
        true
    }

    /// The rules that match a call.
    pub fn rules(&self, _server: &str, _tool: &str, _arguments: &Value) -> Vec<RuleHit> {
        Vec::new()
    }

    /// Globs (relative to the root unless absolute) that are refused wherever they lie.
    pub fn denied_paths(&self) -> &[String] {
        &[]
    }

    /// Directories (absolute) from which running a program is free.
    pub fn run_directories(&self) -> &[String] {
        &[]
    }

    /// Extra sensitive globs: `[sensitive] extra` and `CALLGATE_SENSITIVE_PATTERNS`.
    pub fn sensitive_extra(&self) -> &[String] {
        &[]
    }

    /// Names that the user excepts from the sensitive list.
    pub fn sensitive_except(&self) -> &[String] {
        &[]
    }
}
