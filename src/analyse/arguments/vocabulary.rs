//! The words that names of arguments are made of, by what they say.

/// Names of paths.
#[rustfmt::skip]
pub const PATH: &[&str] = &[
    "path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths", "fname", "dir", "dirs", "directory",
    "directories", "folder", "folders", "root", "roots", "cwd", "pwd", "workdir", "basedir", "rootdir", "outdir", "outputdir", "indir",
    "inputdir", "homedir", "tmpdir", "tempdir", "infile", "outfile", "logfile", "pathname", "pathnames", "subdir", "subdirs",
    "subdirectory", "projectroot", "makefile", "dockerfile", "lockfile", "keyfile", "certfile", "worktree",
];
/// Words before `path` that make it a path of another kind, or of another machine.
#[rustfmt::skip]
pub const ELSEWHERE: &[&str] = &[
    "url", "api", "json", "http", "x", "route", "uri", "web", "class", "request", "endpoint", "mount", "container", "remote", "guest",
    "pod", "key", "object", "storage", "bucket", "blob", "name", "field", "query", "property", "xml", "dom",
];
/// Names of bodies, messages and queries.
#[rustfmt::skip]
pub const CONTENT: &[&str] = &[
    "content", "contents", "body", "message", "messages", "msg", "prompt", "prompts", "query", "queries", "question", "questions",
    "description", "comment", "comments", "summary", "diff", "patch", "markdown", "html", "css", "instruction",
    "instructions", "explanation", "reasoning", "thought", "thoughts", "thinking", "caption", "replacement", "snippet", "snippets",
    "observation", "observations", "note", "notes", "transcript", "reply", "answer", "fact", "facts", "q", "goal", "task", "todo",
    "reason", "rationale", "justification", "jql", "promql", "logql", "kql", "formula", "where", "changelog", "stdin", "headers", "template",
];
/// Names of expressions that look like paths by nature.
#[rustfmt::skip]
pub const ROUTE: &[&str] = &[
    "route", "routes", "endpoint", "endpoints", "xpath", "jsonpath", "jmespath", "jq", "pointer", "regex", "regexp", "regexes",
    "selector", "selectors", "locator", "schedule", "cron", "mimetype", "topic", "doi", "timezone",
];
/// Names of command lines.
#[rustfmt::skip]
pub const COMMAND: &[&str] = &[
    "command", "commands", "cmd", "cmds", "cmdline", "commandline", "bash", "shell", "run", "exec", "execute", "cli", "invocation",
];
/// Names of the words after a command.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    "args", "argv", "arguments", "arg", "argument", "parameters", "params", "flags", "options",
];
/// Names of globs.
#[rustfmt::skip]
pub const PATTERN: &[&str] = &[
    "glob", "globs", "pattern", "patterns", "include", "includes", "wildcard", "wildcards",
];
/// Names of URLs.
#[rustfmt::skip]
pub const URL: &[&str] = &[
    "url", "urls", "uri", "uris", "href", "link", "links", "website", "webhook", "site",
];
/// Names of free text.
#[rustfmt::skip]
pub const TEXT: &[&str] = &[
    "text", "texts", "string", "sentence", "paragraph", "line", "lines", "title", "subject",
];
/// Names that say nothing by themselves.
#[rustfmt::skip]
pub const NEUTRAL: &[&str] = &[
    "value", "values", "name", "names", "item", "items", "entry", "entries", "element", "list", "default",
];

/// Names of what is left out.
#[rustfmt::skip]
pub const EXCLUDED: &[&str] = &[
    "exclude", "excludes", "excluded", "ignore", "ignores", "ignored", "skip", "omit",
];
