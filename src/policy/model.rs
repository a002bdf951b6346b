//! The typed policy that the gate reads; made by the parser, never by hand.
use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::denied::Denied;
use super::profiles::{self, Profile};
use super::role::{Access, Effect, Role, Shell};
use super::rules::Rule;
use super::settings::{Approval, AuditSettings, Limits, Server, ServerRequest};
use super::tool::ToolEntry;

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
    pub action: Option<Sourced<Effect>>,
    /// Why `action` is so, if the policy says.
    pub reason: Option<String>,
}

/// A `[[rules]]` entry that matches a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleHit {
    /// What it says.
    pub action: Effect,
    /// Its reason, or a generated one.
    pub reason: String,
    /// `file:line` of the rule.
    pub source: String,
}

/// Strings that several texts add to, each with its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listed {
    pub values: Vec<String>,
    pub sources: Vec<String>,
}

/// How a server came to be known by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// It says so itself (`serverInfo.name`): a claim, worth as much as its annotations.
    Claimed,
    /// The command line that starts it says so.
    Command,
}

/// The effective policy. Fields are private to `policy`; the gate asks through these functions.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(super) access: Sourced<Access>,
    pub(super) trust_annotations: Sourced<bool>,
    pub(super) root: Sourced<String>,
    pub(super) allow: Listed,
    pub(super) deny: Listed,
    pub(super) denied: Denied,
    pub(super) run: Listed,
    pub(super) extra: Listed,
    pub(super) except: Listed,
    pub(super) approval: Approval,
    pub(super) tools: BTreeMap<String, ToolEntry>,
    pub(super) servers: BTreeMap<String, Server>,
    pub(super) rules: Vec<Rule>,
    pub(super) methods: BTreeMap<String, Sourced<Effect>>,
    pub(super) server_requests: BTreeMap<ServerRequest, Sourced<Effect>>,
    pub(super) audit: AuditSettings,
    pub(super) limits: Limits,
    pub(super) identities: BTreeMap<String, (Identity, &'static Profile)>,
}

impl Policy {
    /// The access level for `server`.
    pub fn access(&self, server: &str) -> Access {
        self.servers.get(server).and_then(|known| known.access.as_ref()).unwrap_or(&self.access).value
    }

    /// Puts the level of the command line over whatever the texts say, for every server.
    pub fn set_access(&mut self, access: Access, source: &str) {
        self.access = Sourced { value: access, source: source.to_owned() };
        self.servers.values_mut().for_each(|server| server.access = None);
    }

    /// What is said of `tool` of `server` by the policy and by the profile that fits the server.
    pub fn tool(&self, server: &str, tool: &str) -> ToolSettings {
        self.merged(server, std::iter::once(tool))
    }

    /// The same for one call: a table named `tool?argument=text` speaks for calls of the tool whose argument is exactly that text,
    /// and over the tool's own table. Merged tools need it, whose one name both lists and deletes (`lessons.md` 12).
    pub fn tool_for(&self, server: &str, tool: &str, arguments: &Value) -> ToolSettings {
        if !self.depends_on_arguments(server, tool) {
            return self.merged(server, std::iter::once(tool));
        }
        let chosen =
            arguments.as_object().into_iter().flatten().filter_map(|(name, value)| Some(format!("{tool}?{name}={}", value.as_str()?)));
        let known =
            |name: &String| self.tools.contains_key(name) || self.servers.get(server).is_some_and(|here| here.tools.contains_key(name));
        let chosen: Vec<String> = chosen.filter(known).collect();
        self.merged(server, chosen.iter().map(String::as_str).chain(std::iter::once(tool)))
    }

    /// Whether some calls of `tool` are spoken for by the text of an argument.
    pub fn depends_on_arguments(&self, server: &str, tool: &str) -> bool {
        let of_tool = |name: &String| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('?'));
        self.tools.keys().any(of_tool) || self.servers.get(server).is_some_and(|here| here.tools.keys().any(of_tool))
    }

    fn merged<'a>(&self, server: &str, names: impl Iterator<Item = &'a str>) -> ToolSettings {
        let mut settings = ToolSettings::default();
        let mut shell = None;
        let profile = self.profile(server);
        for name in names {
            let here = self.servers.get(server).and_then(|known| known.tools.get(name));
            for entry in [here, self.tools.get(name), profile.and_then(|profile| profile.tools.get(name))].into_iter().flatten() {
                entry.fill(&mut settings, &mut shell);
            }
        }
        settings.shell = shell.or(profile.and_then(|profile| profile.shell)).unwrap_or_default();
        settings
    }

    /// The profile that fits `server`: the policy's word, else the command line's, else the name's, else the server's own claim
    /// where the policy trusts its annotations.
    pub fn profile(&self, server: &str) -> Option<&'static Profile> {
        if let Some(named) = self.servers.get(server).and_then(|known| known.profile.as_ref()) {
            return profiles::named(&named.value);
        }
        match self.identities.get(server) {
            Some((Identity::Command, profile)) => Some(profile),
            Some((Identity::Claimed, profile)) => profiles::named(server).or_else(|| self.trusts_annotations(server).then_some(profile)),
            None => profiles::named(server),
        }
    }

    /// Remembers by which of `names` the server is known, strongest identity kept; the first that a profile lists counts.
    pub fn identify(&mut self, server: &str, names: &[String], identity: Identity) {
        let Some(profile) = profiles::for_names(names) else { return };
        if self.identities.get(server).is_none_or(|(held, _)| *held < identity) {
            self.identities.insert(server.to_owned(), (identity, profile));
        }
    }

    /// Whether the server's own annotations count in `read_only` (design 8).
    pub fn trusts_annotations(&self, server: &str) -> bool {
        self.servers.get(server).and_then(|known| known.trust_annotations.as_ref()).unwrap_or(&self.trust_annotations).value
    }

    /// The rules that match a call.
    pub fn rules(&self, server: &str, tool: &str, arguments: &Value) -> Vec<RuleHit> {
        self.rules.iter().filter_map(|rule| rule.hit(server, tool, arguments)).collect()
    }

    /// The project directory: `auto`, or a directory as written.
    pub fn root(&self) -> &Sourced<String> {
        &self.root
    }

    /// Directories beside the root that are permitted, as written (`~` and relative ones too).
    pub fn allow_directories(&self) -> &[String] {
        &self.allow.values
    }

    /// Globs (relative to the root unless absolute) that are refused wherever they lie.
    pub fn denied_paths(&self) -> &[String] {
        &self.deny.values
    }

    /// The deny glob that refuses a path, resolved or as spelled, with its source in words.
    pub fn denies_path(&self, path: &Path, spelled: &Path, root: &Path) -> Option<&str> {
        self.denied.hit(path, root).or_else(|| self.denied.hit(spelled, root))
    }

    /// Puts the home directory in place of a leading `~` in deny globs.
    pub fn expand_home(&mut self, home: &Path) {
        let home = home.to_string_lossy();
        for glob in &mut self.deny.values {
            if let Some(below) = glob.strip_prefix("~/") {
                *glob = format!("{}/{below}", globset::escape(&home));
            }
        }
        self.denied = Denied::new(&self.deny);
    }

    /// Directories (absolute) from which running a program is free.
    pub fn run_directories(&self) -> &[String] {
        &self.run.values
    }

    /// Extra sensitive globs: `[sensitive] extra` and `CALLGATE_SENSITIVE_PATTERNS`.
    pub fn sensitive_extra(&self) -> &[String] {
        &self.extra.values
    }

    /// Names that the user excepts from the sensitive list.
    pub fn sensitive_except(&self) -> &[String] {
        &self.except.values
    }

    /// Adds a sensitive glob that came from elsewhere than a text, such as the environment.
    pub fn add_sensitive(&mut self, glob: &str, source: &str) {
        self.extra.add(glob.to_owned(), source.to_owned());
    }

    /// How a person is asked.
    pub fn approval(&self) -> &Approval {
        &self.approval
    }

    /// How verdicts are recorded.
    pub fn audit(&self) -> &AuditSettings {
        &self.audit
    }

    /// How much the gate takes in.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The servers that the policy says anything of, by name; [`Server::is_reachable`] tells those that can be started or reached.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &Server)> {
        self.servers.iter().map(|(name, server)| (name.as_str(), server))
    }

    /// What the policy says of a method that is not a tool call; nothing leaves it to the gate (design 4).
    pub fn method_action(&self, method: &str) -> Option<&Sourced<Effect>> {
        self.methods.get(method)
    }

    /// What is done with a request from server to client.
    pub fn server_request_action(&self, kind: ServerRequest) -> Effect {
        self.server_requests.get(&kind).map_or(Effect::Ask, |sourced| sourced.value)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Listed {
    /// Adds `value` unless it is there already.
    pub(super) fn add(&mut self, value: String, source: String) {
        if !self.values.contains(&value) {
            self.values.push(value);
            self.sources.push(source);
        }
    }
}
