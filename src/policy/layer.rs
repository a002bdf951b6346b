//! One policy text as typed values with their places, before it is merged with the others.
use std::ops::Range;
use std::time::Duration;

use super::model::Selector;
use super::role::{Access, Effect, Role, Shell};
use super::rules::Rule;
use super::settings::{ArgumentRecord, Channel, Require, ServerRequest};
use super::text::{Lines, Trust};

/// A value, the place it stands at as byte offsets, and the same place in words.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub value: T,
    pub span: Range<usize>,
    pub source: String,
}

/// One text.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    pub lines: Lines<'a>,
    pub trust: Trust,
    pub access: Option<Placed<Access>>,
    pub trust_annotations: Option<Placed<bool>>,
    pub paths: PathsLayer,
    pub sensitive: SensitiveLayer,
    pub approval: ApprovalLayer,
    pub tools: Vec<(String, ToolLayer)>,
    pub servers: Vec<(String, ServerLayer)>,
    pub rules: Vec<(Rule, Range<usize>)>,
    pub methods: Vec<(String, Placed<Effect>)>,
    pub server_requests: Vec<(ServerRequest, Placed<Effect>)>,
    pub audit: AuditLayer,
    pub limits: LimitsLayer,
}

#[derive(Debug, Default)]
pub(super) struct PathsLayer {
    pub root: Option<Placed<String>>,
    pub allow: Vec<Placed<String>>,
    pub deny: Vec<Placed<String>>,
    pub run: Vec<Placed<String>>,
}

#[derive(Debug, Default)]
pub(super) struct SensitiveLayer {
    pub extra: Vec<Placed<String>>,
    pub except: Vec<Placed<String>>,
}

#[derive(Debug, Default)]
pub(super) struct ApprovalLayer {
    pub channels: Option<Placed<Vec<Channel>>>,
    pub require: Option<Placed<Require>>,
    pub timeout: Option<Placed<Duration>>,
    pub minimum_answer: Option<Placed<Duration>>,
    pub questions_per_minute: Option<Placed<u64>>,
    pub refusals_per_minute: Option<Placed<u64>>,
    pub program: Option<Placed<String>>,
}

/// What one text says of one tool.
#[derive(Debug, Default)]
pub(super) struct ToolLayer {
    pub read_only: Option<Placed<bool>>,
    pub destructive: Option<Placed<bool>>,
    pub shell: Option<Placed<Shell>>,
    pub roles: Vec<(Placed<Selector>, Role)>,
    pub action: Option<Placed<Effect>>,
    pub reason: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct ServerLayer {
    pub command: Option<Placed<String>>,
    pub args: Option<Placed<Vec<String>>>,
    pub env: Option<Placed<Vec<String>>>,
    pub cwd: Option<Placed<String>>,
    pub url: Option<Placed<String>>,
    pub access: Option<Placed<Access>>,
    pub trust_annotations: Option<Placed<bool>>,
    pub profile: Option<Placed<String>>,
    pub rewrite_relative: Option<Placed<bool>>,
    pub tools: Vec<(String, ToolLayer)>,
}

#[derive(Debug, Default)]
pub(super) struct AuditLayer {
    pub file: Option<Placed<String>>,
    pub arguments: Option<Placed<ArgumentRecord>>,
}

#[derive(Debug, Default)]
pub(super) struct LimitsLayer {
    pub message_bytes: Option<Placed<u64>>,
    pub depth: Option<Placed<u64>>,
    pub call_timeout: Option<Placed<u64>>,
}

impl<T> Placed<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Placed<U> {
        Placed { value: change(self.value), span: self.span, source: self.source }
    }
}

impl Placed<String> {
    pub(super) fn and<U>(self, read: impl FnOnce(&str) -> Option<U>) -> Option<Placed<U>> {
        Some(Placed { value: read(&self.value)?, span: self.span, source: self.source })
    }
}
