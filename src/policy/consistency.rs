//! What the form of single keys cannot say: keys that exclude or need each other.
use super::roles::ROLES;
use super::section::Section;
use super::text::{Lines, Problem};
use crate::escape::visible;

/// Adds to `problems` whatever in a policy's text does not go together.
pub(super) fn check(policy: &Section<'_, '_>, lines: &Lines<'_>, problems: &mut Vec<Problem>) {
    if policy.count("version").is_none() && !policy.pairs().any(|(name, _)| name == "version") {
        problems.push(lines.problem(0..0, "`version` is missing", "begin the file with `version = 1`"));
    }
    of_tools(policy, lines, problems);
    for server in entries(policy, "servers") {
        of_tools(&server, lines, problems);
        if let (Some(_), Some(url)) = (server.text("command"), server.text("url")) {
            problems.push(lines.problem(url.span, "a server has either `command` or `url`", "remove one of the two"));
        }
    }
    for rule in policy.tables("rules") {
        if !rule.value.pairs().any(|(name, _)| name == "action") {
            problems.push(lines.problem(rule.span, "a rule has no `action`", "add `action = \"deny\"`, \"ask\" or \"allow\""));
        }
    }
}

/// Adds arguments of `tools` that are given two roles.
pub(super) fn of_tools(section: &Section<'_, '_>, lines: &Lines<'_>, problems: &mut Vec<Problem>) {
    for tool in entries(section, "tools") {
        let mut seen: Vec<(String, &str)> = Vec::new();
        for (key, _) in ROLES {
            for placed in tool.texts(key.name) {
                if let Some((_, other)) = seen.iter().find(|(name, other)| *name == placed.value && *other != key.name) {
                    let message = format!("argument `{}` is declared in `{other}` and in `{}`", visible(&placed.value), key.name);
                    problems.push(lines.problem(placed.span, message, "an argument has one role: keep one of the two"));
                } else {
                    seen.push((placed.value, key.name));
                }
            }
        }
    }
}

fn entries<'t, 'a>(section: &Section<'t, 'a>, key: &str) -> impl Iterator<Item = Section<'t, 'a>> {
    section.below(key).into_iter().flat_map(|below| below.pairs().filter_map(move |(name, _)| below.below(name)).collect::<Vec<_>>())
}
