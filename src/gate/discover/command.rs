//! Arguments that hold a command: one line of text, or words in an array beside it.
use serde_json::{Map, Value};

use crate::gate::Discovered;
use crate::gate::shell::{self, CommandAt};

use super::context::{Search, Spot};
use super::names::{Hint, hint};
use super::treat::{Role, treat};

/// A command line. Words in a sibling array belong to it.
pub fn line(search: &mut Search<'_>, spot: &Spot, text: &str, siblings: Option<&Map<String, Value>>) {
    let mut found = with(search, spot, |at| shell::command(text, at));
    let words = siblings.and_then(|members| words_beside(search, members));
    if let Some(words) = words {
        let mut all = shlex::split(text).unwrap_or_else(|| vec![text.to_owned()]);
        all.extend(words);
        found.absorb(with(search, spot, |at| shell::argv(&all, at)));
    }
    search.found.absorb(found);
}

/// The words of a command given as one array.
pub fn words(search: &mut Search<'_>, role: &Role, items: &[Value], siblings: Option<&Map<String, Value>>) {
    let words: Vec<String> = items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if words.is_empty() {
        return;
    }
    let spot = &role.spot;
    search.note(spot, &words.join(" "), "words of a command");
    let is_list = role.hint == Hint::Command && spot.name.ends_with('s');
    match role.hint {
        Hint::Command if is_list || words.len() == 1 => words.iter().for_each(|text| line(search, spot, text, None)),
        Hint::Command => argv(search, spot, &words),
        _ if siblings.is_some_and(|members| has_command(search, members)) => {}
        _ if matches!(spot.name.as_ref(), "argv") => argv(search, spot, &words),
        _ => {
            let unknown = Role { hint: Hint::Unknown, ..role.clone() };
            words.iter().for_each(|text| treat(search, &unknown, text, None));
        }
    }
}

/// Words given as one string: they go with the command beside them, or are looked at by their value.
pub fn rest(search: &mut Search<'_>, spot: &Spot, text: &str, siblings: Option<&Map<String, Value>>) {
    let program = siblings.and_then(|members| command_beside(search, members));
    match program {
        Some(program) => line(search, spot, &format!("{program} {text}"), None),
        None => treat(search, &Role { spot: spot.clone(), hint: Hint::Unknown, sealed: false }, text, None),
    }
}

fn argv(search: &mut Search<'_>, spot: &Spot, words: &[String]) {
    let found = with(search, spot, |at| shell::argv(words, at));
    search.found.absorb(found);
}

fn with(search: &Search<'_>, spot: &Spot, run: impl FnOnce(&CommandAt<'_>) -> Discovered) -> Discovered {
    run(&CommandAt {
        argument: &spot.argument,
        directories: &spot.bases,
        surroundings: search.subject.surroundings,
        scripts: search.subject.scripts,
        confidence: spot.confidence,
        shell: search.tool.shell,
        explain: search.subject.explain,
    })
}

fn has_command(search: &Search<'_>, members: &Map<String, Value>) -> bool {
    command_beside(search, members).is_some()
}

fn command_beside<'m>(search: &Search<'_>, members: &'m Map<String, Value>) -> Option<&'m str> {
    let is_program = |key: &str| hint(key, &search.tool) == Hint::Command || matches!(key, "program" | "executable" | "binary" | "bin");
    members.iter().filter(|(key, _)| is_program(key)).find_map(|(_, value)| value.as_str())
}

fn words_beside(search: &Search<'_>, members: &Map<String, Value>) -> Option<Vec<String>> {
    let arrays = members.iter().filter(|(key, _)| hint(key, &search.tool) == Hint::Words);
    let items = arrays.filter_map(|(_, value)| value.as_array()).next()?;
    Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
