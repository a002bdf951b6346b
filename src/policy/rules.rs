//! `[[rules]]`: which calls a rule is for, and what it says of them.
use serde_json::Value;

use crate::escape::visible;

use super::conditions::Fit;
use super::keys::Rule;
use super::name_glob::NameGlob;
use super::words::Effect;

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

impl Rule {
    /// What the rule says of a call, if it is for it. A rule that tightens also counts when a value can be read in more than one way.
    pub(super) fn hit(&self, server: &str, tool: &str, arguments: &Value, source: &str) -> Option<RuleHit> {
        let named = |glob: &Option<NameGlob>, name: &str| glob.as_ref().is_none_or(|glob| glob.matches(name));
        if !named(&self.server.0, server) || !named(&self.tool.0, tool) {
            return None;
        }
        let action = self.action.0?;
        let fit = self.when.0.as_ref().map_or(Fit::Yes, |when| when.fit(arguments));
        let least = if action == Effect::Allow { Fit::Yes } else { Fit::Perhaps };
        (fit >= least).then(|| RuleHit { action, reason: self.reason(), source: source.to_owned() })
    }

    fn reason(&self) -> String {
        self.reason.0.clone().unwrap_or_else(|| {
            let tool = self.tool.0.as_ref().map_or("*", NameGlob::text);
            match &self.server.0 {
                Some(server) => format!("a policy rule for tool `{}` of server `{}`", visible(tool), visible(server.text())),
                None => format!("a policy rule for tool `{}`", visible(tool)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::policy::cell::Bare;
    use crate::policy::conditions::{Conditions, Wanted};
    use crate::policy::keys::Rule;
    use crate::policy::name_glob::NameGlob;
    use crate::policy::{Effect, selector};

    fn rule(action: Effect, wanted: Wanted) -> Rule {
        let when = vec![(selector::parse("/owner").unwrap(), wanted)];
        let when = Bare(Some(Conditions(when)));
        Rule { tool: Bare(NameGlob::new("delete_*")), when, action: Bare(Some(action)), ..Rule::default() }
    }

    #[test]
    fn doubt_counts_for_a_rule_that_tightens_and_never_for_one_that_allows() {
        let text = || Wanted::Text(NameGlob::new("my-*").unwrap());
        let hit = |action, owner: serde_json::Value| rule(action, text()).hit("s", "delete_repo", &json!({"owner": owner}), "").is_some();
        for (owner, deny, allow) in [
            (json!("my-org"), true, true),
            (json!("other"), false, false),
            (json!(["my-org"]), true, false),
            (json!("m\u{fffd}"), true, false),
            (json!(null), false, false),
        ] {
            assert_eq!((hit(Effect::Deny, owner.clone()), hit(Effect::Allow, owner.clone())), (deny, allow), "{owner}");
        }
        assert!(rule(Effect::Deny, text()).hit("s", "delete_repo", &json!({}), "").is_none());
        for (arguments, deny, allow) in [
            (json!({"Owner": "my-org"}), true, false),
            (json!({"OWNER": ["my-org"]}), true, false),
            (json!({"owner": "my-org", "Owner": "other"}), true, false),
            (json!({"owner": "other", "Owner": "my-org"}), true, false),
            (json!({"Owner": "other"}), false, false),
            (json!({"owners": "my-org"}), false, false),
        ] {
            let hit = |action| rule(action, text()).hit("s", "delete_repo", &arguments, "").is_some();
            assert_eq!((hit(Effect::Deny), hit(Effect::Allow)), (deny, allow), "{arguments}");
        }
        assert!(rule(Effect::Deny, text()).hit("s", "Delete_repo", &json!({"owner": "my-org"}), "").is_none());
    }

    #[test]
    fn numbers_and_flags_are_compared_by_value() {
        let hit = |wanted, owner: serde_json::Value| rule(Effect::Ask, wanted).hit("s", "delete_x", &json!({"owner": owner}), "").is_some();
        assert!(hit(Wanted::Number(1.into()), json!(1)));
        assert!(hit(Wanted::Number(1.into()), json!(1.0)));
        assert!(hit(Wanted::Number(1.into()), json!("1")));
        assert!(!hit(Wanted::Number(1.into()), json!(2)));
        assert!(hit(Wanted::Flag(true), json!(true)));
        assert!(hit(Wanted::Flag(true), json!("True")));
        assert!(!hit(Wanted::Flag(true), json!(false)));
    }
}
