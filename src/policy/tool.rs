//! What is known of one tool, merged over texts, and the view of it that the gate gets.
use super::layer::{Placed, ToolLayer};
use super::model::{RoleRule, Sourced, ToolSettings};
use super::role::{Effect, Shell};

/// What policy texts, or one server profile, say of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolEntry {
    pub read_only: Option<Sourced<bool>>,
    pub destructive: Option<Sourced<bool>>,
    pub shell: Option<Sourced<Shell>>,
    pub roles: Vec<RoleRule>,
    pub action: Option<Sourced<Effect>>,
    pub reason: Option<String>,
}

impl<T> From<Placed<T>> for Sourced<T> {
    fn from(placed: Placed<T>) -> Self {
        Self { value: placed.value, source: placed.source }
    }
}

impl ToolEntry {
    /// The entry of one text alone, with `source` in place of its lines.
    pub(super) fn from_layer(layer: ToolLayer, source: &str) -> Self {
        let mut entry = Self::default();
        entry.cover(layer);
        let sourced = |place: &mut String| source.clone_into(place);
        entry.read_only.iter_mut().for_each(|held| sourced(&mut held.source));
        entry.destructive.iter_mut().for_each(|held| sourced(&mut held.source));
        entry.shell.iter_mut().for_each(|held| sourced(&mut held.source));
        entry.action.iter_mut().for_each(|held| sourced(&mut held.source));
        entry.roles.iter_mut().for_each(|rule| sourced(&mut rule.source));
        entry
    }

    /// Puts what a nearer text says over what is here: fields replace, roles come first, the stricter action stays.
    pub(super) fn cover(&mut self, layer: ToolLayer) {
        put(&mut self.read_only, layer.read_only);
        put(&mut self.destructive, layer.destructive);
        put(&mut self.shell, layer.shell);
        let roles = layer.roles.into_iter().map(|(selector, role)| RoleRule { selector: selector.value, role, source: selector.source });
        self.roles.splice(0..0, roles);
        if let Some(action) = layer.action
            && self.action.as_ref().is_none_or(|held| action.value >= held.value)
        {
            self.action = Some(action.into());
            self.reason = layer.reason;
        }
    }

    /// Lets a nearer text's word for the tool on any server tighten what an earlier one says of it on this server.
    pub(super) fn tighten(&mut self, layer: &ToolLayer) {
        if let Some(read_only) = layer.read_only.as_ref().filter(|placed| !placed.value) {
            self.read_only = Some(read_only.clone().into());
        }
        if let Some(destructive) = layer.destructive.as_ref().filter(|placed| placed.value) {
            self.destructive = Some(destructive.clone().into());
        }
    }

    /// Adds what is said here wherever `settings`, which stand above, say nothing.
    pub(super) fn fill(&self, settings: &mut ToolSettings, shell: &mut Option<Shell>) {
        settings.read_only = settings.read_only.take().or_else(|| self.read_only.clone());
        settings.destructive = settings.destructive.take().or_else(|| self.destructive.clone());
        *shell = shell.or(self.shell.as_ref().map(|held| held.value));
        settings.roles.extend(self.roles.iter().cloned());
        if let Some(action) = &self.action
            && settings.action.as_ref().is_none_or(|held| action.value > held.value)
        {
            settings.action = Some(action.clone());
            settings.reason.clone_from(&self.reason);
        }
    }
}

fn put<T>(place: &mut Option<Sourced<T>>, placed: Option<Placed<T>>) {
    if let Some(placed) = placed {
        *place = Some(placed.into());
    }
}
