//! Whether the session's access level permits a tool.
use serde_json::Value;

use crate::policy::{Access, ToolSettings};

use crate::analyse::Hints;

/// What is known of a tool's capability, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Whether it only reads; `None` is not known, which fails closed.
    pub read_only: Option<bool>,
    /// Whether it may destroy.
    pub destructive: Option<bool>,
    /// Where `read_only` comes from, in words.
    pub source: String,
    /// Whether it rests on the server's own word.
    pub claimed: bool,
}

/// Merges policy or profile settings with the server's hints, field by field; the hints count only if they are trusted.
pub fn capability(settings: &ToolSettings, hints: Option<&Hints>, trusted: bool) -> Capability {
    let hints = hints.filter(|_| trusted).copied().unwrap_or_default();
    let claimed = settings.read_only.is_none() && hints.read_only.is_some();
    let read_only = settings.read_only.as_ref().map(|set| set.value).or(hints.read_only);
    // MCP 2025-06-18, server/tools: destructiveHint means something only when readOnlyHint is false. A destructive flag that the
    // user or a profile sets is no hint and always counts.
    let hinted = if hints.read_only == Some(true) { None } else { hints.destructive };
    let destructive = match (&settings.destructive, &settings.read_only) {
        (Some(set), _) => Some(set.value),
        (None, Some(set)) if set.value => None,
        _ => hinted,
    };
    Capability { read_only, destructive, source: source(settings, claimed), claimed }
}

fn source(settings: &ToolSettings, claimed: bool) -> String {
    match (&settings.read_only, claimed) {
        (Some(set), _) => set.source.clone(),
        (None, true) => "the server's own annotation".to_owned(),
        (None, false) => "nothing".to_owned(),
    }
}

/// Why `access` does not permit a tool of this capability; `None` if it does.
pub fn objection(access: Access, capability: &Capability) -> Option<String> {
    match (access, capability.read_only, capability.destructive) {
        (Access::Full, _, _) | (Access::ReadOnly, Some(true), None | Some(false)) => None,
        (Access::ReadOnly, Some(true), Some(true)) => Some("is marked destructive".to_owned()),
        (Access::ReadOnly, Some(false), _) => Some(format!("is not read-only (says {})", capability.source)),
        (Access::ReadOnly, None, _) => Some("is not known to be read-only".to_owned()),
    }
}

/// Whether the tool is known to destroy, so that allowing it is worth a moment's thought. A server's word that its tool destroys counts
/// also where its other words do not: a hint may raise the care that is taken, never lower it.
pub fn known_to_destroy(settings: &ToolSettings, hints: Option<&Hints>, trusted: bool) -> bool {
    let claimed = !trusted && settings.destructive.is_none() && hints.is_some_and(|hints| hints.destructive == Some(true));
    claimed || capability(settings, hints, trusted).destructive == Some(true)
}

/// Arguments by which a model says that a person agreed; it fills them in itself, so they are no consent.
const CONSENT: [&str; 8] =
    ["confirm", "confirmed", "confirmation", "user_confirmed", "userconfirmed", "approved", "user_approved", "acknowledged"];
/// Words for what cannot be taken back.
const DESTROYS: [&str; 12] =
    ["delete", "remove", "destroy", "drop", "purge", "wipe", "erase", "truncate", "reset", "terminate", "revoke", "uninstall"];
/// Arguments that choose what a merged tool does.
const CHOOSES: [&str; 6] = ["action", "operation", "op", "method", "verb", "subcommand"];

/// The argument with which a call that destroys something gives itself the consent that only a person can give.
pub fn own_consent<'a>(tool: &str, arguments: &'a Value, capability: &Capability) -> Option<&'a str> {
    let arguments = arguments.as_object()?;
    let chosen = arguments.iter().filter(|(name, _)| CHOOSES.contains(&name.to_ascii_lowercase().as_str()));
    let mut words = std::iter::once(tool).chain(chosen.filter_map(|(_, value)| value.as_str()));
    let destroys = capability.destructive == Some(true) || words.any(|text| words_of(text).any(|word| DESTROYS.contains(&word.as_str())));
    let given = |(name, value): &(&String, &Value)| CONSENT.contains(&name.to_ascii_lowercase().as_str()) && is_yes(value);
    arguments.iter().find(given).map(|(name, _)| name.as_str()).filter(|_| destroys)
}

fn is_yes(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => !matches!(text.to_ascii_lowercase().as_str(), "" | "no" | "false" | "0"),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// `deleteFile`, `delete_file` and `delete-file` all begin with `delete`.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let spaced = text.chars().flat_map(|character| [character.is_uppercase().then_some(' '), Some(character)]).flatten();
    let spaced: String = spaced.collect();
    let words: Vec<String> = spaced.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase).collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Sourced;

    fn hints(read_only: Option<bool>, destructive: Option<bool>) -> Hints {
        Hints { read_only, destructive, ..Hints::default() }
    }

    fn permitted(settings: &ToolSettings, hints: &Hints, trusted: bool) -> bool {
        objection(Access::ReadOnly, &capability(settings, Some(hints), trusted)).is_none()
    }

    #[test]
    fn hints_count_only_when_trusted_and_absence_fails_closed() {
        let none = ToolSettings::default();
        assert!(permitted(&none, &hints(Some(true), None), true));
        assert!(permitted(&none, &hints(Some(true), Some(true)), true), "read-only makes the destructive hint void");
        assert!(!permitted(&none, &hints(Some(true), None), false));
        assert!(!permitted(&none, &hints(None, Some(false)), true));
        assert!(!permitted(&none, &hints(Some(false), Some(false)), true));
    }

    #[test]
    fn a_model_cannot_consent_for_a_person() {
        let none = capability(&ToolSettings::default(), None, true);
        let asks = |tool: &str, arguments: Value| own_consent(tool, &arguments, &none).is_some();
        assert!(asks("project", serde_json::json!({ "action": "delete", "confirm": true })));
        assert!(asks("storageDelete", serde_json::json!({ "confirm": "yes" })));
        assert!(!asks("project", serde_json::json!({ "action": "delete", "confirm": false })));
        assert!(!asks("project", serde_json::json!({ "action": "list", "confirm": true })));
    }

    #[test]
    fn a_server_can_say_that_its_tool_destroys_and_only_a_trusted_one_that_it_does_not() {
        let none = ToolSettings::default();
        let knows = |read_only, destructive, trusted| known_to_destroy(&none, Some(&hints(read_only, destructive)), trusted);
        assert!(knows(None, Some(true), true) && knows(None, Some(true), false) && knows(Some(true), Some(true), false));
        assert!(!knows(Some(true), Some(true), true) && !knows(None, None, true) && !knows(None, Some(false), false));
        let spared = ToolSettings { destructive: Some(Sourced { value: false, source: "policy".to_owned() }), ..none };
        assert!(!known_to_destroy(&spared, Some(&hints(None, Some(true))), false), "the user's word counts");
    }

    #[test]
    fn settings_win_field_by_field() {
        let set = |value| Some(Sourced { value, source: "policy".to_owned() });
        let read = ToolSettings { read_only: set(true), ..ToolSettings::default() };
        assert!(permitted(&read, &hints(Some(false), Some(true)), true));
        let destroys = ToolSettings { destructive: set(true), ..ToolSettings::default() };
        assert!(!permitted(&destroys, &hints(Some(true), None), true));
    }
}
