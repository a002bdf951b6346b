//! What a shell knows at one place of a command line; copied before a part that may or may not run, joined after it.
use std::path::Path;

use super::files::WrittenFiles;
use super::frames::{Directory, Frames};
use super::variables::{Values, Variables};
use crate::analyse::Surroundings;
use crate::analyse::shell::programs::COMMAND_WORDS;
use crate::analyse::shell::values::{Field, Unknown};

/// The three parts of it.
#[derive(Debug, Clone)]
pub struct State {
    pub frames: Frames,
    pub variables: Variables,
    pub files: WrittenFiles,
}

impl State {
    pub fn new(directories: &[String]) -> Self {
        Self { frames: Frames::new(directories), variables: Variables::default(), files: WrittenFiles::default() }
    }

    /// Back to the state before a subshell; what was written and made stays.
    pub fn restore(&mut self, before: &Self) {
        let files = std::mem::take(&mut self.files);
        *self = Self { files, ..before.clone() };
    }

    /// The steps that it takes to come from one of two states to the other, or to join them: each map that differs is copied and compared.
    pub fn distance(&self, other: &Self) -> usize {
        let names = self.frames.distance(&other.frames) + self.variables.distance(&other.variables) + self.files.distance(&other.files);
        names / 2
    }

    /// What may hold after a part that may or may not have run.
    pub fn join(&mut self, other: &Self) {
        if other.frames.is_ended() {
            return;
        }
        if self.frames.is_ended() {
            *self = other.clone();
            return;
        }
        self.frames.join(&other.frames);
        self.variables.join(&other.variables);
        self.files.join(&other.files);
    }

    /// The text of a file that this command line wrote before.
    pub fn written_text(&self, name: &str) -> Option<String> {
        let path = self.frames.absolute(name)?;
        self.files.text(&path).map(|text| text.as_ref().clone())
    }

    /// The values of a name, if anything is known of it.
    pub fn named(&self, name: &str, surroundings: &Surroundings) -> Option<Values> {
        let fields = |directories: &[Directory]| directories.iter().map(|directory| vec![directory.field()]).collect();
        if let Some(values) = self.variables.get(name) {
            return Some(values.clone());
        }
        match name {
            token if COMMAND_WORDS.shells.tokens.has(token) => Some(vec![vec![Field::unknown(Unknown::Token)]]),
            "@" | "*" => Some(vec![self.frames.positional().as_ref().clone()]),
            "IFS" => Some(vec![vec![Field::known(" \t\n")]]),
            "0" => Some(vec![vec![Field::known("sh")]]),
            "PWD" => Some(fields(self.frames.directories())),
            "OLDPWD" if !self.frames.previous().is_empty() => Some(fields(self.frames.previous())),
            _ => self.outer(name, surroundings),
        }
    }

    /// Parameters by number, and what the environment holds.
    fn outer(&self, name: &str, surroundings: &Surroundings) -> Option<Values> {
        if let Ok(number) = name.parse::<usize>() {
            return Some(vec![self.frames.positional().get(number.saturating_sub(1)).cloned().into_iter().collect()]);
        }
        if name == "HOME"
            && let Some(home) = surroundings.home.as_deref().and_then(Path::to_str)
        {
            return Some(vec![vec![Field::known(home)]]);
        }
        surroundings.variables.get(name).map(|text| vec![vec![Field::known(text.as_str())]])
    }
}
