//! Member names: no repeats, and none that another reader could take for a name the gate reads.
use std::borrow::Cow;
use std::collections::HashSet;

use super::events::Text;
use super::read::Side;
use super::refused::Reason;
use super::text::unescape;

/// Where an object stands in a message, as far as the gate cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The message itself.
    Top,
    /// `params`.
    Params,
    /// `params._meta`.
    Meta,
    /// `result`.
    Result,
    /// `error`.
    Error,
    /// Anywhere else that is searched for repeated names.
    Strict,
    /// A payload the gate never looks into.
    Loose,
}

const TOP: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: &[&str] = &[
    "name",
    "arguments",
    "uri",
    "path",
    "_meta",
    "task",
    "taskId",
    "inputResponses",
    "requestState",
    "cursor",
    "requestId",
    "progressToken",
    "notifications",
    "protocolVersion",
    "capabilities",
    "clientInfo",
];
const META: &[&str] = &[
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
];
const ANSWER: &[&str] = &["action", "content"];
const OUTCOME: &[&str] = &["tools", "nextCursor", "resultType", "inputRequests", "requestState", "protocolVersion"];
/// Members of a server's result whose insides the gate reads.
const READ_INSIDE: &[&str] = &["tools", "inputRequests", "_meta", "task", "capabilities", "serverInfo"];

impl Place {
    /// The place of the value of member `name` of an object here.
    pub(super) fn inside(self, name: &str, from: Side) -> Place {
        match (self, name, from) {
            (Place::Top, "params", _) => Place::Params,
            (Place::Top, "result", _) => Place::Result,
            (Place::Top, "error", _) => Place::Error,
            (Place::Params, "_meta", _) => Place::Meta,
            (Place::Result, _, Side::Server) if !READ_INSIDE.contains(&name) => Place::Loose,
            (Place::Error, _, Side::Server) | (Place::Loose, ..) => Place::Loose,
            _ => Place::Strict,
        }
    }

    fn read_names(self, from: Side) -> &'static [&'static str] {
        match (self, from) {
            (Place::Top, _) => TOP,
            (Place::Params, Side::Client) => PARAMS,
            (Place::Meta, Side::Client) => META,
            (Place::Result, Side::Client) => ANSWER,
            (Place::Result, Side::Server) => OUTCOME,
            _ => &[],
        }
    }

    /// Refuses a name that is not, but could be read as, a name the gate reads here.
    pub(super) fn look_alike(self, name: &str, escaped: bool, from: Side) -> Result<(), Reason> {
        for of in self.read_names(from) {
            if if escaped { alike(name, of) } else { name != *of && alike(name, of) } {
                return Err(Reason::LookAlike { name: name.to_owned(), of });
            }
        }
        Ok(())
    }
}

/// Equal but for case, with the two letters outside ASCII that fold into it (long s, Kelvin sign), up to a NUL, where C readers stop.
fn alike(name: &str, of: &str) -> bool {
    let name = name.split('\0').next().unwrap_or_default();
    if name.is_ascii() {
        return name.eq_ignore_ascii_case(of);
    }
    let fold = |char| match char {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    name.len() >= of.len() && name.chars().map(fold).eq(of.chars().map(fold))
}

/// The names met so far in one open object.
#[derive(Default)]
pub(super) struct Names<'a> {
    few: Vec<Text>,
    many: Option<HashSet<Cow<'a, [u8]>>>,
}

/// Up to this many names are compared one by one; more go to a hash set with a random key, so that no choice of names makes it slow.
const FEW: usize = 8;

impl<'a> Names<'a> {
    /// Makes it ready for another object.
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many = None;
    }

    /// Adds a name; false when it is there already. Lone surrogates count as equal, because other readers replace them alike.
    pub(super) fn add(&mut self, line: &'a [u8], name: Text) -> bool {
        if let Some(many) = &mut self.many {
            return many.insert(bytes(line, name));
        }
        if self.few.iter().any(|seen| same(line, *seen, name)) {
            return false;
        }
        self.few.push(name);
        if self.few.len() > FEW {
            self.many = Some(self.few.drain(..).map(|seen| bytes(line, seen)).collect());
        }
        true
    }
}

fn bytes(line: &[u8], name: Text) -> Cow<'_, [u8]> {
    if !name.escaped {
        return Cow::Borrowed(name.of(line));
    }
    match unescape(name.of(line)).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn same(line: &[u8], one: Text, other: Text) -> bool {
    if one.escaped || other.escaped { bytes(line, one) == bytes(line, other) } else { one.of(line) == other.of(line) }
}
