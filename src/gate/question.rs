//! The one question model: what a person is asked about a call, what may be answered, and what an answer settles.
use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use std::path::PathBuf;
use std::time::Duration;

use crate::policy::{Direction, Effect};

use super::choice::{Channel, Choice};
use super::finding::{Finding, Kind};
use super::grant::{Grant, Scope};
use super::grant_store::GrantStore;
use super::key::Key;
use crate::analyse::Confidence;

/// Arguments longer than this (in bytes) are not fully seen by a person, so nothing longer-lived than `once` is offered
/// for them (`clients.md` 3.5, rule 3).
pub const FULLY_SHOWN: usize = 10 * 1024;

/// One question, about one call or about a few that came together. Channels render it; none of them decides anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question's id, unique in the gate.
    pub id: String,
    /// The upstream's name.
    pub server: String,
    /// The calls it is about, in the order they came.
    pub calls: Vec<AskedCall>,
    /// One item for each key.
    pub items: Vec<Item>,
    /// The client's own name, where it gave one.
    pub client: Option<String>,
    /// The directory the gate works in.
    pub directory: String,
    /// How long it can be answered, where that is known when it is drawn.
    pub timeout: Option<Duration>,
    /// Further remarks for the person, a line each: what changed in the tool's definition. Foreign text.
    pub notes: Vec<String>,
}

/// A call that a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCall {
    /// The tool, byte for byte.
    pub tool: String,
    /// The call's digest: an answer is good for this call only.
    pub digest: String,
    /// Digest of the script files that it runs, if it runs any: an answer is good for these only.
    pub scripts: Option<String>,
    /// The arguments as raw JSON text, not yet made visible.
    pub arguments: String,
    /// Whether the tool is known to destroy.
    pub destructive: bool,
    /// Whether it is no call: the server asks something of the client, and the arguments are its own words.
    pub by_server: bool,
}

/// What is asked about one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Places of the calls it was found in, in [`Question::calls`].
    pub calls: Vec<usize>,
    /// What the answer is for.
    pub key: Key,
    /// Every kind of finding under the key, in order, each once.
    pub kinds: Vec<Kind>,
    /// The strictest direction of the findings.
    pub direction: Direction,
    /// The resolved path of the first finding that has one.
    pub path: Option<PathBuf>,
    /// The texts as they stood in the arguments, each once.
    pub raw: Vec<String>,
    /// The JSON pointers of the arguments, each once.
    pub arguments: Vec<String>,
    /// Every resolved path of this call that the key stands for, each once.
    pub covered: Vec<PathBuf>,
    /// The strongest confidence of the findings.
    pub confidence: Confidence,
    /// Why it is asked, in words.
    pub because: String,
    /// What may be answered; `deny` is always first.
    pub offered: Vec<Choice>,
}

/// How long an answer may live, as the policy allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    /// Whether an answer may hold for the session.
    pub session: bool,
    /// Whether an answer may be kept in the user's grants.
    pub always: bool,
}

/// How an answer came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The person chose.
    Decided,
    /// The person refused the form as a whole.
    Declined,
    /// The form was put away without a choice.
    Dismissed,
    /// What came back was not one of the answers that were offered, and why.
    Unusable(&'static str),
}

/// What came back for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// A choice per key; a key without one is denied.
    pub decisions: BTreeMap<Key, Choice>,
    /// The person's reason, for the model; foreign text.
    pub reason: Option<String>,
    /// Where it came from.
    pub channel: Channel,
    /// Whether only the client says that a person answered (design 2).
    pub asserted_by_client: bool,
    /// How it ended.
    pub ending: Ending,
}

/// What an answer settles: every key of the question is in exactly one of the two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The keys that are allowed, with how.
    pub allowed: Vec<(Key, Choice)>,
    /// The keys that are denied.
    pub denied: Vec<Key>,
    /// The person's reason; foreign text.
    pub reason: Option<String>,
    /// How the answer ended.
    pub ending: Ending,
}

impl Question {
    /// The question about the findings of a call that ask; `client`, `directory` and `notes` are left for the caller.
    pub fn from_findings(
        id: impl Into<String>,
        server: impl Into<String>,
        tool: impl Into<String>,
        digest: impl Into<String>,
        arguments: impl Into<String>,
        findings: &[Finding],
        scopes: &Scopes,
    ) -> Self {
        let arguments = arguments.into();
        let asking = findings.iter().filter(|finding| finding.action == Effect::Ask);
        let scopes = scopes.narrowed_for(&arguments);
        let items = grouped(asking).into_iter().filter_map(|group| Item::of(&group, scopes)).collect();
        Self {
            id: id.into(),
            server: server.into(),
            calls: vec![AskedCall {
                tool: tool.into(),
                digest: digest.into(),
                scripts: None,
                arguments,
                destructive: false,
                by_server: false,
            }],
            items,
            client: None,
            directory: String::new(),
            timeout: None,
            notes: Vec::new(),
        }
    }

    /// What `answer` settles. A key without a decision is denied, a decision for a key that was not asked about is
    /// ignored, and a choice that was not offered for its key is a denial.
    pub fn settle(&self, answer: &Answer) -> Settlement {
        self.settle_items(self.items.iter(), answer)
    }

    /// The kinds of finding that are asked about under `key`.
    pub fn kinds_of<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = Kind> + 'a {
        self.items.iter().filter(move |item| item.key == *key).flat_map(|item| item.kinds.iter().copied())
    }

    /// What a settlement allows for the call alone.
    pub fn granted_once(&self, settlement: &Settlement) -> GrantStore {
        let grant = |(key, choice): &(Key, Choice)| Grant {
            is_no_path: *choice == Choice::NotAPath,
            ..Grant::new(key.clone(), self.kinds_of(key).collect(), Scope::Once)
        };
        settlement.allowed.iter().map(grant).collect()
    }

    pub(super) fn settle_items<'a>(&self, items: impl Iterator<Item = &'a Item>, answer: &Answer) -> Settlement {
        let mut settlement = Settlement { allowed: Vec::new(), denied: Vec::new(), reason: answer.reason.clone(), ending: answer.ending };
        for item in items {
            match item.choice_in(answer) {
                Choice::Deny => settlement.denied.push(item.key.clone()),
                choice => settlement.allowed.push((item.key.clone(), choice)),
            }
        }
        settlement
    }
}

impl Item {
    fn of(group: &[&Finding], scopes: Scopes) -> Option<Self> {
        let first = group.first()?;
        let mut kinds: Vec<Kind> = group.iter().map(|finding| finding.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let confidence = group.iter().map(|finding| finding.confidence).max()?;
        Some(Self {
            calls: vec![0],
            key: first.key.clone(),
            offered: offered(&first.key, &kinds, confidence, scopes),
            kinds,
            direction: group.iter().map(|finding| finding.direction).max()?,
            path: group.iter().find_map(|finding| finding.path.clone()),
            raw: each_once(group.iter().map(|finding| finding.raw.clone()).filter(|raw| !raw.is_empty())),
            arguments: each_once(group.iter().map(|finding| finding.argument.clone()).filter(|name| !name.is_empty())),
            covered: each_once(group.iter().flat_map(|finding| finding.covered.iter().cloned())),
            confidence,
            because: each_once(group.iter().map(|finding| finding.because.as_str())).join("; "),
        })
    }

    // INVARIANT: whatever this returns other than `Deny` is in `offered`, and comes from an answer that was decided.
    fn choice_in(&self, answer: &Answer) -> Choice {
        let given = answer.decisions.get(&self.key).copied().unwrap_or(Choice::Deny);
        if answer.ending == Ending::Decided && self.offered.contains(&given) { given } else { Choice::Deny }
    }
}

impl Scopes {
    /// Every scope.
    pub const ALL: Self = Self { session: true, always: true };
    /// This call only.
    pub const ONCE: Self = Self { session: false, always: false };

    fn narrowed_for(self, arguments: &str) -> Self {
        if arguments.len() <= FULLY_SHOWN { self } else { Self::ONCE }
    }
}

impl Answer {
    /// An answer that allows nothing and says how it came about.
    pub fn nothing(channel: Channel, ending: Ending) -> Self {
        let asserted_by_client = channel == Channel::Elicitation;
        Self { decisions: BTreeMap::new(), reason: None, channel, asserted_by_client, ending }
    }
}

impl Settlement {
    /// Whether the call may go on: something was asked, and all of it was allowed.
    pub fn is_cleared(&self) -> bool {
        self.denied.is_empty() && !self.allowed.is_empty() && self.ending == Ending::Decided
    }
}

/// The findings by key, keys in the order of their first finding.
fn grouped<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Vec<&'a Finding>> {
    let mut places: BTreeMap<&Key, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let place = *places.entry(&finding.key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// What may be answered for a key. Only places can be kept for good; what could not be analysed is answered call by call,
/// because nothing is known that the next one would have in common with it.
fn offered(key: &Key, kinds: &[Kind], confidence: Confidence, scopes: Scopes) -> Vec<Choice> {
    let is_place = !matches!(key, Key::Call(_));
    let lasts = !kinds.iter().any(|kind| matches!(kind, Kind::Unparsed | Kind::UnknownTool));
    let mut choices = vec![Choice::Deny, Choice::Once];
    choices.extend((scopes.session && lasts).then_some(Choice::Session));
    choices.extend((scopes.always && lasts && is_place).then_some(Choice::Always));
    choices.extend((confidence == Confidence::Guess && is_place).then_some(Choice::NotAPath));
    choices
}

pub(super) fn each_once<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(value.clone())).collect()
}
