//! Every key of a policy file, each declared once: name, type, form and range, what an untrusted file may do with it, what it means
//! and what holds when nobody sets it. Reading, errors and hints, the merge of texts, the check of untrusted ones, `policy show`
//! and `policy schema` follow from this.
//!
//! To add a key, write one entry into its table below:
//!
//! ```text
//! /// what it means, in one line (the schema's description)
//! name: Type = Shape, Untrusted rule, built-in value;
//! ```
//!
//! - The type says how texts are merged (`cell`): `Sourced` and `Option<Sourced>` take the nearest text's value, `Listed` grows,
//!   `Strictest` keeps the strictest, a table of keys goes key by key, a map name by name.
//! - The shape is the form that the check demands and the schema describes; ranges stand in it.
//! - The rule is what a project's file may do before anyone trusts it (`untrusted`). Where that is a comparison, write it so that
//!   equal is permitted.
//! - A type that has an empty value (`Option`, lists, maps, tables) needs no built-in one.
//!
//! Then describe it in `policy/default.toml`: tests name a key that is missing there, whose value there is another, or that lets an
//! untrusted file make a verdict milder. What the key does is read from the field, which carries its name.
use std::collections::BTreeMap;

use super::cell::{Bare, Cell, Strictest, Table, Version};
use super::conditions::Conditions;
use super::declare::{said, table};
use super::name_glob::NameGlob;
use super::page::Page;
use super::roles::{ROLES, Roles};
use super::section::Section;
use super::shape::{Key, Shape};
use super::sourced::{Listed, Sourced};
use super::strictness::{
    as_strict_as_denied, asks_as_well, at_least, at_most, closes_as_soon, no_more_trust, no_wider, not_allowed, same, within_or_none,
};
use super::untrusted::Untrusted::{Anything, Inside, Never, OnlyIf};
use super::untrusted::{Check, Untrusted};
use super::words::{Access, ArgumentRecord, Channel, Effect, Require, Shell, Word};

/// The largest number a setting takes: what every JSON and TOML reader can hold.
const MOST: u64 = i64::MAX as u64;

table! {
    /// All that policy texts say.
    pub(super) struct Settings, SettingsLayer, first reach_further {
        /// the version of this format; always 1
        version: Version = Shape::Count(1, 1), Anything;
        /// which tools may be called: `read_only` (only what is known to change nothing) or `full`
        pub access: Sourced<Access> = Shape::Word(Access::NAMES), OnlyIf("a wider access level", no_wider), Access::Full;
        /// whether what a server says of its own tools counts under `read_only`
        pub trust_annotations: Sourced<bool> = Shape::Flag, OnlyIf("trust in a server's annotations", no_more_trust), true;
        /// which places calls may touch
        pub paths: Paths = Shape::Table(Paths::KEYS), Inside;
        /// which names hold credentials or control later execution
        pub sensitive: Names = Shape::Table(Names::KEYS), Inside;
        /// how a person is asked
        pub approval: Approval = Shape::Table(Approval::KEYS), Inside;
        /// what is known of a tool, whichever server has it
        pub tools: BTreeMap<String, ToolEntry> = Shape::Named(ToolEntry::KEYS), Inside;
        /// the servers behind the gate
        pub servers: BTreeMap<String, Server> = Shape::Named(Server::KEYS), Inside;
        /// what is allowed, asked about or refused; the strictest match wins
        pub rules: Vec<Sourced<Rule>> = Shape::Tables(Rule::KEYS), Inside;
        /// what is done with other methods of the protocol
        pub methods: BTreeMap<String, Strictest> = Shape::NamedWords(Effect::NAMES), OnlyIf("a method", as_strict_as_denied);
        /// what is done with requests from server to client
        pub server_requests: ServerRequests = Shape::Table(ServerRequests::KEYS), Inside;
        /// the record of verdicts
        pub audit: AuditSettings = Shape::Table(AuditSettings::KEYS), Inside;
        /// how much the gate takes in, and for how long it waits
        pub limits: Limits = Shape::Table(Limits::KEYS), Inside;
    }
}

table! {
    /// `[paths]`.
    pub(super) struct Paths, PathsLayer {
        /// the project directory: `auto`, or a directory
        pub root: Sourced<String> = Shape::Text, OnlyIf("another root", same), "auto".to_owned();
        /// directories beside the root that are permitted
        pub allow: Listed = Shape::Texts, Never("a permitted directory");
        /// globs of paths that are refused wherever they lie, relative to the root
        pub deny: Listed = Shape::Globs, Anything;
        /// directories from which running a program is free
        pub run: Listed = Shape::Texts, Never("a directory of programs"), &[
            "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
            "/opt/homebrew/sbin", "/opt/local/bin", "/snap/bin", "/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin",
        ];
    }
}

table! {
    /// `[sensitive]`.
    pub(super) struct Names, NamesLayer {
        /// more names that count as sensitive
        pub extra: Listed = Shape::Globs, Anything;
        /// names that do not
        pub except: Listed = Shape::Globs, Never("an exception from the sensitive names");
    }
}

table! {
    /// `[approval]`: how a person is asked.
    pub struct Approval, ApprovalLayer {
        /// the ways to reach a person, first that works
        pub channels: Sourced<Vec<Channel>> = Shape::Words(Channel::NAMES), OnlyIf("a way of asking", |said, held| asks_as_well(said, held.map_or(&[], Vec::as_slice))),
            vec![Channel::Elicitation, Channel::Socket, Channel::Tty, Channel::Program];
        /// `human` excludes answers that only the client vouches for
        pub require: Sourced<Require> = Shape::Word(Require::NAMES), OnlyIf("answers from more channels", at_least), Require::Any;
        /// seconds until an open question counts as refused
        pub timeout: Option<Sourced<u64>> = Shape::Count(1, 86_400), OnlyIf("questions that stay open longer", closes_as_soon);
        /// an approval that comes faster than this many milliseconds is refused
        pub minimum_answer_ms: Sourced<u64> = Shape::Count(0, 60_000), OnlyIf("quicker answers", at_least), 0;
        /// more questions than this are not asked within a minute; 0 has no limit
        pub questions_per_minute: Sourced<u64> = Shape::Count(0, 1000), OnlyIf("more questions", within_or_none), 60;
        /// after so many refusals of one kind within a minute it is not asked about; 0 asks on
        pub refusals_per_minute: Sourced<u64> = Shape::Count(0, 1000), OnlyIf("questions after more refusals", within_or_none), 16;
        /// absolute path of a helper program that asks
        pub program: Option<Sourced<String>> = Shape::Program, OnlyIf("a program that answers", same);
    }
}

table! {
    /// What policy texts, or one server profile, say of one tool.
    pub(super) struct ToolEntry, ToolLayer, first keep_stricter {
        /// whether it changes nothing
        pub read_only: Option<Sourced<bool>> = Shape::Flag, OnlyIf("a tool as read-only", |said, _| !said);
        /// whether it may destroy
        pub destructive: Option<Sourced<bool>> = Shape::Flag, OnlyIf("a tool as not destructive", |said, _| *said);
        /// the language of its commands
        pub shell: Option<Sourced<Shell>> = Shape::Word(Shell::NAMES), Never("another command language");
        /// what its arguments are
        // Any role takes another one's place, and with it the search that the other would have got.
        pub roles: Roles = Shape::Roles(ROLES), Never("the role of an argument");
        /// what is done with every call of it
        pub action: Option<Sourced<Effect>> = Shape::Word(Effect::NAMES), OnlyIf("a tool that is allowed", not_allowed);
        /// why, for the person and the model
        pub reason: Bare<String> = Shape::Text, Anything;
    }
}

table! {
    /// `[servers.NAME]`.
    pub struct Server, ServerLayer, first start_anew {
        /// the program that is the server
        pub command: Option<Sourced<String>> = Shape::Text, Never("a program to start");
        /// its arguments
        pub(super) args: Bare<Vec<String>> = Shape::Strings, Never("arguments of a program to start");
        /// names of the environment variables it gets
        pub(super) env: Bare<Vec<String>> = Shape::Texts, Never("environment variables for a server");
        /// the directory it starts in
        pub cwd: Option<Sourced<String>> = Shape::Text, Never("where a server starts");
        /// where it listens, if it is not started here
        pub url: Option<Sourced<String>> = Shape::Text, Never("a server to connect to");
        /// the access level for this server
        pub access: Option<Sourced<Access>> = Shape::Word(Access::NAMES), OnlyIf("a wider access level", no_wider);
        /// whether what it says of its own tools counts under `read_only`
        pub trust_annotations: Option<Sourced<bool>> = Shape::Flag, OnlyIf("trust in a server's annotations", no_more_trust);
        /// the server profile that fits it, or `none`
        pub profile: Option<Sourced<String>> = Shape::Text, OnlyIf("another server profile", same);
        /// whether relative path arguments are made absolute against the root
        pub rewrite_relative: Option<Sourced<bool>> = Shape::Flag, Never("a change of arguments");
        /// what is known of its tools
        pub(super) tools: BTreeMap<String, ToolEntry> = Shape::Named(ToolEntry::KEYS), Inside;
    }
}

table! {
    /// One entry of `[[rules]]`.
    pub(super) struct Rule, RuleLayer {
        /// the servers it is for; any if absent
        pub server: Bare<NameGlob> = Shape::NameGlob, Anything;
        /// the tools it is for; any if absent
        pub tool: Bare<NameGlob> = Shape::NameGlob, Anything;
        /// arguments and the values they must have; a string may hold `*`
        pub when: Bare<Conditions> = Shape::Conditions, Anything;
        /// what is done with the call
        pub action: Bare<Effect> = Shape::Word(Effect::NAMES), OnlyIf("a rule that allows", not_allowed);
        /// why, for the person and the model
        pub reason: Bare<String> = Shape::Text, Anything;
    }
}

table! {
    /// `[server_requests]`.
    pub(super) struct ServerRequests, ServerRequestsLayer {
        /// the server uses the client's model
        pub sampling: Strictest = Shape::Word(Effect::NAMES), OnlyIf("a request of servers", at_least), Effect::Allow;
        /// the server asks the user something
        pub elicitation: Strictest = Shape::Word(Effect::NAMES), OnlyIf("a request of servers", at_least), Effect::Allow;
        /// the server asks for the client's roots
        pub roots: Strictest = Shape::Word(Effect::NAMES), OnlyIf("a request of servers", at_least), Effect::Allow;
    }
}

table! {
    /// `[audit]`: how verdicts are recorded.
    pub struct AuditSettings, AuditLayer {
        /// where verdicts are recorded
        pub file: Option<Sourced<String>> = Shape::Text, Never("where the audit is written");
        /// whether arguments are recorded as digests or in full
        pub arguments: Sourced<ArgumentRecord> = Shape::Word(ArgumentRecord::NAMES),
            OnlyIf("arguments in the audit", same), ArgumentRecord::Digest;
    }
}

table! {
    /// `[limits]`: how much the gate takes in.
    pub struct Limits, LimitsLayer {
        /// the longest message, in bytes
        pub message_bytes: Sourced<u64> = Shape::Count(1024, MOST), OnlyIf("a higher limit", at_most), 64 << 20;
        /// the deepest nesting of a message
        pub depth: Sourced<u64> = Shape::Count(8, 10_000), OnlyIf("a higher limit", at_most), 512;
        /// seconds until a call is given up; 0 waits for ever
        pub call_timeout: Sourced<u64> = Shape::Count(0, 86_400), OnlyIf("a higher limit", within_or_none), 900;
    }
}

/// The keys of a server profile in `policy/servers/`, which is read once and never merged.
pub(super) const PROFILE: &[Key] = &[
    Key { name: "name", shape: Shape::Text, says: "the profile's name, as the file is called" },
    Key { name: "match", shape: Shape::Texts, says: "names the server goes by: packages, commands, and what it calls itself" },
    Key { name: "shell", shape: Shape::Word(Shell::NAMES), says: "the language of its commands" },
    Key { name: "tools", shape: Shape::Named(ToolEntry::KEYS), says: "what is known of its tools" },
];

/// A nearer level for all servers, and a nearer word for a tool of all servers, also tighten what was said of single ones before.
fn reach_further(settings: &mut Settings, layer: &mut SettingsLayer) {
    let narrows = layer.access.as_ref().is_some_and(|access| access.value == Access::ReadOnly);
    let distrusts = layer.trust_annotations.as_ref().is_some_and(|trust| !trust.value);
    for server in settings.servers.values_mut() {
        server.access = server.access.take().filter(|_| !narrows);
        server.trust_annotations = server.trust_annotations.take().filter(|_| !distrusts);
        for (tool, said) in &layer.tools {
            server.tools.get_mut(tool).into_iter().for_each(|entry| tighten_tool(entry, said));
        }
    }
}

fn tighten_tool(entry: &mut ToolEntry, said: &ToolLayer) {
    if let Some(read_only) = said.read_only.as_ref().filter(|placed| !placed.value) {
        entry.read_only = Some(read_only.clone().into());
    }
    if let Some(destructive) = said.destructive.as_ref().filter(|placed| placed.value) {
        entry.destructive = Some(destructive.clone().into());
    }
}

/// Of two actions the stricter stays, with its reason; a reason alone is none.
fn keep_stricter(entry: &mut ToolEntry, layer: &mut ToolLayer) {
    let held = entry.action.as_ref().map(|held| held.value);
    if layer.action.as_ref().is_some_and(|said| Some(said.value) >= held) {
        entry.reason = Bare(None);
    } else {
        (layer.action, layer.reason) = (None, None);
    }
}

/// How a server is reached is one thing: a nearer text that says it says all of it.
fn start_anew(server: &mut Server, layer: &mut ServerLayer) {
    if layer.command.is_some() || layer.url.is_some() {
        (server.command, server.url, server.cwd) = (None, None, None);
        let none = || Bare(layer.command.is_some().then(Vec::new));
        (server.args, server.env) = (none(), none());
    }
}
