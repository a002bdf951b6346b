//! `[[rules]]`: which calls a rule is for, and what it says of them.
use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::model::{RuleHit, Selector};
use super::role::Effect;
use super::selector;
use crate::escape::visible;

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub server: Option<NameGlob>,
    pub tool: Option<NameGlob>,
    pub when: Vec<(Selector, Wanted)>,
    pub action: Effect,
    pub reason: Option<String>,
    pub source: String,
}

/// A name, byte for byte, or a glob over names in which `*` crosses every character.
#[derive(Debug, Clone)]
pub(super) enum NameGlob {
    Exact(String),
    Glob(GlobMatcher),
}

/// The value an argument must have.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    Text(NameGlob),
    Number(serde_json::Number),
    Flag(bool),
}

/// How well a value fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// Not the same here, but perhaps to a server that reads it more loosely.
    Perhaps,
    Yes,
}

impl Rule {
    /// What the rule says of a call, if it is for it. A rule that tightens also counts when a value can be read in more than one way.
    pub(super) fn hit(&self, server: &str, tool: &str, arguments: &Value) -> Option<RuleHit> {
        let named = |glob: &Option<NameGlob>, name: &str| glob.as_ref().is_none_or(|glob| glob.matches(name));
        if !named(&self.server, server) || !named(&self.tool, tool) {
            return None;
        }
        let fit =
            self.when.iter().map(|(selector, wanted)| wanted.fit_of(&selector::values(selector, arguments))).min().unwrap_or(Fit::Yes);
        let least = if self.action == Effect::Allow { Fit::Yes } else { Fit::Perhaps };
        (fit >= least).then(|| RuleHit { action: self.action, reason: self.reason(), source: self.source.clone() })
    }

    fn reason(&self) -> String {
        self.reason.clone().unwrap_or_else(|| {
            let tool = self.tool.as_ref().map_or("*", NameGlob::text);
            match &self.server {
                Some(server) => format!("a policy rule for tool `{}` of server `{}`", visible(tool), visible(server.text())),
                None => format!("a policy rule for tool `{}`", visible(tool)),
            }
        })
    }
}

impl NameGlob {
    /// Nothing if `text` is not a glob.
    pub(super) fn new(text: &str) -> Option<Self> {
        if !text.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Some(Self::Exact(text.to_owned()));
        }
        GlobBuilder::new(text).backslash_escape(true).build().ok().map(|glob| Self::Glob(glob.compile_matcher()))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(text) => text == name,
            Self::Glob(glob) => glob.is_match(name),
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Exact(text) => text,
            Self::Glob(glob) => glob.glob().glob(),
        }
    }
}

impl Wanted {
    /// The best fit of the values that the pointer names; an absent argument never fits.
    fn fit_of(&self, values: &[&Value]) -> Fit {
        values.iter().map(|value| self.fit(value)).max().unwrap_or(Fit::No)
    }

    fn fit(&self, value: &Value) -> Fit {
        match (self, value) {
            (_, Value::Null) => Fit::No,
            (Self::Text(glob), Value::String(text)) => Self::text_fit(glob, text),
            (Self::Number(wanted), Value::Number(number)) => number_fit(wanted, number),
            (Self::Flag(wanted), Value::Bool(flag)) => yes(wanted == flag),
            // A server may unwrap lists and objects in a way that is not known here.
            (_, Value::Array(_) | Value::Object(_)) => Fit::Perhaps,
            (_, scalar) => self.loose_fit(scalar),
        }
    }

    /// A lossily decoded text (`U+FFFD` stands where the sender wrote half a surrogate pair) may be anything to the server.
    fn text_fit(glob: &NameGlob, text: &str) -> Fit {
        match glob.matches(text) {
            true => Fit::Yes,
            false if text.contains('\u{fffd}') => Fit::Perhaps,
            false => Fit::No,
        }
    }

    /// Servers in loosely typed languages take `"1"` for `1` and `"true"` for `true`.
    fn loose_fit(&self, value: &Value) -> Fit {
        let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase());
        let same = match self {
            Self::Text(glob) => glob.matches(&text),
            Self::Number(number) => text.parse::<f64>().ok() == number.as_f64(),
            Self::Flag(flag) => text == flag.to_string() || text == u8::from(*flag).to_string(),
        };
        if same { Fit::Perhaps } else { Fit::No }
    }
}

/// Exact when both are whole; a number that only a float holds may be rounded differently by the server.
fn number_fit(wanted: &serde_json::Number, number: &serde_json::Number) -> Fit {
    if wanted == number {
        return Fit::Yes;
    }
    match (wanted.as_f64(), number.as_f64()) {
        (Some(wanted), Some(number)) if wanted == number => Fit::Perhaps,
        _ => Fit::No,
    }
}

fn yes(same: bool) -> Fit {
    if same { Fit::Yes } else { Fit::No }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NameGlob, Rule, Wanted};
    use crate::policy::{Effect, selector};

    fn rule(action: Effect, wanted: Wanted) -> Rule {
        let when = vec![(selector::parse("/owner").unwrap(), wanted)];
        Rule { server: None, tool: NameGlob::new("delete_*"), when, action, reason: None, source: String::new() }
    }

    #[test]
    fn doubt_counts_for_a_rule_that_tightens_and_never_for_one_that_allows() {
        let text = || Wanted::Text(NameGlob::new("my-*").unwrap());
        let hit = |action, owner: serde_json::Value| rule(action, text()).hit("s", "delete_repo", &json!({"owner": owner})).is_some();
        for (owner, deny, allow) in [
            (json!("my-org"), true, true),
            (json!("other"), false, false),
            (json!(["my-org"]), true, false),
            (json!("m\u{fffd}"), true, false),
            (json!(null), false, false),
        ] {
            assert_eq!((hit(Effect::Deny, owner.clone()), hit(Effect::Allow, owner.clone())), (deny, allow), "{owner}");
        }
        assert!(rule(Effect::Deny, text()).hit("s", "delete_repo", &json!({})).is_none());
        assert!(rule(Effect::Deny, text()).hit("s", "Delete_repo", &json!({"owner": "my-org"})).is_none());
    }

    #[test]
    fn numbers_and_flags_are_compared_by_value() {
        let hit = |wanted, owner: serde_json::Value| rule(Effect::Ask, wanted).hit("s", "delete_x", &json!({"owner": owner})).is_some();
        assert!(hit(Wanted::Number(1.into()), json!(1)));
        assert!(hit(Wanted::Number(1.into()), json!(1.0)));
        assert!(hit(Wanted::Number(1.into()), json!("1")));
        assert!(!hit(Wanted::Number(1.into()), json!(2)));
        assert!(hit(Wanted::Flag(true), json!(true)));
        assert!(hit(Wanted::Flag(true), json!("True")));
        assert!(!hit(Wanted::Flag(true), json!(false)));
    }
}
