//! Arguments that hold a command: one line of text, or words in an array beside it.
use serde_json::{Map, Value};

use crate::analyse::Discovered;
use crate::analyse::shell::{self, CommandAt};

use super::by_role::{SiteRole, search_by_role};
use super::context::{ArgumentSite, Search};
use super::names::{Hint, hint};
use super::vocabulary::VOCABULARY;

/// A command line. Words in a sibling array belong to it.
pub fn line(search: &mut Search<'_>, site: &ArgumentSite, text: &str, siblings: Option<&Map<String, Value>>) {
    let mut found = with(search, site, |at| shell::command(text, at));
    let words = siblings.and_then(|members| words_beside(search, members));
    if let Some(words) = words {
        let mut all = shlex::split(text).unwrap_or_else(|| vec![text.to_owned()]);
        all.extend(words);
        found.absorb(with(search, site, |at| shell::argv(&all, at)));
    }
    search.found.absorb(found);
}

/// The words of a command given as one array.
pub fn words(search: &mut Search<'_>, role: &SiteRole, items: &[Value], siblings: Option<&Map<String, Value>>) {
    let words: Vec<String> = items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if words.is_empty() {
        return;
    }
    let site = &role.site;
    search.note(site, &words.join(" "), "words of a command");
    let is_list = role.hint == Hint::Command && site.name.ends_with('s');
    match role.hint {
        Hint::Command if is_list || words.len() == 1 => words.iter().for_each(|text| line(search, site, text, None)),
        Hint::Command => argv(search, site, &words),
        _ if siblings.is_some_and(|members| named_command(search, members).is_some()) => {}
        _ if matches!(site.name.as_ref(), "argv") => argv(search, site, &words),
        _ => match siblings.and_then(named_program) {
            Some(program) => argv(search, site, &std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>()),
            None => {
                let unknown = SiteRole { hint: Hint::Unknown, ..role.clone() };
                words.iter().for_each(|text| search_by_role(search, &unknown, text, None));
            }
        },
    }
}

/// Words given as one string: they go with the command beside them, or are looked at by their value.
pub fn rest(search: &mut Search<'_>, site: &ArgumentSite, text: &str, siblings: Option<&Map<String, Value>>) {
    let program = siblings.and_then(|members| named_command(search, members).or_else(|| named_program(members)));
    match program {
        Some(program) => line(search, site, &format!("{program} {text}"), None),
        None => search_by_role(search, &SiteRole { site: site.clone(), hint: Hint::Unknown, sealed: false }, text, None),
    }
}

fn argv(search: &mut Search<'_>, site: &ArgumentSite, words: &[String]) {
    let found = with(search, site, |at| shell::argv(words, at));
    search.found.absorb(found);
}

fn with(search: &Search<'_>, site: &ArgumentSite, run: impl FnOnce(&CommandAt<'_>) -> Discovered) -> Discovered {
    run(&CommandAt {
        argument: &site.argument,
        directories: &site.bases,
        surroundings: search.input.surroundings,
        scripts: search.input.scripts,
        confidence: site.confidence,
        shell: search.tool.shell,
        explain: search.input.explain,
    })
}

/// The command beside the words; it takes them where it is visited itself.
fn named_command<'m>(search: &Search<'_>, members: &'m Map<String, Value>) -> Option<&'m str> {
    members.iter().filter(|(key, _)| hint(key, &search.tool) == Hint::Command).find_map(|(_, value)| value.as_str())
}

/// The program beside the words, in an argument that names programs only.
fn named_program(members: &Map<String, Value>) -> Option<&str> {
    VOCABULARY.names.program.iter().find_map(|key| members.get(key)?.as_str())
}

fn words_beside(search: &Search<'_>, members: &Map<String, Value>) -> Option<Vec<String>> {
    let arrays = members.iter().filter(|(key, _)| hint(key, &search.tool) == Hint::Words);
    let items = arrays.filter_map(|(_, value)| value.as_array()).next()?;
    Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
