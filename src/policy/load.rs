//! Policy texts to a policy: each is parsed, checked for its form, held against the rules for untrusted ones, and put over the others.
use std::sync::LazyLock;

use super::cell::Table;
use super::keys::{Settings, SettingsLayer};
use super::model::Policy;
use super::section::Section;
use super::sourced::BUILT_IN;
use super::text::{Lines, PolicyError, Text, Trust, document};
use super::untrusted::Check;
use super::{consistency, form};

/// The reference of all keys with what holds when nothing else is said: `policy show --default` prints it. Tests hold that it
/// describes every key and says what the declarations do.
pub const DEFAULT: &str = include_str!("../../policy/default.toml");

/// Makes the effective policy of the built-in one and `texts`, farthest first.
///
/// # Errors
/// Anything in a text that is not understood, and anything by which an untrusted text would loosen what the texts before it say.
pub fn load(texts: &[Text]) -> Result<Policy, PolicyError> {
    let mut policy = Policy::builtin();
    for text in texts {
        let lines = Lines::new(&text.name, &text.text);
        let layer = read(&lines, &text.text)?;
        if text.trust == Trust::Untrusted {
            let mut check = Check::new(&lines);
            Table::tighten(&in_force(&policy.settings, &layer), &layer, &mut check);
            check.end()?;
        } else if policy.has_untrusted() {
            policy.cover_trusted(read(&lines, &text.text)?);
        }
        policy.cover(layer, text.trust);
    }
    Ok(policy)
}

impl Policy {
    /// The policy that holds when nobody says anything, each value with its line in the reference.
    pub fn builtin() -> Self {
        static BUILTIN: LazyLock<Policy> = LazyLock::new(|| {
            let mut policy = Policy::declared();
            // INVARIANT: the reference is valid and says what is declared (tests hold both); were it not, the declarations would stand.
            if let Ok(layer) = read(&Lines::new(BUILT_IN, DEFAULT), DEFAULT) {
                policy.cover(layer, Trust::Trusted);
            }
            policy
        });
        BUILTIN.clone()
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::builtin()
    }
}

fn read(lines: &Lines<'_>, text: &str) -> Result<SettingsLayer, PolicyError> {
    let document = document(lines, text)?;
    let mut problems = Vec::new();
    form::check(&document, Settings::KEYS, lines, &mut problems);
    let section = Section::new(&document, lines);
    consistency::check(&section, lines, &mut problems);
    if !problems.is_empty() {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        return Err(PolicyError { problems });
    }
    Ok(<Settings as Table>::read(&section))
}

/// What stands, with the general level written out for each server that the layer names: a server that nothing is said of has it.
fn in_force(settings: &Settings, layer: &SettingsLayer) -> Settings {
    let mut settings = settings.clone();
    for (name, _) in &layer.servers {
        let server = settings.servers.entry(name.clone()).or_default();
        server.access.get_or_insert_with(|| settings.access.clone());
        server.trust_annotations.get_or_insert_with(|| settings.trust_annotations.clone());
    }
    settings
}
