//! The words of a question that every channel shows alike; all foreign text in them is made visible.
use super::finding::Kind;
use super::key::Key;
use super::question::{AskedCall, Item, Question};
use crate::analyse::Confidence;
use crate::escape::visible_within;

/// A path or a text of the call is cut to this many characters within a line.
const IN_A_LINE: usize = 400;
/// Not more of the texts or of the covered paths than this are named.
const NAMED: usize = 3;

/// What an agent wrote is told apart from what the gate says.
const ARGUMENTS: &str = "the agent's arguments";

impl Kind {
    /// What the kind means, for a person.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::UnknownTool => "the server does not list this tool",
            Self::Definition => "the tool's definition is not the accepted one",
            Self::Access => "the access level does not cover this tool",
            Self::Outside => "outside the permitted directories",
            Self::Sensitive => "holds credentials, or steers what is run later",
            Self::Unparsed => "could not be analysed",
            Self::PrivateAddress => "a private address",
            Self::Rule => "a policy rule asks",
            Self::ServerRequest => "asked of the client",
        }
    }
}

impl Item {
    /// What is asked, on one line: direction, resolved path and the kinds of finding.
    pub fn headline(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.phrase()).collect();
        let what = self.path.as_ref().map_or_else(|| self.key.text().into_owned(), |path| path.to_string_lossy().into_owned());
        let what = visible_within(&what, IN_A_LINE);
        match (&self.key, self.path.is_some()) {
            (Key::Call(_), _) if self.is_about_definition() => kinds.join(", "),
            (Key::Call(_), false) if self.is_address() || self.is_of_server() => format!("{what}: {}", kinds.join(", ")),
            // The key is a digest there, which says nothing to a person.
            (Key::Call(_), false) => format!("this call: {}", kinds.join(", ")),
            _ => format!("{} {what}: {}", self.direction, kinds.join(", ")),
        }
    }

    /// The lines below the headline: the text as it stood, the reason, what else the answer covers, doubt.
    pub fn details(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.raw.is_empty() {
            let places: Vec<String> = self.arguments.iter().take(NAMED).map(|name| visible_within(name, IN_A_LINE)).collect();
            let place = if places.is_empty() { String::new() } else { format!(" in {}", places.join(", ")) };
            lines.push(format!("as written: {}{place}", listed(&self.raw, NAMED)));
        }
        if !self.because.is_empty() {
            lines.push(format!("because: {}", visible_within(&self.because, IN_A_LINE)));
        }
        if let Some(place) = self.covers() {
            lines.push(place);
        }
        if self.confidence == Confidence::Guess && !matches!(self.key, Key::Call(_)) {
            lines.push("this may be no path at all: it was found by its look".to_owned());
        }
        lines
    }

    /// The place an answer is good for, in words.
    pub fn scope(&self) -> String {
        match &self.key {
            Key::Directory(path) => format!("{} and all below it", visible_within(&path.to_string_lossy(), IN_A_LINE)),
            Key::File(path) => format!("the file {}", visible_within(&path.to_string_lossy(), IN_A_LINE)),
            Key::Call(_) if self.is_about_definition() => "the tool as it is defined now".to_owned(),
            Key::Call(_) if self.is_of_server() => "this request".to_owned(),
            Key::Call(_) => "this call".to_owned(),
        }
    }

    fn is_about_definition(&self) -> bool {
        self.kinds == [Kind::Definition]
    }

    /// What an answer for the session covers, with examples of it: a path of this call, and one of no call yet.
    pub fn lasting_scope(&self) -> String {
        match &self.key {
            Key::Directory(directory) => {
                let own = self.covered.first().or(self.path.as_ref()).filter(|path| *path != directory);
                let any = directory.join("some/other-file");
                let examples = own.into_iter().chain([&any]).map(|path| visible_within(&path.to_string_lossy(), IN_A_LINE));
                let examples: Vec<String> = examples.collect();
                format!("{}, whichever tool reads or writes there, such as {}", self.scope(), examples.join(" and "))
            }
            Key::File(_) => format!("{}, whichever tool reads or writes it", self.scope()),
            Key::Call(url) if self.is_address() => format!("{}, whichever tool names it", visible_within(url, IN_A_LINE)),
            Key::Call(_) if self.kinds.contains(&Kind::Definition) => "the tool as it is defined now".to_owned(),
            Key::Call(what) if self.is_of_server() => format!("each {}, whatever it says", visible_within(what, IN_A_LINE)),
            Key::Call(_) => "this call again, with the same arguments".to_owned(),
        }
    }

    fn is_of_server(&self) -> bool {
        self.kinds.contains(&Kind::ServerRequest)
    }

    fn is_address(&self) -> bool {
        self.kinds.contains(&Kind::PrivateAddress)
    }

    /// Calls that are asked about together are few, and each of their paths is named.
    fn named(&self) -> usize {
        if self.calls.len() > 1 { usize::MAX } else { NAMED }
    }

    fn here(&self) -> &'static str {
        if self.calls.len() > 1 { "in these calls" } else { "in this call" }
    }

    fn covers(&self) -> Option<String> {
        let same = self.path.as_deref().is_some_and(|path| path.to_string_lossy() == self.key.text());
        let others: Vec<String> =
            self.covered.iter().filter(|path| Some(*path) != self.path.as_ref()).map(|path| path.to_string_lossy().into_owned()).collect();
        match (&self.key, others.is_empty()) {
            (Key::Call(_), _) => None,
            (_, true) if same => None,
            (_, true) => Some(format!("an answer is for {}", self.scope())),
            (_, false) => Some(format!("an answer is for {}, {} also {}", self.scope(), self.here(), listed(&others, self.named()))),
        }
    }
}

impl Question {
    /// What is asked about `item`, on one line; where there are several calls it says which.
    pub fn headline(&self, item: &Item) -> String {
        if self.calls.len() < 2 {
            return item.headline();
        }
        let places: Vec<String> = item.calls.iter().map(|place| (place + 1).to_string()).collect();
        let calls = if places.len() == 1 { "call" } else { "calls" };
        format!("{calls} {} (tool {}): {}", places.join(", "), quoted(self.tool_of(item)), item.headline())
    }

    /// The rule that `allow always` writes for `item`, in words.
    pub fn standing_rule(&self, item: &Item) -> String {
        format!(
            "allow tool {} of server {} to reach {}, as long as the tool's definition stays the same",
            quoted(self.tool_of(item)),
            quoted(&self.server),
            item.scope()
        )
    }

    /// Who wants to run what, on one line.
    pub fn who(&self) -> String {
        let client = self.client.as_ref().map_or_else(String::new, |client| format!(", for {}", quoted(client)));
        let directory =
            if self.directory.is_empty() { String::new() } else { format!(", in {}", visible_within(&self.directory, IN_A_LINE)) };
        let wants = match self.calls.as_slice() {
            [only] if only.by_server => format!("asks the client for {}", quoted(&only.tool)),
            [only] => format!("wants to run tool {}", named(&only.tool, only.destructive)),
            several => format!("wants to run {} calls", several.len()),
        };
        format!("server {} {wants}{client}{directory}", quoted(&self.server))
    }

    /// The arguments of each call on a line of its own, together cut to about `limit` characters with a count.
    pub fn arguments_within(&self, limit: usize) -> Vec<String> {
        let of = self.calls.len();
        let line = |(place, call): (usize, &AskedCall)| {
            let heading = heading((place, of), &call.tool, call.destructive, call.by_server);
            format!("{heading}: {}", visible_within(&call.arguments, limit / of.max(1)))
        };
        self.calls.iter().enumerate().map(line).collect()
    }
}

/// What stands before the arguments of the call at `place` of so many: whose words they are and, where there are several calls, of which
/// call.
pub fn heading((place, of): (usize, usize), tool: &str, destructive: bool, by_server: bool) -> String {
    if by_server {
        "the server's words".to_owned()
    } else if of > 1 {
        format!("call {}: tool {}, {ARGUMENTS}", place + 1, named(tool, destructive))
    } else {
        ARGUMENTS.to_owned()
    }
}

fn named(tool: &str, destructive: bool) -> String {
    let destroys = if destructive { " (known to destroy)" } else { "" };
    format!("{}{destroys}", quoted(tool))
}

/// Remarks for a person, each made visible on a line of its own of at most `width` characters, and no more of them than `most`.
pub fn remarks(notes: &[String], most: usize, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = notes.iter().take(most).map(|note| visible_within(note, width)).collect();
    let more = notes.len().saturating_sub(most);
    lines.extend((more > 0).then(|| format!("and {more} lines more")));
    lines
}

/// `text` in backticks; a backtick within it cannot end the quote.
pub fn quoted(text: &str) -> String {
    format!("`{}`", visible_within(text, IN_A_LINE).replace('`', "\\u{60}"))
}

fn listed(texts: &[String], most: usize) -> String {
    let named: Vec<String> = texts.iter().take(most).map(|text| quoted(text)).collect();
    let more = texts.len().saturating_sub(named.len());
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}
