//! Which role each argument of a program has, by the table.
use super::table::{Program, WordRole};
use crate::analyse::shell::values::Field;

/// The arguments of one call of a program, with their roles.
#[derive(Debug, Default)]
pub struct ReadArguments {
    /// Values of options and operands, in order.
    pub words: Vec<(Field, WordRole)>,
    /// The options that were seen, without values.
    pub options: Vec<String>,
    pub operands: Vec<Field>,
    /// The command that stands at the end, for role `argv`.
    pub command: Vec<Field>,
    /// The subcommand that was found, if the program has any.
    pub path: Vec<String>,
}

impl ReadArguments {
    /// Whether one of the options was given.
    pub fn has<'n>(&self, names: impl IntoIterator<Item = &'n (impl AsRef<str> + ?Sized + 'n)>) -> bool {
        names.into_iter().any(|name| self.options.iter().any(|option| option == name.as_ref()))
    }
}

struct OptionReader<'p> {
    /// The (sub)command whose operands are read.
    current: &'p Program,
    /// The commands above it; their options count too.
    above: Vec<&'p Program>,
    found: ReadArguments,
    operands: Vec<(Field, Option<WordRole>)>,
    dashes: bool,
}

/// Gives every argument its role; also says which (sub)command it was.
pub fn read<'p>(program: &'p Program, arguments: &[Field]) -> (ReadArguments, &'p Program) {
    let mut reader =
        OptionReader { current: program, above: Vec::new(), found: ReadArguments::default(), operands: Vec::new(), dashes: false };
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        if argument.alternative {
            reader.alternative(argument);
            at += 1;
            continue;
        }
        match reader.one(argument, arguments.get(at + 1..).unwrap_or_default()) {
            Some(used) => at += used,
            None => break,
        }
    }
    reader.finish()
}

impl<'p> OptionReader<'p> {
    fn option(&self, name: &str) -> Option<(WordRole, bool)> {
        self.current.option(name).or_else(|| self.above.iter().rev().find_map(|program| program.option(name)))
    }

    /// Another possible value of the word before takes that word's role.
    fn alternative(&mut self, argument: &Field) {
        match self.found.words.last() {
            Some((_, role)) => {
                let role = *role;
                let value = argument.split_once('=').filter(|(key, _)| self.current.keys.contains_key(&key.text));
                self.found.words.push((value.map_or_else(|| argument.clone(), |(_, value)| value), role));
            }
            None => self.operands.push((argument.clone(), None)),
        }
    }

    /// One argument; how many were used, or nothing if the rest belongs to a command.
    fn one(&mut self, argument: &Field, after: &[Field]) -> Option<usize> {
        let text = argument.text.as_str();
        let option = !self.dashes && text.len() > 1 && text.starts_with('-') && (self.operands.is_empty() || !self.current.options_first);
        if option && text == "--" {
            self.dashes = true;
            return Some(1);
        }
        if option && text.starts_with("--") {
            return Some(self.long(argument, after));
        }
        if option {
            return Some(if self.current.single_dash { self.single(argument, after) } else { self.cluster(argument, after) });
        }
        if !self.dashes
            && text.starts_with('+')
            && let Some((role, _)) = self.option("+")
        {
            self.value(&argument.skip(1), role);
            return Some(1);
        }
        self.operand(argument, after)
    }

    fn long(&mut self, argument: &Field, after: &[Field]) -> usize {
        self.named(argument, after).unwrap_or(1)
    }

    fn single(&mut self, argument: &Field, after: &[Field]) -> usize {
        match self.named(argument, after) {
            Some(taken) => taken,
            None => self.cluster(argument, after),
        }
    }

    /// How many words an option takes that is written out, with its value behind `=` or in the next word; nothing for a name that
    /// is not listed and has no value, or that is listed as one without.
    fn named(&mut self, argument: &Field, after: &[Field]) -> Option<usize> {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name.text, Some(value)),
            None => (argument.text.clone(), None),
        };
        self.found.options.push(name.clone());
        match (self.option(&name), value) {
            (Some((role, _)), Some(value)) => self.value(&value, role),
            (Some((role, false)), None) => return Some(self.next_value(after, role)),
            (None, Some(value)) => self.value(&value, WordRole::Guess),
            _ => return None,
        }
        Some(1)
    }

    /// Bundled letters; the value of the first that takes one is the rest or the next word.
    fn cluster(&mut self, argument: &Field, after: &[Field]) -> usize {
        for (at, letter) in argument.text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let tail = argument.skip(at + letter.len_utf8());
            match self.option(&name) {
                Some((role, attached)) => {
                    self.found.options.push(name);
                    if !tail.text.is_empty() {
                        let tail = if tail.text.starts_with('=') { tail.skip(1) } else { tail };
                        self.value(&tail, role);
                    } else if !attached {
                        return self.next_value(after, role);
                    }
                    return 1;
                }
                None if tail.text.starts_with(['/', '.', '~', '=', '@']) => {
                    self.found.options.push(name);
                    self.value(&tail, WordRole::Guess);
                    return 1;
                }
                None => self.found.options.push(name),
            }
        }
        1
    }

    fn next_value(&mut self, after: &[Field], role: WordRole) -> usize {
        match after.first() {
            // `fd -x command …`.
            Some(_) if role == WordRole::Argv => {
                self.found.command = after.iter().take_while(|field| field.text != ";").cloned().collect();
                1 + after.len()
            }
            // `jq --arg name value`.
            Some(_) if matches!(role, WordRole::Pair | WordRole::PairRead) => {
                if let Some(value) = after.get(1) {
                    self.value(value, if role == WordRole::Pair { WordRole::Plain } else { WordRole::Read });
                }
                3
            }
            Some(value) => {
                self.value(value, role);
                2
            }
            None => 1,
        }
    }

    fn value(&mut self, value: &Field, role: WordRole) {
        self.found.words.push((value.clone(), role));
    }

    fn operand(&mut self, argument: &Field, after: &[Field]) -> Option<usize> {
        if self.operands.is_empty()
            && let Some(sub) = argument.literal().and_then(|name| self.current.subcommand(name))
        {
            self.found.path.push(argument.text.clone());
            self.above.push(self.current);
            self.current = sub;
            return Some(1);
        }
        if let Some((key, value)) = argument.split_once('=')
            && let Some(role) = self.current.keys.get(&key.text).or(self.current.keys.get("*"))
        {
            self.found.words.push((value, *role));
            return Some(1);
        }
        let skipped = usize::from(self.found.has(&self.current.instead));
        let role = match (self.dashes, self.current.after_dashes) {
            (true, Some(role)) => role,
            _ => self.current.operand(self.operands.len() + skipped),
        };
        match role {
            WordRole::Argv => {
                self.found.command = std::iter::once(argument).chain(after).cloned().collect();
                None
            }
            WordRole::Rest => None,
            role => {
                self.operands.push((argument.clone(), Some(role)));
                self.found.words.push((argument.clone(), role));
                Some(1)
            }
        }
    }

    /// An option that stands for the first operand may come after it.
    fn first_after_all(&mut self, program: &Program) {
        let taken = self.operands.first().is_some_and(|(_, role)| *role == program.operands.first().copied());
        if !taken || program.instead.is_empty() || !self.found.has(&program.instead) {
            return;
        }
        let Some((first, _)) = self.operands.first() else { return };
        if let Some(word) = self.found.words.iter_mut().find(|(field, _)| field == first) {
            word.1 = program.operand(1);
        }
    }

    /// What is read is read with all that is below; without an operand that is the directory at hand.
    fn reads_trees(&mut self) {
        for (_, role) in &mut self.found.words {
            *role = if *role == WordRole::Read { WordRole::Tree } else { *role };
        }
        let is_operand = |field: &Field| self.operands.iter().any(|(operand, _)| operand == field);
        if !self.found.words.iter().any(|(field, role)| *role == WordRole::Tree && is_operand(field)) {
            self.found.words.push((Field::known("."), WordRole::Tree));
        }
    }

    fn finish(mut self) -> (ReadArguments, &'p Program) {
        let program = self.current;
        self.first_after_all(program);
        if let Some(role) = program.last
            && self.operands.len() > 1
            && !self.found.has(&program.target)
            && let Some((last, _)) = self.operands.last()
            && let Some(word) = self.found.words.iter_mut().rev().find(|(field, _)| field == last)
        {
            word.1 = role;
        }
        if self.found.has(&program.writes) {
            for (_, role) in &mut self.found.words {
                *role = if matches!(role, WordRole::Read | WordRole::Tree) { WordRole::Write } else { *role };
            }
        }
        if self.found.has(&program.recursive) && !self.found.has(&program.narrows) {
            self.reads_trees();
        }
        self.found.operands = self.operands.into_iter().map(|(field, _)| field).collect();
        (self.found, program)
    }
}
