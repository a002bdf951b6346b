//! Choices and loops: each way is followed, then the states are joined.
use super::interpreter::Interpreter;
use super::limits::Depth;
use super::state::State;
use crate::analyse::shell::grammar::{Script, Word};
use crate::analyse::shell::values::{Field, Stream, Unknown};

/// Deepest nesting of loops whose second round is followed; each doubles the work of what it holds.
const MOST_LOOPS: usize = 4;
/// Most values a loop variable takes one by one.
const MOST_ROUNDS: usize = 64;

impl Interpreter<'_> {
    pub(super) fn branches(&mut self, parts: &[(Option<Script>, Script)], input: &Stream) -> Stream {
        let mut joined: Option<State> = None;
        let mut output = Stream::None;
        let mut exhaustive = false;
        for (condition, body) in parts {
            if let Some(condition) = condition {
                self.script(condition, input);
            }
            exhaustive = condition.is_none();
            let before = self.state.clone();
            output = output.or(self.script(body, input));
            self.add_branch(&mut joined);
            self.state = before;
        }
        if !exhaustive {
            self.add_branch(&mut joined);
        }
        self.state = joined.unwrap_or_else(|| self.state.clone());
        output
    }

    fn add_branch(&mut self, joined: &mut Option<State>) {
        match joined {
            Some(joined) => {
                self.sink.spend(joined.distance(&self.state));
                joined.join(&self.state);
            }
            None => *joined = Some(self.state.clone()),
        }
    }

    pub(super) fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, Script)], input: &Stream) -> Stream {
        self.word_unsplit(subject);
        let before = self.state.clone();
        let mut joined = Some(before.clone());
        let mut output = Stream::None;
        for (patterns, body) in arms {
            self.state = before.clone();
            for pattern in patterns {
                self.word_unsplit(pattern);
            }
            output = output.or(self.script(body, input));
            self.add_branch(&mut joined);
        }
        self.state = joined.unwrap_or(before);
        output
    }

    /// A loop: the body may run or not, and once more with what it left behind.
    pub(super) fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> Stream) -> Stream {
        let before = self.state.clone();
        let mut output = self.deeper(Depth::Loop, &mut body);
        let changed =
            !before.variables.is_unchanged(&self.state.variables) || before.frames.directories() != self.state.frames.directories();
        let mut joined = before;
        self.sink.spend(joined.distance(&self.state));
        joined.join(&self.state);
        joined.frames.revive();
        self.state = joined;
        if changed && self.sink.limits().loops() >= MOST_LOOPS {
            self.sink.unparsed_line("loops are nested too deeply");
        } else if changed && !self.sink.spend(1) {
            let before = self.state.clone();
            output = output.then(self.deeper(Depth::Loop, &mut body));
            let known = before.frames.directories();
            if self.state.frames.directories().iter().any(|now| !known.contains(now)) {
                self.sink.unparsed_line("a loop moves to another directory in each round");
            }
            self.state.join(&before);
        }
        output
    }

    pub(super) fn for_each(&mut self, name: &str, words: Option<&[Word]>, body: &Script, input: &Stream) -> Stream {
        let values = match words {
            Some(words) => words.iter().flat_map(|word| self.word(word)).collect(),
            None => self.state.frames.positional().as_ref().clone(),
        };
        self.act(&Stream::None, |acts| values.iter().for_each(|value| acts.listed_by_glob(value)));
        let values = distinct_rounds(values);
        if values.len() > MOST_ROUNDS {
            self.sink.unparsed_line("a loop takes too many different values");
        }
        let before = self.state.clone();
        let mut joined = before.clone();
        let mut output = Stream::None;
        for value in values.into_iter().take(MOST_ROUNDS) {
            if self.sink.spend(1) {
                break;
            }
            self.state = before.clone();
            self.state.variables.set(name, vec![value.clone()]);
            output = output.then(self.repeat(|inner| {
                inner.state.variables.set(name, vec![value.clone()]);
                inner.script(body, input)
            }));
            self.sink.spend(joined.distance(&self.state));
            joined.join(&self.state);
        }
        self.state = joined;
        output
    }
}

/// The values of a loop; plain names beyond a few stand for each other.
fn distinct_rounds(values: Vec<Field>) -> Vec<Field> {
    if values.len() <= MOST_ROUNDS {
        return values;
    }
    let plain = |field: &Field| field.literal().is_some_and(|text| !text.contains('/') && !text.starts_with(['.', '~']));
    let (tokens, mut others): (Vec<_>, Vec<_>) = values.into_iter().partition(plain);
    if !tokens.is_empty() {
        others.push(Field::unknown(Unknown::Token));
    }
    others
}
