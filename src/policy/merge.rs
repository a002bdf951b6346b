//! Layers to one policy: built-in, then the user's, then the project's. The strictest action stays, lists grow, other values go to the nearer text.
use std::time::Duration;

use super::denied::Denied;
use super::layer::{ApprovalLayer, AuditLayer, Layer, LimitsLayer, Placed, ServerLayer, ToolLayer};
use super::model::{Listed, Policy, Sourced};
use super::role::{Access, Effect};
use super::settings::{Approval, ArgumentRecord, AuditSettings, Limits, Require, Server};
use super::text::{PolicyError, Text, Trust};
use super::{read, tighten};

/// The reference of all keys and the policy that holds when nothing else is said; compiled in.
pub const DEFAULT: &str = include_str!("../../policy/default.toml");

/// The name that sources give for what is compiled in.
pub(super) const BUILT_IN: &str = "built-in";

/// Makes the effective policy of the built-in one and `texts`, farthest first.
///
/// # Errors
/// Anything in a text that is not understood, and anything by which an untrusted text would loosen what the texts before it say.
pub fn load(texts: &[Text]) -> Result<Policy, PolicyError> {
    let mut policy = Policy::builtin();
    for text in texts {
        let layer = read::layer(text)?;
        if layer.trust == Trust::Untrusted {
            tighten::check(&policy, &layer)?;
        }
        policy.merge(layer);
    }
    Ok(policy)
}

impl Policy {
    /// The policy that is compiled in (`policy/default.toml` alone).
    pub fn builtin() -> Self {
        let text = Text { name: BUILT_IN.to_owned(), text: DEFAULT.to_owned(), trust: Trust::Trusted };
        let mut policy = Self::strictest();
        // INVARIANT: the compiled-in text is valid (a test holds that); were it not, the strictest policy would stand.
        if let Ok(layer) = read::layer(&text) {
            policy.merge(layer);
        }
        policy
    }

    /// What holds before any text is read.
    fn strictest() -> Self {
        Self {
            access: built_in(Access::ReadOnly),
            trust_annotations: built_in(false),
            root: built_in("auto".to_owned()),
            allow: Listed::default(),
            deny: Listed::default(),
            denied: Denied::default(),
            run: Listed::default(),
            extra: Listed::default(),
            except: Listed::default(),
            approval: Approval {
                channels: built_in(Vec::new()),
                require: built_in(Require::Human),
                timeout: None,
                minimum_answer: built_in(Duration::ZERO),
                questions_per_minute: built_in(0),
                refusals_per_minute: built_in(0),
                program: None,
            },
            tools: std::collections::BTreeMap::new(),
            servers: std::collections::BTreeMap::new(),
            rules: Vec::new(),
            methods: std::collections::BTreeMap::new(),
            server_requests: std::collections::BTreeMap::new(),
            audit: AuditSettings { file: None, arguments: built_in(ArgumentRecord::Digest) },
            limits: Limits { message_bytes: built_in(1 << 20), depth: built_in(64), call_timeout: built_in(60) },
            identities: std::collections::BTreeMap::new(),
        }
    }

    fn merge(&mut self, layer: Layer<'_>) {
        self.merge_levels(&layer);
        put_some(&mut self.root, layer.paths.root);
        self.allow.take(layer.paths.allow);
        self.deny.take(layer.paths.deny);
        self.denied = Denied::new(&self.deny);
        self.run.take(layer.paths.run);
        self.extra.take(layer.sensitive.extra);
        self.except.take(layer.sensitive.except);
        self.approval.merge(layer.approval);
        self.merge_tools(layer.tools);
        for (name, server) in layer.servers {
            self.servers.entry(name).or_default().merge(server);
        }
        self.rules.extend(layer.rules.into_iter().map(|(rule, _)| rule));
        layer.methods.into_iter().for_each(|(name, action)| strictest(self.methods.entry(name), action));
        layer.server_requests.into_iter().for_each(|(kind, action)| strictest(self.server_requests.entry(kind), action));
        self.audit.merge(layer.audit);
        self.limits.merge(layer.limits);
    }

    /// A nearer level for all servers also tightens what was said of single ones before.
    fn merge_levels(&mut self, layer: &Layer<'_>) {
        if let Some(access) = &layer.access {
            self.access = access.clone().into();
            for server in self.servers.values_mut().filter(|_| access.value == Access::ReadOnly) {
                server.access = None;
            }
        }
        if let Some(trust) = &layer.trust_annotations {
            self.trust_annotations = trust.clone().into();
            for server in self.servers.values_mut().filter(|_| !trust.value) {
                server.trust_annotations = None;
            }
        }
    }

    fn merge_tools(&mut self, tools: Vec<(String, ToolLayer)>) {
        for (name, tool) in tools {
            let on_servers = self.servers.values_mut().filter_map(|server| server.tools.get_mut(&name));
            on_servers.for_each(|entry| entry.tighten(&tool));
            self.tools.entry(name).or_default().cover(tool);
        }
    }
}

impl Server {
    fn merge(&mut self, layer: ServerLayer) {
        // How a server is reached is one thing: a nearer text that says it says all of it.
        if layer.command.is_some() || layer.url.is_some() {
            (self.command, self.url, self.cwd) = (None, None, None);
            self.args.clear();
            self.env.clear();
        }
        put(&mut self.command, layer.command);
        put(&mut self.url, layer.url);
        put(&mut self.cwd, layer.cwd);
        put(&mut self.access, layer.access);
        put(&mut self.trust_annotations, layer.trust_annotations);
        put(&mut self.profile, layer.profile);
        put(&mut self.rewrite_relative, layer.rewrite_relative);
        self.args = layer.args.map_or_else(|| std::mem::take(&mut self.args), |placed| placed.value);
        self.env = layer.env.map_or_else(|| std::mem::take(&mut self.env), |placed| placed.value);
        layer.tools.into_iter().for_each(|(name, tool)| self.tools.entry(name).or_default().cover(tool));
    }
}

impl Approval {
    fn merge(&mut self, layer: ApprovalLayer) {
        put_some(&mut self.channels, layer.channels);
        put_some(&mut self.require, layer.require);
        put(&mut self.timeout, layer.timeout);
        put_some(&mut self.minimum_answer, layer.minimum_answer);
        put_some(&mut self.questions_per_minute, layer.questions_per_minute);
        put_some(&mut self.refusals_per_minute, layer.refusals_per_minute);
        put(&mut self.program, layer.program);
    }
}

impl AuditSettings {
    fn merge(&mut self, layer: AuditLayer) {
        put(&mut self.file, layer.file);
        put_some(&mut self.arguments, layer.arguments);
    }
}

impl Limits {
    fn merge(&mut self, layer: LimitsLayer) {
        put_some(&mut self.message_bytes, layer.message_bytes);
        put_some(&mut self.depth, layer.depth);
        put_some(&mut self.call_timeout, layer.call_timeout);
    }
}

impl Listed {
    fn take(&mut self, placed: Vec<Placed<String>>) {
        placed.into_iter().for_each(|placed| self.add(placed.value, placed.source));
    }
}

fn strictest<K: Ord>(place: std::collections::btree_map::Entry<'_, K, Sourced<Effect>>, action: Placed<Effect>) {
    let held = place.or_insert_with(|| Sourced { value: Effect::Allow, source: action.source.clone() });
    if action.value > held.value {
        *held = action.into();
    }
}

fn put<T>(place: &mut Option<Sourced<T>>, placed: Option<Placed<T>>) {
    if let Some(placed) = placed {
        *place = Some(placed.into());
    }
}

fn put_some<T>(place: &mut Sourced<T>, placed: Option<Placed<T>>) {
    if let Some(placed) = placed {
        *place = placed.into();
    }
}

fn built_in<T>(value: T) -> Sourced<T> {
    Sourced { value, source: BUILT_IN.to_owned() }
}
