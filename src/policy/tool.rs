//! What is known of one tool, as the gate gets it: policy over server profile, field by field.
use super::keys::ToolEntry;
use super::roles::RoleRule;
use super::sourced::Sourced;
use super::words::{Effect, Shell};

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

impl ToolSettings {
    /// Puts what is said of every call of the tool in place of all that makes this one's verdict milder.
    pub(super) fn no_milder_than(&mut self, every_call: Self) {
        if self.read_only.as_ref().is_some_and(|said| said.value) {
            self.read_only = every_call.read_only;
        }
        if self.destructive.as_ref().is_some_and(|said| !said.value) {
            self.destructive = every_call.destructive;
        }
        if self.action.as_ref().is_some_and(|said| said.value == Effect::Allow) {
            (self.action, self.reason) = (every_call.action, every_call.reason);
        }
    }
}

impl ToolEntry {
    /// Adds what is said here wherever `settings`, which stand above, say nothing.
    pub(super) fn fill(&self, settings: &mut ToolSettings, shell: &mut Option<Shell>) {
        settings.read_only = settings.read_only.take().or_else(|| self.read_only.clone());
        settings.destructive = settings.destructive.take().or_else(|| self.destructive.clone());
        *shell = shell.or(self.shell.as_ref().map(|held| held.value));
        settings.roles.extend(self.roles.0.iter().cloned());
        self.act(settings);
    }

    /// Adds what is stricter here than what `settings` say, and nothing else.
    pub(super) fn restrict(&self, settings: &mut ToolSettings) {
        if let Some(read_only) = self.read_only.as_ref().filter(|said| !said.value) {
            settings.read_only = Some(read_only.clone());
        }
        if let Some(destructive) = self.destructive.as_ref().filter(|said| said.value) {
            settings.destructive = Some(destructive.clone());
        }
        if self.action.as_ref().is_some_and(|action| action.value != Effect::Allow) {
            self.act(settings);
        }
    }

    /// The strictest action counts, with its reason.
    fn act(&self, settings: &mut ToolSettings) {
        if let Some(action) = &self.action
            && settings.action.as_ref().is_none_or(|held| action.value > held.value)
        {
            settings.action = Some(action.clone());
            settings.reason.clone_from(&self.reason.0);
        }
    }
}
