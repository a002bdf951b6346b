//! What is done to mentions between finding and sending: repeats and impossible names taken out, relative arguments made absolute.
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::wire::Call;

use super::located::{Located, Outcome};
use crate::analyse::{Condition, Confidence, Form, Mention, Unparsed};

/// The call with its relative path arguments made absolute against the root, so that an upstream with another working directory
/// opens what was judged. Nothing if there is nothing to change. Arguments that can be read in more than one way stay.
pub(super) fn made_absolute(call: &Call, mentions: &[Mention], root: &Path) -> Option<Call> {
    let mut changes: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for mention in mentions {
        let value = call.arguments().pointer(&mention.argument).and_then(Value::as_str);
        let (Form::Path(text), Some(value)) = (&mention.form, value) else { continue };
        if mention.condition != Condition::Always || value != mention.raw || Path::new(value).is_absolute() || value.starts_with('~') {
            continue;
        }
        let fits = Path::new(text) == root.join(value);
        changes
            .entry(&mention.argument)
            .and_modify(|known| *known = known.filter(|known| fits && known == text))
            .or_insert(fits.then_some(text));
    }
    let changes: Vec<(&str, &str)> = changes.into_iter().filter_map(|(pointer, text)| Some((pointer, text?))).collect();
    if changes.is_empty() { None } else { call.with_arguments_spliced(&changes).ok() }
}

/// Places of declared arguments that are one path as a whole; what a command line names is not known well enough to order calls by.
pub(super) fn touched(call: &Call, located: &[Located]) -> Vec<PathBuf> {
    let whole = |one: &&Located| {
        let mention = &one.mention;
        let value = call.arguments().pointer(&mention.argument).and_then(Value::as_str);
        mention.confidence == Confidence::Declared && value == Some(mention.raw.as_str())
    };
    let places = located.iter().filter(whole).filter_map(|one| match &one.outcome {
        Outcome::Places(places) => Some(places),
        Outcome::Void | Outcome::Unresolved(_) => None,
    });
    places.flatten().map(|place| place.path.clone()).collect()
}

/// A text that names one place a hundred times is looked up once.
pub(super) fn keep_each_once(mentions: &mut Vec<Mention>) {
    let mut seen = HashSet::new();
    let firsts: Vec<bool> = mentions.iter().map(|mention| seen.insert(mention)).collect();
    let mut firsts = firsts.into_iter();
    mentions.retain(|_| firsts.next().unwrap_or(true));
}

/// Whether an entry of that name can exist at all: prose that only counts if it does need not be asked about (POSIX `NAME_MAX` is 255
/// on every common file system, `PATH_MAX` 4096).
pub(super) fn can_exist(mention: &Mention) -> bool {
    match &mention.form {
        Form::Path(text) => text.len() <= 4096 && text.split('/').all(|name| name.len() <= 255),
        Form::Glob(_) | Form::NameOnly(_) | Form::Url(_) | Form::Unless { .. } => true,
    }
}

/// An answer was given while a script file held another text.
pub(super) fn script_changed() -> Unparsed {
    Unparsed {
        argument: String::new(),
        raw: String::new(),
        why: "a script that the call runs was changed after it was asked about, so what it does now is asked about anew".to_owned(),
    }
}

/// A string that ends in half a surrogate pair cannot be compared with any path: the server may read it as something else.
pub(super) fn half_character() -> Unparsed {
    Unparsed {
        argument: String::new(),
        raw: String::new(),
        why: "a string holds half a surrogate pair, which servers decode in different ways".to_owned(),
    }
}
