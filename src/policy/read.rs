//! Policy text to a layer: parses, checks the form against the key table, then takes the values out.
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys;
use super::layer::{ApprovalLayer, AuditLayer, Layer, LimitsLayer, PathsLayer, Placed, SensitiveLayer, ServerLayer, ToolLayer};
use super::role::Role;
use super::rules::{NameGlob, Rule, Wanted};
use super::selector;
use super::settings::Word;
use super::shape;
use super::text::{Lines, PolicyError, Problem, Text};
use crate::escape::visible;

/// Which key declares which role.
pub(super) const ROLES: &[(&str, Role)] = &[
    ("paths", Role::Path),
    ("write_paths", Role::WritePath),
    ("commands", Role::Command),
    ("patterns", Role::Pattern),
    ("urls", Role::Url),
    ("content", Role::Content),
    ("code", Role::Code),
    ("sql", Role::Sql),
    ("plain", Role::Plain),
];

/// Reads one policy text.
///
/// # Errors
/// Everything in it that is not understood.
pub(super) fn layer(text: &Text) -> Result<Layer<'_>, PolicyError> {
    let lines = Lines::new(&text.name, &text.text);
    let document = document(&lines, &text.text)?;
    let mut problems = Vec::new();
    shape::check(&document, keys::POLICY, &lines, &mut problems);
    let section = Section { table: &document, lines: &lines };
    if !document.contains_key("version") {
        problems.push(lines.problem(0..0, "`version` is missing", "begin the file with `version = 1`"));
    }
    section.consistency(&mut problems);
    if !problems.is_empty() {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        return Err(PolicyError { problems });
    }
    Ok(section.layer(text))
}

/// Parses TOML; a repeated key is an error of the language itself.
pub(super) fn document<'a>(lines: &Lines<'_>, text: &'a str) -> Result<DeTable<'a>, PolicyError> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = visible(&error.message().lines().collect::<Vec<_>>().join(", "));
        PolicyError { problems: vec![lines.problem(span, format!("not valid TOML: {message}"), syntax_hint(&message))] }
    })
}

fn syntax_hint(message: &str) -> &'static str {
    if message.contains("duplicate") {
        "a key may stand once in its table: merge the two places into one"
    } else {
        "strings are quoted, lists stand in `[` `]`, and each key has a line of its own"
    }
}

/// A table whose form was checked.
pub(super) struct Section<'t, 'a> {
    pub table: &'t DeTable<'a>,
    pub lines: &'t Lines<'a>,
}

impl<'t, 'a> Section<'t, 'a> {
    fn layer(&self, text: &'a Text) -> Layer<'a> {
        Layer {
            lines: self.lines.clone(),
            trust: text.trust,
            access: self.word("access"),
            trust_annotations: self.flag("trust_annotations"),
            paths: self.below("paths").map(|section| section.paths()).unwrap_or_default(),
            sensitive: self.below("sensitive").map(|section| section.sensitive()).unwrap_or_default(),
            approval: self.below("approval").map(|section| section.approval()).unwrap_or_default(),
            tools: self.tools(),
            servers: self.entries("servers").map(|(name, section)| (name, section.server())).collect(),
            rules: self.rules(),
            methods: self.below("methods").map(|section| section.methods()).unwrap_or_default(),
            server_requests: self.below("server_requests").map(|section| section.server_requests()).unwrap_or_default(),
            audit: self.below("audit").map(|section| section.audit()).unwrap_or_default(),
            limits: self.below("limits").map(|section| section.limits()).unwrap_or_default(),
        }
    }

    fn paths(&self) -> PathsLayer {
        PathsLayer { root: self.text("root"), allow: self.texts("allow"), deny: self.texts("deny"), run: self.texts("run") }
    }

    fn sensitive(&self) -> SensitiveLayer {
        SensitiveLayer { extra: self.texts("extra"), except: self.texts("except") }
    }

    fn approval(&self) -> ApprovalLayer {
        ApprovalLayer {
            channels: self
                .joined("channels")
                .map(|placed| placed.map(|words| words.iter().filter_map(|word| Word::from_word(word)).collect())),
            require: self.word("require"),
            timeout: self.count("timeout").map(|placed| placed.map(Duration::from_secs)),
            minimum_answer: self.count("minimum_answer_ms").map(|placed| placed.map(Duration::from_millis)),
            questions_per_minute: self.count("questions_per_minute"),
            refusals_per_minute: self.count("refusals_per_minute"),
            program: self.text("program"),
        }
    }

    pub(super) fn tools(&self) -> Vec<(String, ToolLayer)> {
        self.entries("tools").map(|(name, section)| (name, section.tool())).collect()
    }

    fn tool(&self) -> ToolLayer {
        let declared = |(key, role): &(&str, Role)| {
            let role = *role;
            self.texts(key).into_iter().filter_map(move |placed| Some((placed.and(selector::parse)?, role)))
        };
        ToolLayer {
            read_only: self.flag("read_only"),
            destructive: self.flag("destructive"),
            shell: self.word("shell"),
            roles: ROLES.iter().flat_map(declared).collect(),
            action: self.word("action"),
            reason: self.text("reason").map(|placed| placed.value),
        }
    }

    fn server(&self) -> ServerLayer {
        ServerLayer {
            command: self.text("command"),
            args: self.joined("args"),
            env: self.joined("env"),
            cwd: self.text("cwd"),
            url: self.text("url"),
            access: self.word("access"),
            trust_annotations: self.flag("trust_annotations"),
            profile: self.text("profile"),
            rewrite_relative: self.flag("rewrite_relative"),
            tools: self.tools(),
        }
    }

    fn rules(&self) -> Vec<(Rule, Range<usize>)> {
        self.items("rules").filter_map(|item| Some((self.inside(item.get_ref().as_table()?).rule(item.span())?, item.span()))).collect()
    }

    fn rule(&self, span: Range<usize>) -> Option<Rule> {
        let glob = |key: &str| self.text(key).and_then(|placed| NameGlob::new(&placed.value));
        Some(Rule {
            server: glob("server"),
            tool: glob("tool"),
            when: self.below("when").map(|section| section.conditions()).unwrap_or_default(),
            action: self.word("action")?.value,
            reason: self.text("reason").map(|placed| placed.value),
            source: self.lines.source(span.start),
        })
    }

    fn conditions(&self) -> Vec<(super::Selector, Wanted)> {
        let pairs = self.table.iter();
        pairs.filter_map(|(pointer, value)| Some((selector::parse(pointer.get_ref())?, wanted(value.get_ref())?))).collect()
    }

    fn methods(&self) -> Vec<(String, Placed<super::Effect>)> {
        self.table.keys().filter_map(|name| Some((name.get_ref().to_string(), self.word(name.get_ref())?))).collect()
    }

    fn server_requests(&self) -> Vec<(super::ServerRequest, Placed<super::Effect>)> {
        super::ServerRequest::WORDS.iter().filter_map(|(name, kind)| Some((*kind, self.word(name)?))).collect()
    }

    fn audit(&self) -> AuditLayer {
        AuditLayer { file: self.text("file"), arguments: self.word("arguments") }
    }

    fn limits(&self) -> LimitsLayer {
        LimitsLayer { message_bytes: self.count("message_bytes"), depth: self.count("depth"), call_timeout: self.count("call_timeout") }
    }

    /// What the form alone cannot say.
    fn consistency(&self, problems: &mut Vec<Problem>) {
        self.tools_consistency(problems);
        for (_, server) in self.entries("servers") {
            server.tools_consistency(problems);
            if let (Some(_), Some(url)) = (server.text("command"), server.text("url")) {
                problems.push(self.lines.problem(url.span, "a server has either `command` or `url`", "remove one of the two"));
            }
        }
        let program = self.below("approval").and_then(|section| section.text("program"));
        if let Some(program) = program.filter(|placed| !placed.value.starts_with('/') && !placed.value.contains(":\\")) {
            problems.push(self.lines.problem(
                program.span,
                "`program` must be an absolute path",
                "write the whole path, as `command -v` prints it",
            ));
        }
        for item in self.items("rules") {
            if item.get_ref().as_table().is_some_and(|rule| !rule.contains_key("action")) {
                problems.push(self.lines.problem(item.span(), "a rule has no `action`", "add `action = \"deny\"`, \"ask\" or \"allow\""));
            }
        }
    }

    pub(super) fn tools_consistency(&self, problems: &mut Vec<Problem>) {
        for (_, tool) in self.entries("tools") {
            let mut seen: Vec<(String, &str)> = Vec::new();
            for (key, _) in ROLES {
                for placed in tool.texts(key) {
                    if let Some((_, other)) = seen.iter().find(|(name, other)| *name == placed.value && other != key) {
                        let message = format!("argument `{}` is declared in `{other}` and in `{key}`", visible(&placed.value));
                        problems.push(self.lines.problem(placed.span, message, "an argument has one role: keep one of the two"));
                    } else {
                        seen.push((placed.value, *key));
                    }
                }
            }
        }
    }

    fn inside<'s>(&'s self, table: &'s DeTable<'a>) -> Section<'s, 'a> {
        Section { table, lines: self.lines }
    }

    fn below(&self, key: &str) -> Option<Section<'t, 'a>> {
        Some(Section { table: self.table.get(key)?.get_ref().as_table()?, lines: self.lines })
    }

    fn entries(&self, key: &str) -> impl Iterator<Item = (String, Section<'t, 'a>)> + use<'t, 'a> {
        let lines = self.lines;
        let table = self.table.get(key).and_then(|value| value.get_ref().as_table());
        table
            .into_iter()
            .flat_map(DeTable::iter)
            .filter_map(move |(name, value)| Some((name.get_ref().to_string(), Section { table: value.get_ref().as_table()?, lines })))
    }

    pub(super) fn text(&self, key: &str) -> Option<Placed<String>> {
        let value = self.table.get(key)?;
        Some(self.placed(value.get_ref().as_str()?.to_owned(), value.span()))
    }

    pub(super) fn word<W: Word>(&self, key: &str) -> Option<Placed<W>> {
        self.text(key)?.and(W::from_word)
    }

    fn flag(&self, key: &str) -> Option<Placed<bool>> {
        let value = self.table.get(key)?;
        Some(self.placed(value.get_ref().as_bool()?, value.span()))
    }

    fn count(&self, key: &str) -> Option<Placed<u64>> {
        let value = self.table.get(key)?;
        let number = value.get_ref().as_integer()?;
        Some(self.placed(u64::from_str_radix(number.as_str(), number.radix()).ok()?, value.span()))
    }

    pub(super) fn texts(&self, key: &str) -> Vec<Placed<String>> {
        self.items(key).filter_map(|item| Some(self.placed(item.get_ref().as_str()?.to_owned(), item.span()))).collect()
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'a>>> + use<'t, 'a> {
        self.table.get(key).and_then(|value| value.get_ref().as_array()).into_iter().flatten()
    }

    fn joined(&self, key: &str) -> Option<Placed<Vec<String>>> {
        let span = self.table.get(key)?.span();
        Some(self.placed(self.texts(key).into_iter().map(|placed| placed.value).collect(), span))
    }

    fn placed<T>(&self, value: T, span: Range<usize>) -> Placed<T> {
        Placed { value, source: self.lines.source(span.start), span }
    }
}

fn wanted(value: &DeValue<'_>) -> Option<Wanted> {
    match value {
        DeValue::String(text) => NameGlob::new(text).map(Wanted::Text),
        DeValue::Boolean(flag) => Some(Wanted::Flag(*flag)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| Wanted::Number(number.into())),
        DeValue::Float(number) => number.as_str().parse().ok().and_then(serde_json::Number::from_f64).map(Wanted::Number),
        _ => None,
    }
}
