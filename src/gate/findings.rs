//! Facts to findings, and findings to an effect: the strictest wins, the order of anything never matters.
use std::path::Path;

use crate::analyse::{Discovered, Form, Mention, Unparsed};
use crate::policy::{Access, Direction, Effect, ToolSettings};
use crate::wire::Call;

use super::access::{capability, objection, own_consent};
use super::address::url_is_private;
use super::contain;
use super::facts::Facts;
use super::finding::{Finding, Kind};
use super::gathered::Gathered;
use super::grant::{Grant, answer};
use super::key::Key;
use super::located::{Located, Outcome, Place};
use super::pin_status::PinStatus;
use super::sensitive::{Class, Match};

/// The facts, and the call that they are held against.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallFacts<'a> {
    /// What is known besides the call.
    pub facts: &'a Facts<'a>,
    pub call: &'a Call,
    /// Digest of tool and arguments: the key of what has no place of its own.
    pub digest: &'a str,
    /// What policy and profile say of the tool, for these arguments.
    pub settings: &'a ToolSettings,
}

/// All findings of a call, one per kind and key, strictest and surest first within a key.
pub(super) fn findings(judged: CallFacts<'_>, discovered: &Discovered, located: &[Located]) -> Vec<Finding> {
    let mut all = Gathered::default();
    pin_status(judged, &mut all);
    access(judged, discovered, located, &mut all);
    rules(judged, &mut all);
    for unparsed in &discovered.unparsed {
        all.add(unparsed_finding(unparsed, judged));
    }
    for one in located {
        mention(judged, one, &mut all);
    }
    all.into_findings()
}

/// The strictest action among findings that no grant answers.
pub(super) fn strictest(findings: &[Finding], granted: &[&Grant]) -> Effect {
    let open = findings.iter().filter(|finding| finding.action == Effect::Deny || !answer(granted, finding));
    open.map(|finding| finding.action).max().unwrap_or(Effect::Allow)
}

fn whole_call(judged: CallFacts<'_>, kind: Kind, action: Effect, because: String) -> Finding {
    Finding::without_place(kind, action, Key::Call(judged.digest.to_owned()), because)
}

fn pin_status(judged: CallFacts<'_>, all: &mut Gathered) {
    let facts = judged.facts;
    if *facts.pin_status == PinStatus::Unknown {
        all.add(whole_call(judged, Kind::UnknownTool, Effect::Deny, "the server lists no tool of exactly this name".to_owned()));
    }
    if let Some((digest, because)) = facts.pin_status.to_accept() {
        let key = Key::Call(format!("definition {digest}"));
        all.add(Finding { key, ..whole_call(judged, Kind::Definition, Effect::Ask, because) });
    }
}

fn access(judged: CallFacts<'_>, discovered: &Discovered, located: &[Located], all: &mut Gathered) {
    let CallFacts { facts, call, settings, .. } = judged;
    let trusted = facts.policy.trusts_annotations(facts.server);
    let capability = capability(settings, facts.definition.map(|definition| &definition.hints), trusted);
    if let Some(argument) = own_consent(call.tool(), call.arguments(), &capability) {
        let because = "the call destroys something and says by itself that this was confirmed; only a person can confirm it".to_owned();
        let argument = format!("/{argument}");
        all.add(Finding { argument, ..whole_call(judged, Kind::Access, Effect::Ask, because) });
    }
    if facts.access == Access::Full {
        return;
    }
    if let Some(why) = objection(facts.access, &capability).filter(|_| *facts.pin_status != PinStatus::NotATool) {
        let because = format!("access is read_only and the tool {why}; `[tools.\"NAME\"] read_only = true` in the policy lifts it");
        all.add(whole_call(judged, Kind::Access, Effect::Deny, because));
    }
    for write in &discovered.writes {
        all.add(contradiction(judged, &write.argument, &write.raw, &write.why));
    }
    for one in located.iter().filter(|one| writes(one)) {
        all.add(contradiction(judged, &one.mention.argument, &one.mention.raw, &one.mention.because));
    }
}

fn writes(one: &Located) -> bool {
    one.mention.direction == Direction::Write && matches!(&one.outcome, Outcome::Places(places) if !places.is_empty())
}

fn contradiction(judged: CallFacts<'_>, argument: &str, raw: &str, why: &str) -> Finding {
    let because = format!("access is read_only and the arguments would change something: {why}");
    Finding { argument: argument.to_owned(), raw: raw.to_owned(), ..whole_call(judged, Kind::Access, Effect::Deny, because) }
}

fn rules(judged: CallFacts<'_>, all: &mut Gathered) {
    let CallFacts { facts, call, settings, .. } = judged;
    rules_for(judged, call.tool(), settings, all);
    if let Some(tool) = call.claimed_tool() {
        rules_for(judged, &tool, &facts.policy.tool_for(facts.server, &tool, call.arguments()), all);
    }
    if let Some(set) = facts.policy.method_action(call.method()).filter(|set| set.value != Effect::Allow) {
        all.add(whole_call(judged, Kind::Rule, set.value, format!("the policy says `{}` for this method ({})", set.value, set.source)));
    }
}

fn rules_for(judged: CallFacts<'_>, tool: &str, settings: &ToolSettings, all: &mut Gathered) {
    let CallFacts { facts, call, digest, .. } = judged;
    if let Some(set) = settings.action.as_ref().filter(|set| set.value != Effect::Allow) {
        let reason = settings.reason.as_ref().map_or_else(String::new, |reason| format!("{reason}; "));
        let because = format!("{reason}the policy says `{}` for this tool ({})", set.value, set.source);
        all.add(whole_call(judged, Kind::Rule, set.value, because));
    }
    for hit in facts.policy.rules(facts.server, tool, call.arguments()) {
        if hit.action != Effect::Allow {
            let key = Key::Call(format!("{} {}", hit.source, digest));
            let because = format!("{} ({})", hit.reason, hit.source);
            all.add(Finding { key, ..whole_call(judged, Kind::Rule, hit.action, because) });
        }
    }
}

fn unparsed_finding(unparsed: &Unparsed, judged: CallFacts<'_>) -> Finding {
    Finding {
        argument: unparsed.argument.clone(),
        raw: unparsed.raw.clone(),
        ..whole_call(judged, Kind::Unparsed, Effect::Ask, unparsed.why.clone())
    }
}

fn mention(judged: CallFacts<'_>, one: &Located, all: &mut Gathered) {
    let mention = &one.mention;
    match (&mention.form, &one.outcome) {
        (_, Outcome::Void) => {}
        (_, Outcome::Unresolved(why)) => all.add(unresolved(judged, mention, why)),
        (Form::Url(url), _) => url_mention(judged, mention, url, all),
        (_, Outcome::Places(places)) => {
            for place in places {
                placed(judged.facts, mention, place, all);
            }
        }
    }
    for (path, hit) in judged.facts.sensitive.of_located(one, judged.facts.surroundings) {
        let key = Key::File(path.clone().unwrap_or_else(|| named(&mention.form).into()));
        all.add(sensitive(mention, key, path.as_deref(), &hit));
    }
}

/// The text by which a mention without a place is asked about.
fn named(form: &Form) -> &str {
    let (Form::Path(text) | Form::Glob(text) | Form::NameOnly(text) | Form::Url(text) | Form::Unless { path: text, .. }) = form;
    text
}

fn unresolved(judged: CallFacts<'_>, mention: &Mention, why: &str) -> Finding {
    let unparsed = Unparsed {
        argument: mention.argument.clone(),
        raw: mention.raw.clone(),
        why: format!("the path cannot be resolved: {why} ({})", mention.because),
    };
    Finding { confidence: mention.confidence, direction: mention.direction, ..unparsed_finding(&unparsed, judged) }
}

fn url_mention(judged: CallFacts<'_>, mention: &Mention, url: &str, all: &mut Gathered) {
    if let Some(why) = url_is_private(url) {
        let because = format!("the URL names {why} ({})", mention.because);
        let whole = whole_call(judged, Kind::PrivateAddress, Effect::Ask, because);
        let (argument, raw) = (mention.argument.clone(), mention.raw.clone());
        all.add(Finding { key: Key::Call(url.to_owned()), argument, raw, confidence: mention.confidence, ..whole });
    }
}

fn placed(facts: &Facts<'_>, mention: &Mention, place: &Place, all: &mut Gathered) {
    let here = facts.surroundings;
    if contain::is_free_device(&place.spelled) {
        return;
    }
    if !contain::is_permitted(&place.path, here) && !runs_freely(facts, mention, place) {
        all.add(outside(facts, mention, place));
    } else if place.reaches_elsewhere && !contain::is_listed_file(&place.path, &here.allowed_files, here.folds_case, here.platform) {
        let because = format!("{}, whose file has another name, a hard link, that was not found inside", mention.because);
        all.add(Finding { because, ..of_mention(mention, Key::File(place.path.clone()), Some(&place.path)) });
    }
    if let Some(rule) = facts.policy.denies_path(&place.path, &place.spelled, &here.root) {
        let because = format!("the policy refuses this path ({rule})");
        let key = Key::File(place.path.clone());
        all.add(Finding { kind: Kind::Rule, action: Effect::Deny, because, ..of_mention(mention, key, Some(&place.path)) });
    }
}

/// Running a program from the system's program directories touches nothing of the user's.
fn runs_freely(facts: &Facts<'_>, mention: &Mention, place: &Place) -> bool {
    let free = |path: &Path| facts.policy.run_directories().iter().any(|directory| path.starts_with(directory));
    mention.runs && (free(&place.path) || free(&place.spelled))
}

fn of_mention(mention: &Mention, key: Key, path: Option<&Path>) -> Finding {
    Finding {
        kind: Kind::Outside,
        action: Effect::Ask,
        key,
        path: path.map(Path::to_path_buf),
        covered: path.map(Path::to_path_buf).into_iter().collect(),
        direction: mention.direction,
        argument: mention.argument.clone(),
        raw: mention.raw.clone(),
        confidence: mention.confidence,
        because: mention.because.clone(),
    }
}

fn outside(facts: &Facts<'_>, mention: &Mention, place: &Place) -> Finding {
    let key = contain::key(place, facts.surroundings);
    let link = if place.through_link { ", through a link" } else { "" };
    let because = format!("{}{link}", mention.because);
    Finding { because, ..of_mention(mention, key, Some(&place.path)) }
}

fn sensitive(mention: &Mention, key: Key, path: Option<&Path>, hit: &Match) -> Finding {
    let what = match hit.class {
        Class::Credential => "a file that holds credentials",
        Class::Control => "a file that decides what runs later, and it would be written",
    };
    let because = format!("{what} (`{}`): {}", hit.rule, mention.because);
    Finding { kind: Kind::Sensitive, because, ..of_mention(mention, key, path) }
}
