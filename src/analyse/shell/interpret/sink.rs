//! What the interpretation finds: mentions, what cannot be followed, script files that are wanted, notes; and how much of it there may be.
use std::collections::HashSet;
use std::rc::Rc;

use super::CommandAt;
use super::limits::{Depth, Limits, Steps};
use crate::analyse::shell::programs::{Setting, Use};
use crate::analyse::shell::values::{Field, MARK};
use crate::analyse::{Condition, Confidence, Discovered, Form, Mention, RoleNote, Unparsed};
use crate::policy::{Direction, Shell};

/// The script that is followed now.
#[derive(Debug, Clone)]
pub struct ScriptPlace {
    /// The script as the command names it.
    name: Rc<str>,
    /// Where each line begins.
    lines: Rc<[usize]>,
    /// How many texts within texts the script's own text is.
    texts: usize,
    /// The line that is followed, from 1.
    line: usize,
}

/// Takes what is found.
#[derive(Debug)]
pub struct MentionSink<'a> {
    at: &'a CommandAt<'a>,
    /// The text that spans refer to.
    source: &'a str,
    found: Discovered,
    seen: HashSet<(Form, Direction, Condition)>,
    limits: Limits,
    /// The script file that is followed now.
    script: Option<ScriptPlace>,
}

impl<'a> MentionSink<'a> {
    pub fn new(at: &'a CommandAt<'a>, source: &'a str) -> Self {
        Self { at, source, found: Discovered::default(), seen: HashSet::new(), limits: Limits::default(), script: None }
    }

    pub fn into_found(self) -> Discovered {
        self.found
    }

    /// Where the command stands.
    pub fn at(&self) -> &'a CommandAt<'a> {
        self.at
    }

    /// What the reading of a program's arguments must know.
    pub fn setting(&self, shell: Shell) -> Setting {
        Setting { shell, in_script: self.in_script(), explain: self.at.explain }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn enter(&mut self, depth: Depth) {
        self.limits.enter(depth);
    }

    pub fn leave(&mut self, depth: Depth) {
        self.limits.leave(depth);
    }

    /// Counts `cost` steps; says whether there are none left, and asks once when they end.
    pub fn spend(&mut self, cost: usize) -> bool {
        let steps = self.limits.spend(cost);
        if steps == Steps::End {
            self.unparsed_line("it is too long or too repetitive to be followed");
        }
        steps != Steps::Left
    }

    /// Adds a mention, once.
    pub fn mention(&mut self, field: &Field, form: Form, how: &Use) {
        // Many long paths cost more than as many words: they are looked at name by name.
        let length = form.text().len();
        if self.spend(length.saturating_mul(length) / 8192) || !self.seen.insert((form.clone(), how.direction, how.condition)) {
            return;
        }
        let raw = self.raw(field);
        self.found.mentions.push(Mention {
            argument: self.at.argument.to_owned(),
            raw,
            form,
            direction: how.direction,
            confidence: if how.guess { Confidence::Guess } else { self.at.confidence },
            condition: how.condition,
            runs: how.runs,
            because: self.placed(&how.because),
        });
    }

    /// A reason, with the place in the script file where it stands.
    pub fn placed(&self, because: &str) -> String {
        match &self.script {
            Some(script) => format!("{because}, in line {} of `{}`", script.line, script.name.escape_debug()),
            None => because.to_owned(),
        }
    }

    /// The word as it stood in the argument.
    pub fn raw(&self, field: &Field) -> String {
        match field.span.and_then(|(start, end)| self.source.get(start..end)) {
            Some(text) if self.limits.nested() == 0 => text.to_owned(),
            _ => field.text.replace(MARK, "…"),
        }
    }

    /// The word decides something and cannot be followed.
    pub fn unparsed(&mut self, field: &Field, why: &str) {
        let raw = self.raw(field);
        self.unparsed_text(&raw, why);
    }

    /// Something of the whole command line cannot be followed.
    pub fn unparsed_line(&mut self, why: &str) {
        self.unparsed_text(self.source, why);
    }

    /// A text cannot be followed.
    pub fn unparsed_text(&mut self, raw: &str, why: &str) {
        if self.script.is_none() {
            return self.certain(raw, why);
        }
        if self.at.explain {
            self.note(&Field::known(raw.chars().take(400).collect::<String>()), &format!("not followed: {why}"));
        }
    }

    /// A text must be asked about, even where it stands in a script file.
    pub fn certain(&mut self, raw: &str, why: &str) {
        let raw: String = raw.chars().take(400).collect();
        let unparsed = Unparsed { argument: self.at.argument.to_owned(), raw, why: why.to_owned() };
        if !self.found.unparsed.contains(&unparsed) {
            self.found.unparsed.push(unparsed);
        }
    }

    /// Notes the role of a word for `explain`.
    pub fn note(&mut self, field: &Field, role: &str) {
        if self.at.explain {
            let span = field.span.filter(|_| self.limits.nested() == 0);
            let (argument, text) = (self.at.argument.to_owned(), self.raw(field));
            let source = self.placed("programs table");
            self.found.notes.push(RoleNote { argument, text, role: role.to_owned(), source, span });
        }
    }

    /// Asks for the text of a script file.
    pub fn want_script(&mut self, path: String) {
        if !self.found.scripts.contains(&path) {
            self.found.scripts.push(path);
        }
    }

    pub fn in_script(&self) -> bool {
        self.script.is_some()
    }

    /// The script that is followed now, with the line.
    pub fn script(&self) -> Option<&ScriptPlace> {
        self.script.as_ref()
    }

    /// The place of the script `name` with this text, one text deeper than here.
    pub fn place_of_script(&self, name: &str, text: &str) -> ScriptPlace {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        ScriptPlace { name: name.into(), lines, texts: self.limits.texts() + 1, line: 1 }
    }

    /// Goes into a script, or out of it; the steps of all scripts are counted together, apart from those of the command line.
    /// Gives back the place that was left.
    pub fn go_to_script(&mut self, place: Option<ScriptPlace>) -> Option<ScriptPlace> {
        if self.script.is_some() != place.is_some() {
            self.limits.exchange();
        }
        std::mem::replace(&mut self.script, place)
    }

    /// Remembers which line of a script is followed.
    pub fn at_line(&mut self, field: Option<&Field>) {
        let texts = self.limits.texts();
        if let (Some(script), Some((start, _))) = (self.script.as_mut(), field.and_then(|field| field.span))
            && script.texts == texts
        {
            script.line = script.lines.partition_point(|line| *line <= start);
        }
    }
}
