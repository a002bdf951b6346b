//! The check of a text's form: each key known, each value of the shape that its key has, and hints where not.
use std::ops::Range;

use globset::GlobBuilder;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::selector;
use super::shape::{Key, Shape, each};
use super::text::{Lines, Problem};
use crate::escape::visible;

/// A value and the key it stands under.
struct At<'a> {
    key: &'a str,
    span: Range<usize>,
}

/// Adds to `problems` whatever in `table` does not have the form that `keys` describe.
pub(super) fn check(table: &DeTable<'_>, keys: &'static [Key], lines: &Lines<'_>, problems: &mut Vec<Problem>) {
    let mut check = Check { lines, problems };
    check.table(table, keys);
}

struct Check<'a, 't> {
    lines: &'a Lines<'t>,
    problems: &'a mut Vec<Problem>,
}

impl Check<'_, '_> {
    fn table(&mut self, table: &DeTable<'_>, keys: &'static [Key]) {
        for (name, value) in table.iter() {
            match each(keys).find(|key| key.name == name.get_ref().as_ref()) {
                Some(key) => self.value(key.name, value, &key.shape),
                None => self.unknown(name.get_ref(), name.span(), keys),
            }
        }
    }

    fn unknown(&mut self, name: &str, span: Range<usize>, keys: &'static [Key]) {
        let names: Vec<&str> = each(keys).map(|key| key.name).collect();
        let hint = nearest(name, &names)
            .map_or_else(|| format!("keys known here: {}", listed(&names, '`')), |near| format!("did you mean `{near}`?"));
        self.tell(span, format!("unknown key `{}`", visible(name)), hint);
    }

    fn value(&mut self, key: &str, value: &Spanned<DeValue<'_>>, shape: &'static Shape) {
        let at = At { key, span: value.span() };
        match (shape, value.get_ref()) {
            (Shape::Flag, DeValue::Boolean(_)) => {}
            (Shape::Count(least, most), DeValue::Integer(number)) => {
                self.count(&at, i128::from_str_radix(number.as_str(), number.radix()).ok(), *least, *most);
            }
            (Shape::Text, DeValue::String(text)) => self.text(&at, text),
            (Shape::Program, DeValue::String(text)) => self.program(&at, text),
            (Shape::NameGlob, DeValue::String(text)) => self.glob(&at, text),
            (Shape::Word(words), DeValue::String(text)) => self.word(&at, text, words),
            (Shape::Words(_) | Shape::Texts | Shape::Strings | Shape::Globs | Shape::Arguments, DeValue::Array(items)) => {
                self.items(key, items, shape)
            }
            (Shape::Table(keys), DeValue::Table(table)) => self.table(table, keys),
            (Shape::Named(keys), DeValue::Table(table)) => self.named(table, keys),
            (Shape::NamedWords(words), DeValue::Table(table)) => self.named_words(table, words),
            (Shape::Tables(keys), DeValue::Array(items)) => self.tables(key, items, keys),
            (Shape::Conditions, DeValue::Table(table)) => self.conditions(table),
            (shape, other) => self.wrong(&at, shape, other.type_str()),
        }
    }

    fn items(&mut self, key: &str, items: &[Spanned<DeValue<'_>>], shape: &'static Shape) {
        let mut seen: Vec<&str> = Vec::new();
        for item in items {
            let at = At { key, span: item.span() };
            let Some(text) = item.get_ref().as_str() else {
                self.tell(
                    at.span,
                    format!("`{key}` holds {}, only strings may stand in it", article(item.get_ref().type_str())),
                    "put the value in quotes",
                );
                continue;
            };
            if matches!(shape, Shape::Strings) {
                continue;
            }
            if seen.contains(&text) {
                self.tell(at.span, format!("`{}` stands twice in `{key}`", visible(text)), "remove one of the two");
                continue;
            }
            seen.push(text);
            match shape {
                Shape::Words(words) => self.word(&at, text, words),
                Shape::Globs => self.glob(&at, text),
                Shape::Arguments => self.argument(&at, text),
                _ => self.text(&at, text),
            }
        }
    }

    fn named(&mut self, table: &DeTable<'_>, keys: &'static [Key]) {
        for (name, value) in table.iter() {
            match value.get_ref() {
                _ if name.get_ref().is_empty() => self.tell(name.span(), "the name is empty", "write the name between the quotes"),
                DeValue::Table(inner) => self.table(inner, keys),
                other => {
                    let message = format!("`{}` must be a table, not {}", visible(name.get_ref()), article(other.type_str()));
                    self.tell(value.span(), message, "write it as a section of its own, `[section.name]`");
                }
            }
        }
    }

    fn named_words(&mut self, table: &DeTable<'_>, words: &'static [&'static str]) {
        for (name, value) in table.iter() {
            let at = At { key: name.get_ref(), span: value.span() };
            match value.get_ref() {
                DeValue::String(text) => self.word(&at, text, words),
                other => self.tell(
                    at.span,
                    format!("`{}` must be a string, not {}", visible(name.get_ref()), article(other.type_str())),
                    words_hint(words),
                ),
            }
        }
    }

    fn tables(&mut self, key: &str, items: &[Spanned<DeValue<'_>>], keys: &'static [Key]) {
        for item in items {
            match item.get_ref().as_table() {
                Some(table) => self.table(table, keys),
                None => self.tell(item.span(), format!("each of `{key}` must be a table"), format!("write `[[{key}]]` before each")),
            }
        }
    }

    fn conditions(&mut self, table: &DeTable<'_>) {
        for (pointer, value) in table.iter() {
            self.argument(&At { key: "when", span: pointer.span() }, pointer.get_ref());
            match value.get_ref() {
                DeValue::Boolean(_) => {}
                DeValue::Integer(number) if i64::from_str_radix(number.as_str(), number.radix()).is_ok() => {}
                DeValue::Float(number) if number.as_str().parse::<f64>().is_ok_and(f64::is_finite) => {}
                DeValue::String(text) => self.compiles(&At { key: pointer.get_ref(), span: value.span() }, text),
                other => {
                    let message = format!("an argument cannot be compared with this {}", other.type_str());
                    self.tell(value.span(), message, "write a string (`*` stands for anything), a number, `true` or `false`");
                }
            }
        }
    }

    fn text(&mut self, at: &At<'_>, text: &str) {
        if text.is_empty() || text.contains('\0') {
            self.tell(at.span.clone(), format!("`{}` holds an empty string or a NUL", at.key), "write a value or remove the key");
        }
    }

    fn program(&mut self, at: &At<'_>, text: &str) {
        self.text(at, text);
        if !text.is_empty() && !text.starts_with('/') && !text.contains(":\\") {
            let message = format!("`{}` must be an absolute path", at.key);
            self.tell(at.span.clone(), message, "write the whole path, as `command -v` prints it");
        }
    }

    fn count(&mut self, at: &At<'_>, number: Option<i128>, least: u64, most: u64) {
        if !number.is_some_and(|number| (i128::from(least)..=i128::from(most)).contains(&number)) {
            self.tell(at.span.clone(), format!("`{}` is out of range", at.key), format!("write a whole number from {least} to {most}"));
        }
    }

    fn word(&mut self, at: &At<'_>, text: &str, words: &'static [&'static str]) {
        if !words.contains(&text) {
            let hint = nearest(text, words).map_or_else(|| words_hint(words), |near| format!("did you mean \"{near}\"?"));
            self.tell(at.span.clone(), format!("`{}` cannot be `{}`", visible(at.key), visible(text)), hint);
        }
    }

    fn glob(&mut self, at: &At<'_>, text: &str) {
        self.text(at, text);
        self.compiles(at, text);
    }

    fn compiles(&mut self, at: &At<'_>, text: &str) {
        if let Err(error) = GlobBuilder::new(text).build() {
            let message = format!("`{}` is not a glob: {}", visible(text), error.kind());
            self.tell(at.span.clone(), message, "put a backslash before `[`, `]`, `{` or `}` to take it literally");
        }
    }

    fn argument(&mut self, at: &At<'_>, text: &str) {
        if selector::parse(text).is_none() {
            let message = format!("`{}` is neither an argument's name nor a JSON pointer", visible(text));
            self.tell(
                at.span.clone(),
                message,
                "write a name such as `path` or a pointer such as `/files/*/path`; `~` is `~0` and `/` is `~1` in a pointer",
            );
        }
    }

    fn wrong(&mut self, at: &At<'_>, shape: &'static Shape, found: &str) {
        let (kind, hint) = match shape {
            Shape::Flag => ("true or false", "write `true` or `false` without quotes".to_owned()),
            Shape::Count(least, most) => ("a whole number", format!("write a whole number from {least} to {most}, without quotes")),
            Shape::Text | Shape::Program | Shape::NameGlob => ("a string", "put the value in quotes".to_owned()),
            Shape::Word(words) => ("a string", words_hint(words)),
            Shape::Words(words) => ("a list", format!("write a list of {}", listed(words, '"'))),
            Shape::Texts | Shape::Strings | Shape::Globs | Shape::Arguments | Shape::Roles(_) => {
                ("a list of strings", "write the strings between `[` and `]`".to_owned())
            }
            Shape::Tables(_) => ("a list of tables", format!("write `[[{}]]` before each", at.key)),
            Shape::Table(_) | Shape::Named(_) | Shape::NamedWords(_) | Shape::Conditions => {
                ("a table", format!("write `[{}]` and its keys below", at.key))
            }
        };
        self.tell(at.span.clone(), format!("`{}` must be {kind}, not {}", at.key, article(found)), hint);
    }

    fn tell(&mut self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(self.lines.problem(span, message, hint));
    }
}

/// The word that `name` was most likely meant to be.
fn nearest<'a>(name: &str, words: &[&'a str]) -> Option<&'a str> {
    let folded = name.to_lowercase().replace('-', "_");
    let near = words.iter().map(|word| (strsim::osa_distance(&folded, word), *word)).min()?;
    (near.0 <= near.1.chars().count().div_ceil(3)).then_some(near.1)
}

fn words_hint(words: &[&str]) -> String {
    format!("write {}", listed(words, '"'))
}

fn listed(words: &[&str], quote: char) -> String {
    words.iter().map(|word| format!("{quote}{word}{quote}")).collect::<Vec<_>>().join(", ")
}

fn article(kind: &str) -> String {
    let determiner = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{determiner} {kind}")
}
