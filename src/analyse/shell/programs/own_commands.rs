//! Which of the gate's own commands may be started without a question. Read from `policy/own_commands.toml`, which is compiled in.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::analyse::shell::values::Field;

/// What is said of a command that no list names.
const UNKNOWN: &str = "the command starts callgate itself, in a way that is not known to be harmless";
/// The longest name of a subcommand, in words.
const LONGEST_NAME: usize = 2;

/// The commands of the gate's own program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnCommands {
    /// Options that make any command print its usage and do nothing else.
    usage: Vec<String>,
    /// The names of harmless commands, each with the options that keep it so.
    harmless: BTreeMap<String, Vec<String>>,
    /// The first words of the other commands, each with what a person is told.
    asks: BTreeMap<String, String>,
}

/// The lists that are compiled in. A fault in them leaves them empty, so that all commands are asked about; a test holds them whole.
pub static OWN_COMMANDS: LazyLock<OwnCommands> =
    LazyLock::new(|| toml::from_str(include_str!("../../../../policy/own_commands.toml")).unwrap_or_default());

impl OwnCommands {
    /// The word by which a command line of the gate's own program is asked about, and why; nothing for one that is harmless. `words` are
    /// those behind the program's name, up to a `--`.
    pub fn asked_about<'f>(&self, words: &'f [Field]) -> Option<(&'f Field, &str)> {
        let first = words.first()?;
        let named = words.iter().map_while(Field::literal).take_while(|text| !text.starts_with('-')).count();
        let usage = words.get(named).and_then(Field::literal).is_some_and(|text| self.prints_usage(text));
        if usage && !words.get(named + 1).is_some_and(|next| next.alternative) {
            return None;
        }
        let Some((options, count)) = self.harmless_command(words.get(..named.min(LONGEST_NAME))?) else {
            let why = first.literal().and_then(|name| self.asks.get(name)).map_or(UNKNOWN, String::as_str);
            return Some((first, why));
        };
        let is_harmless = |field: &&Field| match field.literal() {
            Some(text) if is_option(text) => {
                let name = text.split_once('=').map_or(text, |(name, _)| name);
                options.iter().any(|option| option == name) || self.prints_usage(name)
            }
            // The value of an option or an operand; without a command there is none.
            _ => count > 0,
        };
        // The name of the command itself may have more than one value.
        let other = words.iter().take(count + 1).skip(1).find(|field| field.alternative);
        other.or_else(|| words.iter().skip(count).find(|field| !is_harmless(field))).map(|field| (field, UNKNOWN))
    }

    /// The options of the harmless command that the words begin with, and how many of them name it.
    fn harmless_command(&self, named: &[Field]) -> Option<(&[String], usize)> {
        let names: Vec<&str> = named.iter().filter_map(Field::literal).collect();
        let known = |count: usize| Some((self.harmless.get(&names.get(..count)?.join(" "))?.as_slice(), count));
        (0..=names.len()).rev().find_map(known).filter(|(_, count)| *count > 0 || names.is_empty())
    }

    fn prints_usage(&self, option: &str) -> bool {
        self.usage.iter().any(|listed| listed == option)
    }

    /// Whether a command, by its whole name, is in one of the lists.
    #[cfg(test)]
    pub fn lists(&self, command: &str) -> bool {
        let first = command.split(' ').next().unwrap_or_default();
        self.harmless.contains_key(command) || self.asks.contains_key(first)
    }

    /// The options of a harmless command; nothing for one that is asked about.
    #[cfg(test)]
    pub fn harmless_options(&self, command: &str) -> Option<Vec<&str>> {
        let own = self.harmless.get(command)?;
        Some(own.iter().chain(&self.usage).map(String::as_str).collect())
    }

    /// The names of all commands that the lists know.
    #[cfg(test)]
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.harmless.keys().chain(self.asks.keys()).map(String::as_str)
    }
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}
