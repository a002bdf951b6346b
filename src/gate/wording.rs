//! The words of a question that every channel shows alike; all foreign text in them is made visible.
use super::finding::{Key, Kind};
use super::mention::Confidence;
use super::question::{Item, Question};
use super::shown::{shown, shown_within};

/// A path or a text of the call is cut to this many characters within a line.
const IN_A_LINE: usize = 400;
/// Not more of the texts or of the covered paths than this are named.
const NAMED: usize = 3;

impl Kind {
    /// What the kind means, for a person.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::UnknownTool => "the server does not list this tool",
            Self::Definition => "the tool's definition changed",
            Self::Access => "the access level does not cover this tool",
            Self::Outside => "outside the permitted directories",
            Self::Sensitive => "holds credentials, or steers what is run later",
            Self::Unparsed => "could not be analysed",
            Self::PrivateAddress => "a private address",
            Self::Rule => "a policy rule asks",
        }
    }
}

impl Item {
    /// What is asked, on one line: direction, resolved path and the kinds of finding.
    pub fn headline(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.phrase()).collect();
        let what = self.path.as_ref().map_or_else(|| self.key.text(), |path| path.to_string_lossy().into_owned());
        let what = shown_within(&what, IN_A_LINE);
        match (&self.key, self.path.is_some()) {
            (Key::Call(_), false) => format!("{what}: {}", kinds.join(", ")),
            _ => format!("{} {what}: {}", self.direction, kinds.join(", ")),
        }
    }

    /// The lines below the headline: the text as it stood, the reason, what else the answer covers, doubt.
    pub fn details(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.raw.is_empty() {
            let places: Vec<String> = self.arguments.iter().take(NAMED).map(|name| shown_within(name, IN_A_LINE)).collect();
            let place = if places.is_empty() { String::new() } else { format!(" in {}", places.join(", ")) };
            lines.push(format!("as written: {}{place}", listed(&self.raw)));
        }
        if !self.because.is_empty() {
            lines.push(format!("because: {}", shown_within(&self.because, IN_A_LINE)));
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
            Key::Directory(path) => format!("{} and all below it", shown_within(&path.to_string_lossy(), IN_A_LINE)),
            Key::File(path) => format!("the file {}", shown_within(&path.to_string_lossy(), IN_A_LINE)),
            Key::Call(_) => "this call".to_owned(),
        }
    }

    fn covers(&self) -> Option<String> {
        let same = self.path.as_deref().is_some_and(|path| path.to_string_lossy() == self.key.text());
        let others: Vec<String> =
            self.covered.iter().filter(|path| Some(*path) != self.path.as_ref()).map(|path| path.to_string_lossy().into_owned()).collect();
        match (&self.key, others.is_empty()) {
            (Key::Call(_), _) => None,
            (_, true) if same => None,
            (_, true) => Some(format!("an answer is for {}", self.scope())),
            (_, false) => Some(format!("an answer is for {}, in this call also {}", self.scope(), listed(&others))),
        }
    }
}

impl Question {
    /// The rule that `allow always` writes for `item`, in words.
    pub fn standing_rule(&self, item: &Item) -> String {
        format!(
            "allow tool {} of server {} to reach {}, as long as the tool's definition stays the same",
            quoted(&self.tool),
            quoted(&self.server),
            item.scope()
        )
    }

    /// Who wants to run what, on one line.
    pub fn who(&self) -> String {
        let client = self.client.as_ref().map_or_else(String::new, |client| format!(", for {}", quoted(client)));
        let directory =
            if self.directory.is_empty() { String::new() } else { format!(", in {}", shown_within(&self.directory, IN_A_LINE)) };
        format!("server {} wants to run tool {}{client}{directory}", quoted(&self.server), quoted(&self.tool))
    }

    /// The arguments, cut to about `limit` characters with a count.
    pub fn arguments_within(&self, limit: usize) -> String {
        shown_within(&self.arguments, limit)
    }

    /// The arguments whole.
    pub fn arguments_shown(&self) -> String {
        shown(&self.arguments)
    }
}

/// `text` in backticks; a backtick within it cannot end the quote.
pub fn quoted(text: &str) -> String {
    format!("`{}`", shown_within(text, IN_A_LINE).replace('`', "\\u{60}"))
}

fn listed(texts: &[String]) -> String {
    let named: Vec<String> = texts.iter().take(NAMED).map(|text| quoted(text)).collect();
    let more = texts.len().saturating_sub(named.len());
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}
