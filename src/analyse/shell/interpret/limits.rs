//! How far a command line is followed: steps, and how deep texts, functions and loops lie in each other.
use crate::analyse::shell::grammar::MOST_WORDS;

/// Most steps (words, values, loop rounds) of one command line; past it the rest is not followed.
const MOST_STEPS: usize = MOST_WORDS;
/// Deepest nesting of commands that are read from text: `eval`, `sh -c`, functions.
pub const DEEPEST_TEXT: usize = 24;

/// What lies within something of its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// A text that is not counted as one by itself: a prompt, the command of another shell.
    Inner,
    /// A text that is parsed.
    Text,
    /// The body of a function.
    Call,
    /// The body of a loop.
    Loop,
}

/// Whether there are steps left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    Left,
    /// They ended just now.
    End,
    Ended,
}

#[derive(Debug, Clone, Copy, Default)]
struct Budget {
    steps: usize,
    spent: bool,
}

/// What was used so far.
#[derive(Debug, Default)]
pub struct Limits {
    /// Steps of the command line itself, or of all scripts while one of them is followed.
    now: Budget,
    /// The other of the two.
    aside: Budget,
    /// How many texts within texts lead here.
    nested: usize,
    /// How many loops lead here.
    loops: usize,
    /// How many calls of functions lead here.
    calls: usize,
    /// How many parsed texts lead here, functions not counted.
    texts: usize,
}

impl Limits {
    pub fn spend(&mut self, cost: usize) -> Steps {
        self.now.steps = self.now.steps.saturating_add(cost);
        if self.now.spent {
            return Steps::Ended;
        }
        self.now.spent = self.now.steps > MOST_STEPS;
        if self.now.spent { Steps::End } else { Steps::Left }
    }

    /// Goes over from the steps of the command line to those of scripts, or back.
    pub fn exchange(&mut self) {
        std::mem::swap(&mut self.now, &mut self.aside);
    }

    pub fn enter(&mut self, depth: Depth) {
        self.nested += usize::from(depth != Depth::Loop);
        self.texts += usize::from(depth == Depth::Text);
        self.calls += usize::from(depth == Depth::Call);
        self.loops += usize::from(depth == Depth::Loop);
    }

    pub fn leave(&mut self, depth: Depth) {
        self.nested -= usize::from(depth != Depth::Loop);
        self.texts -= usize::from(depth == Depth::Text);
        self.calls -= usize::from(depth == Depth::Call);
        self.loops -= usize::from(depth == Depth::Loop);
    }

    /// How many texts within texts lead here; spans count only at 0.
    pub fn nested(&self) -> usize {
        self.nested
    }

    /// How many loops lead here.
    pub fn loops(&self) -> usize {
        self.loops
    }

    /// How many parsed texts lead here, functions not counted.
    pub fn texts(&self) -> usize {
        self.texts
    }

    /// Whether a function is being called.
    pub fn in_call(&self) -> bool {
        self.calls > 0
    }
}
