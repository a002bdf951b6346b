//! The keys of a policy text and of a server profile, with what each means: the reference that check, schema and `policy show` read.
use super::shape::{Key, Shape};

/// The words for what to do with a call.
const ACTIONS: &[&str] = &["allow", "ask", "deny"];
/// The words for an access level.
const LEVELS: &[&str] = &["read_only", "full"];
/// The largest number a setting takes: what every JSON and TOML reader can hold.
const MOST: u64 = i64::MAX as u64;

const fn key(name: &'static str, shape: Shape, says: &'static str) -> Key {
    Key { name, shape, says }
}

/// A policy file.
pub(super) const POLICY: &[Key] = &[
    key("version", Shape::Count(1, 1), "the version of this format; always 1"),
    key("access", Shape::Word(LEVELS), "which tools may be called: `read_only` (only what is known to change nothing) or `full`"),
    key("trust_annotations", Shape::Flag, "whether what a server says of its own tools counts under `read_only`"),
    key("paths", Shape::Table(PATHS), "which places calls may touch"),
    key("sensitive", Shape::Table(SENSITIVE), "which names hold credentials or control later execution"),
    key("approval", Shape::Table(APPROVAL), "how a person is asked"),
    key("tools", Shape::Named(TOOL), "what is known of a tool, whichever server has it"),
    key("servers", Shape::Named(SERVER), "the servers behind the gate"),
    key("rules", Shape::Tables(RULE), "what is allowed, asked about or refused; the strictest match wins"),
    key("methods", Shape::NamedWords(ACTIONS), "what is done with other methods of the protocol"),
    key("server_requests", Shape::Table(SERVER_REQUESTS), "what is done with requests from server to client"),
    key("audit", Shape::Table(AUDIT), "the record of verdicts"),
    key("limits", Shape::Table(LIMITS), "how much the gate takes in, and for how long it waits"),
];

/// A server profile in `policy/servers/`.
pub(super) const PROFILE: &[Key] = &[
    key("name", Shape::Text, "the profile's name, as the file is called"),
    key("match", Shape::Texts, "names the server goes by: packages, commands, and what it calls itself"),
    key("shell", Shape::Word(SHELLS), "the language of its commands"),
    key("tools", Shape::Named(TOOL), "what is known of its tools"),
];

const SHELLS: &[&str] = &["posix", "cmd", "powershell"];

const PATHS: &[Key] = &[
    key("root", Shape::Text, "the project directory: `auto`, or a directory"),
    key("allow", Shape::Texts, "directories beside the root that are permitted"),
    key("deny", Shape::Globs, "globs of paths that are refused wherever they lie, relative to the root"),
    key("run", Shape::Texts, "directories from which running a program is free"),
];

const SENSITIVE: &[Key] =
    &[key("extra", Shape::Globs, "more names that count as sensitive"), key("except", Shape::Globs, "names that do not")];

const APPROVAL: &[Key] = &[
    key("channels", Shape::Words(&["elicitation", "socket", "tty", "program"]), "the ways to reach a person, first that works"),
    key("require", Shape::Word(&["any", "human"]), "`human` excludes answers that only the client vouches for"),
    key("timeout", Shape::Count(1, 86_400), "seconds until an open question counts as refused"),
    key("minimum_answer_ms", Shape::Count(0, 60_000), "an approval that comes faster than this many milliseconds is refused"),
    key("questions_per_minute", Shape::Count(0, 1000), "more questions than this are not asked within a minute; 0 has no limit"),
    key(
        "refusals_per_minute",
        Shape::Count(0, 1000),
        "after so many refusals of one kind within a minute it is not asked about; 0 asks on",
    ),
    key("program", Shape::Text, "absolute path of a helper program that asks"),
];

const TOOL: &[Key] = &[
    key("read_only", Shape::Flag, "whether it changes nothing"),
    key("destructive", Shape::Flag, "whether it may destroy"),
    key("shell", Shape::Word(SHELLS), "the language of its commands"),
    key("paths", Shape::Arguments, "arguments that are paths"),
    key("write_paths", Shape::Arguments, "arguments that are paths it writes, creates or deletes"),
    key("commands", Shape::Arguments, "arguments that are command lines"),
    key("patterns", Shape::Arguments, "arguments that are globs"),
    key("urls", Shape::Arguments, "arguments that are URLs"),
    key("content", Shape::Arguments, "arguments that are file bodies, messages or queries"),
    key("code", Shape::Arguments, "arguments that are program text"),
    key("sql", Shape::Arguments, "arguments that are SQL"),
    key("plain", Shape::Arguments, "arguments that never name a path"),
    key("action", Shape::Word(ACTIONS), "what is done with every call of it"),
    key("reason", Shape::Text, "why, for the person and the model"),
];

const SERVER: &[Key] = &[
    key("command", Shape::Text, "the program that is the server"),
    key("args", Shape::Strings, "its arguments"),
    key("env", Shape::Texts, "names of the environment variables it gets"),
    key("cwd", Shape::Text, "the directory it starts in"),
    key("url", Shape::Text, "where it listens, if it is not started here"),
    key("access", Shape::Word(LEVELS), "the access level for this server"),
    key("trust_annotations", Shape::Flag, "whether what it says of its own tools counts under `read_only`"),
    key("profile", Shape::Text, "the server profile that fits it, or `none`"),
    key("rewrite_relative", Shape::Flag, "whether relative path arguments are made absolute against the root"),
    key("tools", Shape::Named(TOOL), "what is known of its tools"),
];

const RULE: &[Key] = &[
    key("server", Shape::NameGlob, "the servers it is for; any if absent"),
    key("tool", Shape::NameGlob, "the tools it is for; any if absent"),
    key("when", Shape::Conditions, "arguments and the values they must have; a string may hold `*`"),
    key("action", Shape::Word(ACTIONS), "what is done with the call"),
    key("reason", Shape::Text, "why, for the person and the model"),
];

const SERVER_REQUESTS: &[Key] = &[
    key("sampling", Shape::Word(ACTIONS), "the server uses the client's model"),
    key("elicitation", Shape::Word(ACTIONS), "the server asks the user something"),
    key("roots", Shape::Word(ACTIONS), "the server asks for the client's roots"),
];

const AUDIT: &[Key] = &[
    key("file", Shape::Text, "where verdicts are recorded"),
    key("arguments", Shape::Word(&["digest", "full"]), "whether arguments are recorded as digests or in full"),
];

const LIMITS: &[Key] = &[
    key("message_bytes", Shape::Count(1024, MOST), "the longest message, in bytes"),
    key("depth", Shape::Count(8, 10_000), "the deepest nesting of a message"),
    key("call_timeout", Shape::Count(0, 86_400), "seconds until a call is given up; 0 waits for ever"),
];
