//! What a project's file may set before the user trusts it: one rule for each key, and the check of a text against them.
use std::ops::Range;

use super::sourced::Placed;
use super::text::{Lines, PolicyError, Problem};

/// What an untrusted text may do with a key whose values are `T`.
pub(super) enum Untrusted<T: 'static> {
    /// Set it to anything: whatever it says can only tighten, or decides nothing.
    Anything,
    /// Set what is in it, as far as the rule of each key inside goes.
    Inside,
    /// Not set it; what that would be, in words.
    Never(&'static str),
    /// Set it where the new value is as strict as the one that holds (if any does); what it would be otherwise, in words.
    OnlyIf(&'static str, fn(&T, Option<&T>) -> bool),
}

/// Collects the entries of an untrusted text that would loosen what stands.
pub(super) struct Check<'c, 't> {
    lines: &'c Lines<'t>,
    /// The entry that is checked as one, and so is named as one.
    whole: Option<Range<usize>>,
    problems: Vec<Problem>,
}

impl<'c, 't> Check<'c, 't> {
    pub(super) fn new(lines: &'c Lines<'t>) -> Self {
        Self { lines, whole: None, problems: Vec::new() }
    }

    /// Every entry that loosens is an error.
    pub(super) fn end(self) -> Result<(), PolicyError> {
        if self.problems.is_empty() { Ok(()) } else { Err(PolicyError { problems: self.problems }) }
    }

    /// Holds one entry against the rule of its key and the value that stands.
    pub(super) fn entry<T>(&mut self, placed: &Placed<T>, held: Option<&T>, rule: &Untrusted<T>) {
        match rule {
            Untrusted::Anything | Untrusted::Inside => {}
            Untrusted::Never(what) => self.tell(placed.span.clone(), what),
            Untrusted::OnlyIf(what, is_strict) => {
                if !is_strict(&placed.value, held) {
                    self.tell(placed.span.clone(), what);
                }
            }
        }
    }

    /// Whatever is wrong inside is told of the whole at `span`.
    pub(super) fn within(&mut self, span: Range<usize>, inside: impl FnOnce(&mut Self)) {
        let outer = self.whole.replace(span);
        inside(self);
        self.whole = outer;
    }

    fn tell(&mut self, span: Range<usize>, what: &str) {
        let message = format!("this project file is not trusted, so it may not set {what}");
        let hint = "read the file, then run `callgate trust` to let it loosen the policy, or remove the entry";
        self.problems.push(self.lines.problem(self.whole.clone().unwrap_or(span), message, hint));
    }
}
