//! Globs: their alternatives, joined to the directories they start from.
use crate::analyse::{Condition, Form};

use super::context::{ArgumentSite, Search};
use super::path::{leads_away, place};
use super::token::is_unmistakable;

/// Most alternatives that one pattern is unfolded into.
const MOST_ALTERNATIVES: usize = 128;
/// Longest pattern that is unfolded.
const LONGEST: usize = 4096;

/// A string that is a glob by its role.
pub fn pattern(search: &mut Search<'_>, site: &ArgumentSite, text: &str) {
    let text = text.trim();
    if text.starts_with('!') || text.is_empty() {
        return;
    }
    if is_expression(text) {
        return;
    }
    let is_looked_for = search.tool.is_search && !is_unmistakable(text);
    // A wildcard counts also while nothing matches it: what it aims at shows in its text
    glob(search, site, text, text, [if is_looked_for { Condition::Exists } else { Condition::Always }, Condition::Always]);
}

/// Emits each alternative of `text`: those without wildcards as paths under the first condition, the others as globs under the
/// second.
pub fn glob(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, text: &str, [literal, wild]: [Condition; 2]) {
    let Some(alternatives) = Some(text).filter(|text| text.len() <= LONGEST).and_then(alternatives) else {
        return search.unparsed(site, raw, "a pattern that is too long or has too many alternatives");
    };
    for alternative in alternatives {
        if !alternative.contains(['*', '?', '[']) {
            place(search, site, raw, &alternative, literal);
        } else if alternative.starts_with('/') {
            search.mention(site, raw, Form::Glob(alternative), wild.max(Condition::FirstComponentExists));
        } else {
            joined(search, site, raw, &alternative, wild);
        }
    }
}

/// A directory that a tool searches: the files that stand openly in it are read, so a sensitive one among them counts.
pub fn searched(search: &mut Search<'_>, site: &ArgumentSite, directory: &str) {
    let directory = directory.trim().trim_end_matches('/');
    if directory.starts_with('/') {
        search.mention(site, directory, Form::Glob(format!("{}/*", globset::escape(directory))), Condition::Exists);
    } else if !directory.is_empty() && !directory.starts_with('~') {
        joined(search, site, directory, &format!("{}/*", globset::escape(directory)), Condition::Exists);
    }
}

fn joined(search: &mut Search<'_>, site: &ArgumentSite, raw: &str, alternative: &str, condition: Condition) {
    let home = search.input.surroundings.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    if let (Some(after), Some(home)) = (alternative.strip_prefix("~/"), home) {
        return search.mention(site, raw, Form::Glob(format!("{home}/{after}")), condition);
    }
    for base in site.bases.iter() {
        let base = globset::escape(base);
        search.mention(site, raw, Form::Glob(format!("{base}/{alternative}")), condition);
    }
}

/// Whether a pattern is a regular expression rather than a glob.
fn is_expression(text: &str) -> bool {
    let marks = ["\\", "^", "$", "(", ")", "|", ".*", ".+", "+"];
    !leads_away(text) && marks.iter().any(|mark| text.contains(mark))
}

/// Unfolds `{a,b}`; `None` when there are too many.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(next) = open.pop() {
        if done.len() + open.len() > MOST_ALTERNATIVES {
            return None;
        }
        match innermost(&next) {
            Some((before, options, after)) => {
                open.extend(options.split(',').rev().map(|option| format!("{before}{option}{after}")));
            }
            None => done.push(next),
        }
    }
    Some(done)
}

/// The first innermost brace group that has a comma: what stands before it, in it and after it.
fn innermost(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let close = from + text.get(from..)?.find('}')?;
        let before_close = text.get(..close)?;
        if let Some(open) = before_close.rfind('{') {
            let options = text.get(open + 1..close)?;
            if options.contains(',') {
                return Some((text.get(..open)?, options, text.get(close + 1..)?));
            }
        }
        from = close + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn unfolds_braces() {
        let table: [(&str, &[&str]); 4] =
            [("a", &["a"]), ("{a,b}/c", &["a/c", "b/c"]), ("x{a,{b,c}}", &["xa", "xb", "xa", "xc"]), ("{a}{b,c}", &["{a}b", "{a}c"])];
        for (text, want) in table {
            assert_eq!(alternatives(text).as_deref(), Some(want.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice()), "{text}");
        }
        assert_eq!(alternatives(&"{a,b}".repeat(20)), None);
    }
}
