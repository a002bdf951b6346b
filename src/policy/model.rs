//! The typed policy that the gate reads; made by the parser, never by hand.
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::cell::Table;
use super::denied::Denied;
use super::keys::{Approval, AuditSettings, Limits, Server, Settings, SettingsLayer, ToolEntry};
use super::profiles::{self, Profile};
use super::rules::RuleHit;
use super::selector::same_but_for_case;
use super::sourced::Sourced;
use super::text::Trust;
use super::tool::ToolSettings;
use super::words::{Access, Effect, ServerRequest};

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
    pub(super) settings: Settings,
    denied: Denied,
    identities: BTreeMap<String, (Identity, &'static Profile)>,
    /// What the user's own texts say, where one that nobody trusts stands over them.
    trusted: Option<Arc<Settings>>,
}

impl Settings {
    fn trusts_annotations(&self, server: &str) -> bool {
        self.servers.get(server).and_then(|known| known.trust_annotations.as_ref()).unwrap_or(&self.trust_annotations).value
    }
}

impl Policy {
    /// What the keys' declarations say, before any text.
    pub(super) fn declared() -> Self {
        Self { settings: Settings::default(), denied: Denied::default(), identities: BTreeMap::new(), trusted: None }
    }

    /// Puts a nearer text over what stands.
    pub(super) fn cover(&mut self, layer: SettingsLayer, trust: Trust) {
        if trust == Trust::Untrusted {
            self.trusted.get_or_insert_with(|| Arc::new(self.settings.clone()));
        }
        Table::cover(&mut self.settings, layer);
        self.denied = Denied::new(&self.settings.paths.deny);
    }

    /// Whether a text that nobody trusts stands in it.
    pub(super) const fn has_untrusted(&self) -> bool {
        self.trusted.is_some()
    }

    /// Puts a nearer text of the user's over the user's own texts, where others stand between them.
    pub(super) fn cover_trusted(&mut self, layer: SettingsLayer) {
        if let Some(trusted) = &mut self.trusted {
            Table::cover(Arc::make_mut(trusted), layer);
        }
    }

    /// The access level for `server`.
    pub fn access(&self, server: &str) -> Access {
        self.settings.servers.get(server).and_then(|known| known.access.as_ref()).unwrap_or(&self.settings.access).value
    }

    /// Puts the level of the command line over whatever the texts say, for every server.
    pub fn set_access(&mut self, access: Access, source: &str) {
        self.settings.access = Sourced { value: access, source: source.to_owned() };
        self.settings.servers.values_mut().for_each(|server| server.access = None);
    }

    /// What is said of `tool` of `server` by the policy and by the profile that fits the server.
    pub fn tool(&self, server: &str, tool: &str) -> ToolSettings {
        self.merged(server, std::iter::once(tool))
    }

    /// The same for one call: a table named `tool?argument=text` speaks for calls of the tool whose argument is exactly that text,
    /// and over the tool's own table. Merged tools need it, whose one name both lists and deletes. Where the argument's name differs in
    /// case, which some servers do not see, or another argument has the same name but for case, only what is stricter in the table
    /// counts.
    pub fn tool_for(&self, server: &str, tool: &str, arguments: &Value) -> ToolSettings {
        if !self.depends_on_arguments(server, tool) {
            return self.merged(server, std::iter::once(tool));
        }
        let members = || arguments.as_object().into_iter().flatten();
        let known = |name: &String| {
            self.settings.tools.contains_key(name) || self.settings.servers.get(server).is_some_and(|here| here.tools.contains_key(name))
        };
        let chosen = members().filter_map(|(name, value)| Some((name, format!("{tool}?{name}={}", value.as_str()?))));
        let chosen: Vec<_> = chosen.filter(|(_, table)| known(table)).collect();
        let mut settings = self.merged(server, chosen.iter().map(|(_, table)| table.as_str()).chain(std::iter::once(tool)));
        let has_twin = |name: &String| members().any(|(other, _)| other != name && same_but_for_case(other, name));
        if chosen.iter().any(|(name, _)| has_twin(name)) {
            settings.no_milder_than(self.merged(server, std::iter::once(tool)));
        }
        self.named_alike(server, tool, arguments).for_each(|entry| entry.restrict(&mut settings));
        settings
    }

    /// The tables `tool?argument=text` that a call would choose if the name of its argument had another case.
    fn named_alike<'a>(&'a self, server: &str, tool: &'a str, arguments: &'a Value) -> impl Iterator<Item = &'a ToolEntry> {
        let is_alike = move |table: &str| {
            let Some(choice) = table.strip_prefix(tool).and_then(|rest| rest.strip_prefix('?')) else { return false };
            arguments.as_object().into_iter().flatten().any(|(name, value)| {
                let argument = value.as_str().and_then(|text| choice.strip_suffix(text)?.strip_suffix('='));
                argument.is_some_and(|argument| argument != name && same_but_for_case(argument, name))
            })
        };
        let here = self.settings.servers.get(server).map(|known| &known.tools);
        let tables = here.into_iter().chain(std::iter::once(&self.settings.tools)).flatten();
        tables.filter(move |(table, _)| is_alike(table)).map(|(_, entry)| entry)
    }

    /// Whether some calls of `tool` are spoken for by the text of an argument.
    pub fn depends_on_arguments(&self, server: &str, tool: &str) -> bool {
        let of_tool = |name: &String| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('?'));
        self.settings.tools.keys().any(of_tool) || self.settings.servers.get(server).is_some_and(|here| here.tools.keys().any(of_tool))
    }

    fn merged<'a>(&self, server: &str, names: impl Iterator<Item = &'a str>) -> ToolSettings {
        let mut settings = ToolSettings::default();
        let mut shell = None;
        let profile = self.profile(server);
        for name in names {
            let here = self.settings.servers.get(server).and_then(|known| known.tools.get(name));
            for entry in [here, self.settings.tools.get(name), profile.and_then(|profile| profile.tools.get(name))].into_iter().flatten() {
                entry.fill(&mut settings, &mut shell);
            }
        }
        settings.shell = shell.or(profile.and_then(|profile| profile.shell)).unwrap_or_default();
        settings
    }

    /// The profile that fits `server`: the policy's word, else the command line's, else the name's, else the server's own claim
    /// where the policy trusts its annotations.
    pub fn profile(&self, server: &str) -> Option<&'static Profile> {
        if let Some(named) = self.settings.servers.get(server).and_then(|known| known.profile.as_ref()) {
            return profiles::named(&named.value);
        }
        match self.identities.get(server) {
            Some((Identity::Command, profile)) => Some(profile),
            Some((Identity::Claimed, profile)) => profiles::named(server).or_else(|| self.believes_claims(server).then_some(profile)),
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

    /// Whether the server's own annotations count in `read_only`.
    pub fn trusts_annotations(&self, server: &str) -> bool {
        self.settings.trusts_annotations(server)
    }

    /// Whether a profile that the server claims by its name counts. A profile also finds paths where nobody else looks for them, so
    /// that a text which nobody trusts may not take it away together with the annotations.
    fn believes_claims(&self, server: &str) -> bool {
        self.trusted.as_deref().unwrap_or(&self.settings).trusts_annotations(server)
    }

    /// The rules that match a call.
    pub fn rules(&self, server: &str, tool: &str, arguments: &Value) -> Vec<RuleHit> {
        self.settings.rules.iter().filter_map(|rule| rule.value.hit(server, tool, arguments, &rule.source)).collect()
    }

    /// The project directory: `auto`, or a directory as written.
    pub fn root(&self) -> &Sourced<String> {
        &self.settings.paths.root
    }

    /// Directories beside the root that are permitted, as written (`~` and relative ones too).
    pub fn allow_directories(&self) -> &[String] {
        &self.settings.paths.allow.values
    }

    /// Globs (relative to the root unless absolute) that are refused wherever they lie.
    pub fn denied_paths(&self) -> &[String] {
        &self.settings.paths.deny.values
    }

    /// The deny glob that refuses a path, resolved or as spelled, with its source in words.
    pub fn denies_path(&self, path: &Path, spelled: &Path, root: &Path) -> Option<&str> {
        self.denied.hit(path, root).or_else(|| self.denied.hit(spelled, root))
    }

    /// Puts the home directory in place of a leading `~` in deny globs.
    pub fn expand_home(&mut self, home: &Path) {
        let home = home.to_string_lossy();
        for glob in &mut self.settings.paths.deny.values {
            if let Some(below) = glob.strip_prefix("~/") {
                *glob = format!("{}/{below}", globset::escape(&home));
            }
        }
        self.denied = Denied::new(&self.settings.paths.deny);
    }

    /// Directories (absolute) from which running a program is free.
    pub fn run_directories(&self) -> &[String] {
        &self.settings.paths.run.values
    }

    /// Extra sensitive globs: `[sensitive] extra` and `CALLGATE_SENSITIVE_PATTERNS`.
    pub fn sensitive_extra(&self) -> &[String] {
        &self.settings.sensitive.extra.values
    }

    /// Names that the user excepts from the sensitive list.
    pub fn sensitive_except(&self) -> &[String] {
        &self.settings.sensitive.except.values
    }

    /// Adds a sensitive glob that came from elsewhere than a text, such as the environment.
    pub fn add_sensitive(&mut self, glob: &str, source: &str) {
        self.settings.sensitive.extra.add(glob.to_owned(), source.to_owned());
    }

    /// How a person is asked.
    pub fn approval(&self) -> &Approval {
        &self.settings.approval
    }

    /// How verdicts are recorded.
    pub fn audit(&self) -> &AuditSettings {
        &self.settings.audit
    }

    /// How much the gate takes in.
    pub fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// The servers that the policy says anything of, by name; [`Server::is_reachable`] tells those that can be started or reached.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &Server)> {
        self.settings.servers.iter().map(|(name, server)| (name.as_str(), server))
    }

    /// What the policy says of a method that is not a tool call; nothing leaves it to the gate.
    pub fn method_action(&self, method: &str) -> Option<&Sourced<Effect>> {
        self.settings.methods.get(method)?.0.as_ref()
    }

    /// What is done with a request from server to client.
    pub fn server_request_action(&self, kind: ServerRequest) -> Effect {
        let requests = &self.settings.server_requests;
        let said = match kind {
            ServerRequest::Sampling => &requests.sampling,
            ServerRequest::Elicitation => &requests.elicitation,
            ServerRequest::Roots => &requests.roots,
        };
        said.0.as_ref().map_or(Effect::Ask, |sourced| sourced.value)
    }
}
