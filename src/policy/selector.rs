//! Which argument of a call is meant: a plain name or a JSON pointer in which `*` stands for any index or member.
use std::borrow::Cow;

use serde_json::{Map, Value};

/// Which argument a role is given to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// A JSON pointer; `*` as a token stands for any array index or member.
    Pointer(Vec<String>),
    /// An argument of this name at the top level, byte for byte; also every element below it when it is an array.
    Name(String),
}

/// When a member is the one that a selector names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Its name is the same, byte for byte.
    Exact,
    /// Its name is the same but for case: some readers, such as Go's `encoding/json`, take it for the one that is meant.
    AnyCase,
}

/// Reads `path` as a name and `/files/*/path` as a pointer (RFC 6901, with `*` added); nothing for an empty text or a bad escape.
pub fn parse(text: &str) -> Option<Selector> {
    let Some(tokens) = text.strip_prefix('/') else {
        return (!text.is_empty()).then(|| Selector::Name(text.to_owned()));
    };
    tokens.split('/').map(unescape).collect::<Option<Vec<_>>>().map(Selector::Pointer)
}

/// Every value of `arguments` that the selector names.
pub(super) fn values<'a>(selector: &Selector, arguments: &'a Value, names: Names) -> Vec<&'a Value> {
    match selector {
        Selector::Name(name) => arguments.as_object().map(|members| named(members, name, names)).unwrap_or_default(),
        Selector::Pointer(tokens) => {
            tokens.iter().fold(vec![arguments], |found, token| found.into_iter().flat_map(|value| below(value, token, names)).collect())
        }
    }
}

/// Whether two names differ in nothing but case, as far as readers that fold it see: long s and the Kelvin sign are letters of ASCII
/// to them, and readers in C stop at a NUL.
pub(super) fn same_but_for_case(name: &str, other: &str) -> bool {
    name == other || folded(name) == folded(other)
}

impl Selector {
    /// The selector as a policy would write it.
    pub fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Pointer(tokens) => tokens.iter().map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1"))).collect(),
        }
    }
}

fn folded(name: &str) -> Cow<'_, str> {
    let read = name.split('\0').next().unwrap_or_default();
    if read.is_ascii() { read.to_ascii_lowercase().into() } else { read.to_uppercase().to_lowercase().into() }
}

fn named<'a>(members: &'a Map<String, Value>, name: &str, names: Names) -> Vec<&'a Value> {
    match names {
        Names::Exact => members.get(name).into_iter().collect(),
        Names::AnyCase => members.iter().filter(|(member, _)| same_but_for_case(member, name)).map(|(_, value)| value).collect(),
    }
}

fn below<'a>(value: &'a Value, token: &str, names: Names) -> Vec<&'a Value> {
    match value {
        Value::Array(items) if token == "*" => items.iter().collect(),
        Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)).into_iter().collect(),
        Value::Object(members) if token == "*" => members.values().collect(),
        Value::Object(members) => named(members, token, names),
        _ => Vec::new(),
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut text = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            plain => plain,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Names, parse, same_but_for_case, values};

    #[test]
    fn stars_reach_every_element_and_escapes_are_undone() {
        let arguments = json!({"files": [{"path": "a"}, {"path": "b"}, {}], "x/y": 1});
        let found = |text: &str| values(&parse(text).unwrap(), &arguments, Names::Exact).len();
        assert_eq!((found("/files/*/path"), found("/files/1/path"), found("/x~1y"), found("x/y"), found("/none")), (2, 1, 1, 1, 0));
        assert_eq!(parse("/a~2"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse("/x~1y/*").unwrap().text(), "/x~1y/*");
    }

    #[test]
    fn names_in_another_case_are_found_where_case_does_not_count() {
        let arguments = json!({"Repo": {"OWNER": 1, "owner": 2}, "repo": [{"Owner": 3}]});
        let found = |text: &str, names| values(&parse(text).unwrap(), &arguments, names).len();
        for (text, exact, any_case) in
            [("/repo/owner", 0, 2), ("/Repo/owner", 1, 2), ("/repo/*/owner", 0, 1), ("REPO", 0, 2), ("/rep", 0, 0)]
        {
            assert_eq!((found(text, Names::Exact), found(text, Names::AnyCase)), (exact, any_case), "{text}");
        }
        for alike in ["TASK", "ta\u{17f}k", "tas\u{212a}", "Task\0s"] {
            assert!(same_but_for_case(alike, "task"), "{alike:?}");
        }
        assert!(!same_but_for_case("tasks", "task"));
        assert!(same_but_for_case("ÜBER", "über"));
    }
}
