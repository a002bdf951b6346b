//! Program text: its string literals, searched for places outside.
use crate::analyse::{Condition, Form};

use super::context::{ArgumentSite, Search};
use super::path::{leads_away, place, reading};
use super::text;
use super::token::{Look, look};

/// Longest literal that is looked at.
const LONGEST: usize = 4096;

/// Searches program text of any common language.
pub fn code(search: &mut Search<'_>, site: &ArgumentSite, program: &str) {
    for literal in literals(program) {
        let token = literal.trim();
        match look(token) {
            Look::Absolute => place(search, site, token, token, Condition::FirstComponentExists),
            Look::Url => search.mention(site, token, Form::Url(token.to_owned()), Condition::Always),
            _ if leads_away(token) => reading(search, site, token, token, Condition::Always),
            Look::Relative if !token.contains(char::is_whitespace) => place(search, site, token, token, Condition::Exists),
            _ => text::prose(search, site, literal, false),
        }
    }
}

/// The string literals of a program: what stands between equal quotes on one line, or between triple quotes or backticks.
fn literals(program: &str) -> impl Iterator<Item = &str> {
    let mut rest = program;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['"', '\'', '`'])?;
            let after = rest.get(open..)?;
            let quote = after.get(..1)?;
            let triple = after.starts_with("\"\"\"") || after.starts_with("'''");
            let inside = after.get(if triple { 3 } else { 1 }..)?;
            match close(inside, quote, triple) {
                Some(end) => {
                    rest = inside.get(end + if triple { 3 } else { 1 }..).unwrap_or_default();
                    let literal = inside.get(..end)?;
                    if !literal.is_empty() && literal.len() <= LONGEST {
                        return Some(literal);
                    }
                }
                None => rest = inside,
            }
        }
    })
}

/// Where the literal ends: at the next quote of its kind that no backslash stands before.
fn close(inside: &str, quote: &str, triple: bool) -> Option<usize> {
    if triple {
        return inside.find(&quote.repeat(3));
    }
    let mut escaped = false;
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != "`" => return None,
            _ if inside.get(at..).is_some_and(|here| here.starts_with(quote)) => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn finds_literals_of_common_languages() {
        let found: Vec<_> = literals("a = open('/x/y').read(); b = \"c\\\"d\"; it's\n f(`~/z`); '''t\nu'''").collect();
        assert_eq!(found, ["/x/y", "c\\\"d", "~/z", "t\nu"]);
    }
}
