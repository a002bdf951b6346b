//! Whether a glob aims at listed names, judged by its text: for globs that match nothing yet, or whose matches only another
//! program will see.
use super::list::List;
use super::view::{Candidates, View};
use super::{Class, Match};
use crate::analyse::wildcard::{Wildcard, is_pattern};

/// The rule that one alternative aims at.
pub fn aimed(list: &List, view: &View) -> Option<Match> {
    let literal = |rule: &str| Match { class: Class::Credential, rule: rule.to_owned() };
    let found = |component: &str| component_aims(list, component);
    // A component of the way that is spelled out, or that is a pattern, can each be the sensitive one
    if let Some(rule) = view.relative().split('/').filter(|component| is_pattern(component)).find_map(found) {
        return Some(literal(&rule));
    }
    let names = Candidates::of(view.name(), list);
    list.credential(view, &names).filter(|_| !is_pattern(view.name()) || in_listed_directory(list, view)).map(literal)
}

/// Whether the directory part alone is listed, so that the pattern at the end does not matter (`.ssh/*`).
fn in_listed_directory(list: &List, view: &View) -> bool {
    let Some((above, _)) = view.relative().rsplit_once('/') else { return false };
    let above = View::plain(above);
    list.credential(&above, &Candidates::of(above.name(), list)).is_some()
}

fn component_aims(list: &List, component: &str) -> Option<String> {
    let pattern = Wildcard::new(component);
    let suffix = component.rsplit_once('.').map(|(_, suffix)| suffix).filter(|suffix| !is_pattern(suffix));
    if let Some(rule) = suffix.and_then(|suffix| list.suffix(suffix)) {
        return Some(rule.to_owned());
    }
    if let Some(bare) = Some(component.replace('*', "")).filter(|bare| !bare.is_empty() && !is_pattern(bare)) {
        let view = View::plain(&bare);
        if let Some(rule) = list.credential(&view, &Candidates::of(&bare, list)) {
            return Some(rule.to_owned());
        }
    }
    let reached = |name: &&String| pattern.opens_fixed() && pattern.spelled() >= least_spelled(name) && pattern.matches(name);
    list.aimed().iter().find(reached).cloned()
}

/// How much of a listed name a glob must spell before it is held to aim at it: `.e*` does, `s*` does not.
fn least_spelled(name: &str) -> usize {
    match name.chars().next() {
        Some('.') => 2,
        _ if name.starts_with("id_") => 3,
        _ => 4,
    }
}
