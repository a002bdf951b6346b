//! Which argument of a call is meant: a plain name or a JSON pointer in which `*` stands for any index or member.
use serde_json::Value;

/// Which argument a role is given to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// A JSON pointer; `*` as a token stands for any array index or member.
    Pointer(Vec<String>),
    /// An argument of this name at the top level, byte for byte; also every element below it when it is an array.
    Name(String),
}

/// Reads `path` as a name and `/files/*/path` as a pointer (RFC 6901, with `*` added); nothing for an empty text or a bad escape.
pub fn parse(text: &str) -> Option<Selector> {
    let Some(tokens) = text.strip_prefix('/') else {
        return (!text.is_empty()).then(|| Selector::Name(text.to_owned()));
    };
    tokens.split('/').map(unescape).collect::<Option<Vec<_>>>().map(Selector::Pointer)
}

/// Every value of `arguments` that the selector names.
pub fn values<'a>(selector: &Selector, arguments: &'a Value) -> Vec<&'a Value> {
    match selector {
        Selector::Name(name) => arguments.get(name).into_iter().collect(),
        Selector::Pointer(tokens) => {
            tokens.iter().fold(vec![arguments], |found, token| found.into_iter().flat_map(|value| below(value, token)).collect())
        }
    }
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

fn below<'a>(value: &'a Value, token: &str) -> Vec<&'a Value> {
    match value {
        Value::Array(items) if token == "*" => items.iter().collect(),
        Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)).into_iter().collect(),
        Value::Object(members) if token == "*" => members.values().collect(),
        Value::Object(members) => members.get(token).into_iter().collect(),
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

    use super::{parse, values};

    #[test]
    fn stars_reach_every_element_and_escapes_are_undone() {
        let arguments = json!({"files": [{"path": "a"}, {"path": "b"}, {}], "x/y": 1});
        let found = |text: &str| values(&parse(text).unwrap(), &arguments).len();
        assert_eq!((found("/files/*/path"), found("/files/1/path"), found("/x~1y"), found("x/y"), found("/none")), (2, 1, 1, 1, 0));
        assert_eq!(parse("/a~2"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse("/x~1y/*").unwrap().text(), "/x~1y/*");
    }
}
