//! The effective policy as TOML that reads back to the same policy, each value with the place it was set.
use std::fmt::Write as _;
use std::time::Duration;

use crate::escape::{each_character, visible};

use super::model::{Listed, Policy, Selector, Sourced};
use super::read::ROLES;
use super::role::Role;
use super::rules::{Rule, Wanted};
use super::settings::{Server, Word};
use super::tool::ToolEntry;

/// Renders the policy.
pub fn show(policy: &Policy) -> String {
    let mut page = Page::default();
    page.line("# The effective policy. Behind each value stands where it was set.");
    page.line("version = 1");
    page.word("access", &policy.access);
    page.plain("trust_annotations", &policy.trust_annotations);
    page.paths(policy);
    page.approval(policy);
    page.section("server_requests");
    policy.server_requests.iter().for_each(|(kind, action)| page.value(word_of(kind), &quoted(word_of(&action.value)), &action.source));
    page.section("methods");
    policy.methods.iter().for_each(|(method, action)| page.word(method, action));
    page.audit(policy);
    policy.tools.iter().for_each(|(name, tool)| page.tool(&format!("tools.{}", key(name)), tool));
    policy.servers.iter().for_each(|(name, server)| page.server(name, server));
    policy.rules.iter().for_each(|rule| page.rule(rule));
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn paths(&mut self, policy: &Policy) {
        self.section("paths");
        self.text("root", &policy.root);
        self.list("allow", &policy.allow);
        self.list("deny", &policy.deny);
        self.list("run", &policy.run);
        self.section("sensitive");
        self.list("extra", &policy.extra);
        self.list("except", &policy.except);
    }

    fn approval(&mut self, policy: &Policy) {
        let approval = &policy.approval;
        self.section("approval");
        let channels = approval.channels.value.iter().map(|channel| quoted(word_of(channel))).collect::<Vec<_>>().join(", ");
        self.value("channels", &format!("[{channels}]"), &approval.channels.source);
        self.word("require", &approval.require);
        if let Some(timeout) = &approval.timeout {
            self.value("timeout", &timeout.value.as_secs().to_string(), &timeout.source);
        }
        self.value("minimum_answer_ms", &milliseconds(approval.minimum_answer.value), &approval.minimum_answer.source);
        self.plain("questions_per_minute", &approval.questions_per_minute);
        self.plain("refusals_per_minute", &approval.refusals_per_minute);
        approval.program.iter().for_each(|program| self.text("program", program));
    }

    fn audit(&mut self, policy: &Policy) {
        self.section("audit");
        policy.audit.file.iter().for_each(|file| self.text("file", file));
        self.word("arguments", &policy.audit.arguments);
        self.section("limits");
        self.plain("message_bytes", &policy.limits.message_bytes);
        self.plain("depth", &policy.limits.depth);
        self.plain("call_timeout", &policy.limits.call_timeout);
    }

    fn tool(&mut self, section: &str, tool: &ToolEntry) {
        self.section(section);
        tool.read_only.iter().for_each(|flag| self.plain("read_only", flag));
        tool.destructive.iter().for_each(|flag| self.plain("destructive", flag));
        tool.shell.iter().for_each(|shell| self.word("shell", shell));
        for (name, role) in ROLES {
            let mut listed = Listed::default();
            effective(tool, *role).for_each(|(selector, source)| listed.add(selector.text(), source.to_owned()));
            if !listed.values.is_empty() {
                self.list(name, &listed);
            }
        }
        tool.action.iter().for_each(|action| self.word("action", action));
        tool.reason.iter().for_each(|reason| self.line(&format!("reason = {}", quoted(reason))));
    }

    fn server(&mut self, name: &str, server: &Server) {
        let section = format!("servers.{}", key(name));
        self.section(&section);
        if let Some(command) = &server.command {
            self.text("command", command);
            self.line(&format!("args = {}", array(&server.args)));
            self.line(&format!("env = {}", array(&server.env)));
        }
        server.cwd.iter().for_each(|cwd| self.text("cwd", cwd));
        server.url.iter().for_each(|url| self.text("url", url));
        server.access.iter().for_each(|access| self.word("access", access));
        server.trust_annotations.iter().for_each(|flag| self.plain("trust_annotations", flag));
        server.profile.iter().for_each(|profile| self.text("profile", profile));
        server.rewrite_relative.iter().for_each(|flag| self.plain("rewrite_relative", flag));
        server.tools.iter().for_each(|(name, tool)| self.tool(&format!("{section}.tools.{}", key(name)), tool));
    }

    fn rule(&mut self, rule: &Rule) {
        self.line(&format!("\n[[rules]]  # {}", visible(&rule.source)));
        rule.server.iter().for_each(|server| self.line(&format!("server = {}", quoted(server.text()))));
        rule.tool.iter().for_each(|tool| self.line(&format!("tool = {}", quoted(tool.text()))));
        if !rule.when.is_empty() {
            let when = rule.when.iter().map(|(selector, wanted)| format!("{} = {}", quoted(&selector.text()), value_of(wanted)));
            self.line(&format!("when = {{ {} }}", when.collect::<Vec<_>>().join(", ")));
        }
        self.line(&format!("action = {}", quoted(word_of(&rule.action))));
        rule.reason.iter().for_each(|reason| self.line(&format!("reason = {}", quoted(reason))));
    }

    fn section(&mut self, name: &str) {
        self.line(&format!("\n[{name}]"));
    }

    fn list(&mut self, name: &str, listed: &Listed) {
        if listed.values.is_empty() {
            return self.line(&format!("{name} = []"));
        }
        self.line(&format!("{name} = ["));
        listed
            .values
            .iter()
            .zip(&listed.sources)
            .for_each(|(value, source)| self.line(&format!("    {},  # {}", quoted(value), visible(source))));
        self.line("]");
    }

    fn text(&mut self, name: &str, text: &Sourced<String>) {
        self.value(name, &quoted(&text.value), &text.source);
    }

    fn word<W: Word + PartialEq>(&mut self, name: &str, word: &Sourced<W>) {
        self.value(name, &quoted(word_of(&word.value)), &word.source);
    }

    fn plain<T: ToString>(&mut self, name: &str, value: &Sourced<T>) {
        self.value(name, &value.value.to_string(), &value.source);
    }

    fn value(&mut self, name: &str, value: &str, source: &str) {
        self.line(&format!("{} = {value}  # {}", key(name), visible(source)));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// The selectors that have this role in the end: the first role that is said of one is its own.
fn effective(tool: &ToolEntry, role: Role) -> impl Iterator<Item = (&Selector, &str)> {
    let first = |selector: &Selector| tool.roles.iter().find(|rule| rule.selector == *selector).map(|rule| rule.role);
    tool.roles
        .iter()
        .filter(move |rule| rule.role == role && first(&rule.selector) == Some(role))
        .map(|rule| (&rule.selector, rule.source.as_str()))
}

fn word_of<W: Word + PartialEq>(value: &W) -> &'static str {
    W::WORDS.iter().find(|(_, held)| held == value).map_or("", |(word, _)| word)
}

fn value_of(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Text(glob) => quoted(glob.text()),
        Wanted::Number(number) => number.to_string(),
        Wanted::Flag(flag) => flag.to_string(),
    }
}

fn array(values: &[String]) -> String {
    format!("[{}]", values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
}

fn milliseconds(duration: Duration) -> String {
    duration.as_millis().to_string()
}

/// A key as TOML takes it.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_bare { name.to_owned() } else { quoted(name) }
}

/// A TOML string on one line, with escapes for what a person could not see or would mistake.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    each_character(text, |character, misleads| match character {
        '"' | '\\' => out.extend(['\\', character]),
        // Writing to a `String` cannot fail.
        _ if misleads => drop(write!(out, "\\U{:08x}", u32::from(character))),
        plain => out.push(plain),
    });
    out.push('"');
    out
}
