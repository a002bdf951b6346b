//! The role of one string, from the strongest source that has a say.
use std::rc::Rc;

use crate::analyse::Confidence;
use crate::policy::{Direction, Role, RoleRule, Selector};

use super::DiscoveryInput;
use super::by_role::is_file_name;
use super::leaf::{Step, Tree};
use super::names::{Hint, hint};
use super::schema;
use super::tool::Tool;

/// A role with its source.
#[derive(Debug, Clone)]
pub struct RoleReading {
    /// How the string is treated.
    pub hint: Hint,
    /// Where that comes from, in words.
    pub source: Rc<str>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The direction, where the source says one.
    pub direction: Option<Direction>,
    /// Whether what is declared is not to be searched at all.
    pub sealed: bool,
}

impl RoleReading {
    fn guess(hint: Hint, source: &'static str) -> Self {
        Self { hint, source: Rc::from(source), confidence: Confidence::Guess, direction: None, sealed: false }
    }

    fn declared(hint: Hint, source: Rc<str>) -> Self {
        Self { hint, source, confidence: Confidence::Declared, direction: None, sealed: false }
    }
}

/// The role of the value at `index` of `tree`; `outer` is the role of the text that the tree was found in, if any.
pub fn reading(input: &DiscoveryInput<'_>, tool: &Tool, tree: &Tree<'_>, index: usize, outer: Option<&str>) -> RoleReading {
    let steps = tree.steps(index);
    if outer.is_none()
        && let Some(declared) = from_rules(&input.settings.roles, &steps).or_else(|| from_tool(input, &steps))
    {
        return declared;
    }
    let by_name = from_names(tool, tree, index, outer);
    match schema::hint(input.definition, &steps) {
        Some((by_schema, confidence)) if schema::wins(by_schema, by_name.hint) => {
            RoleReading { confidence, ..RoleReading::guess(by_schema, "input schema") }
        }
        _ => by_name,
    }
}

fn from_rules(rules: &[RoleRule], steps: &[Step<'_>]) -> Option<RoleReading> {
    let exact = rules.iter().find(|rule| covers(&rule.selector, steps, false));
    let rule = exact.or_else(|| rules.iter().find(|rule| !lowers(rule.role) && covers(&rule.selector, steps, true)))?;
    let (hint, direction) = match rule.role {
        Role::Path => (Hint::Path, None),
        Role::WritePath => (Hint::Path, Some(Direction::Write)),
        Role::Command => (Hint::Command, None),
        Role::Pattern => (Hint::Pattern, None),
        Role::Url => (Hint::Url, None),
        Role::Content | Role::Plain => (Hint::Content, None),
        Role::Code => (Hint::Code, None),
        Role::Sql => (Hint::Sql, None),
    };
    Some(RoleReading { direction, sealed: lowers(rule.role), ..RoleReading::declared(hint, Rc::from(rule.source.as_str())) })
}

/// A role that takes suspicion away counts only for the exact name.
const fn lowers(role: Role) -> bool {
    matches!(role, Role::Content | Role::Plain)
}

fn from_tool(input: &DiscoveryInput<'_>, steps: &[Step<'_>]) -> Option<RoleReading> {
    let listed = &input.definition?.checkpaths;
    let names_it = |fold: bool| listed.iter().any(|item| covers(&selector(item), steps, fold));
    (names_it(false) || names_it(true)).then(|| RoleReading::declared(Hint::Path, Rc::from("the tool's `checkpaths`")))
}

fn selector(text: &str) -> Selector {
    match text.strip_prefix('/') {
        Some(pointer) => Selector::Pointer(pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect()),
        None => Selector::Name(text.to_owned()),
    }
}

/// Whether the selector names the value at `steps` or something it lies in.
fn covers(selector: &Selector, steps: &[Step<'_>], fold: bool) -> bool {
    let fits = |token: &str, step: &Step<'_>| match step {
        Step::Top => false,
        Step::Key(key) if fold => key.to_lowercase() == token.to_lowercase(),
        Step::Key(key) => token == "*" || *key == token,
        Step::Index(at) => token == "*" || token.parse() == Ok(*at),
    };
    match selector {
        Selector::Name(name) => steps.first().is_some_and(|step| fits(name, step)),
        Selector::Pointer(tokens) => tokens.len() <= steps.len() && tokens.iter().zip(steps).all(|(token, step)| fits(token, step)),
    }
}

/// In a map of environment variables the keys say nothing of arguments.
fn is_variable(tool: &Tool, tree: &Tree<'_>, index: usize) -> bool {
    let node = tree.node(index);
    matches!((node.step, tree.node(node.parent).step), (Step::Key(_), Step::Key(holder)) if hint(holder, tool) == Hint::Environment)
}

/// In a map of files the keys are paths and the values are bodies.
fn is_body_of_file(tool: &Tool, tree: &Tree<'_>, index: usize) -> bool {
    let node = tree.node(index);
    let Step::Key(key) = node.step else { return false };
    let holder = tree.node(node.parent);
    is_file_name(key) && matches!(holder.step, Step::Key(name) if hint(name, tool) == Hint::Path)
}

/// The nearest name; one that says nothing by itself takes what the name above it says.
fn from_names(tool: &Tool, tree: &Tree<'_>, index: usize, outer: Option<&str>) -> RoleReading {
    let mut at = index;
    if is_body_of_file(tool, tree, index) {
        return RoleReading::guess(Hint::Content, "the file name it stands under");
    }
    if is_variable(tool, tree, index) {
        return RoleReading::guess(Hint::Environment, "the environment it stands in");
    }
    for _ in 0..4 {
        let (name, node) = match tree.name(at) {
            Some((name, node)) => (name, Some(node)),
            None => (outer.unwrap_or_default(), None),
        };
        let found = hint(name, tool);
        match (found, node) {
            (Hint::Neutral, Some(node)) => at = tree.node(node).parent,
            (Hint::Neutral, None) => break,
            (Hint::Unknown, _) => break,
            (found, _) => return RoleReading::guess(found, "argument name"),
        }
    }
    RoleReading::guess(Hint::Unknown, "value")
}
