//! A question as it is handed to another process: the facts, and the lines every channel shows alike.
use serde::{Deserialize, Serialize};

use crate::analyse::Confidence;
use crate::escape::visible_within;
use crate::gate::{AskedCall, Item, Key, Kind, Question};

use super::typed;

/// Arguments above this many bytes are handed over cut, with a count.
const WHOLE: usize = 1024 * 1024;

/// A question for another process. `who`, `headline`, `details`, `scope`, `rule` and `confirm` are made visible already; all other
/// texts are as they came from client and server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// By which an answer names the question; unique in its gate.
    pub id: String,
    /// The server's name in policy, questions and audit.
    pub server: String,
    /// The calls it is about, in the order they came.
    pub calls: Vec<CallView>,
    /// The client, where it gave its name.
    pub client: Option<String>,
    /// The directory the gate works in.
    pub directory: String,
    /// Remarks for the person.
    pub notes: Vec<String>,
    /// Who wants to run what, on one line.
    pub who: String,
    /// One for each key.
    pub items: Vec<ItemView>,
}

/// A call that a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallView {
    /// The tool's name, byte for byte.
    pub tool: String,
    /// SHA-256 of the call's tool and arguments, hexadecimal.
    pub digest: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// Whether the arguments were cut.
    pub cut: bool,
    /// Whether the tool is known to destroy.
    pub destructive: bool,
    /// Whether the server asks something of the client, in its own words.
    #[serde(default)]
    pub by_server: bool,
}

/// What is asked about one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemView {
    /// Places of the calls it was found in, in [`QuestionView::calls`].
    pub calls: Vec<usize>,
    /// What is typed to allow it once, where the plain word will not do: the name of a tool that destroys.
    pub confirm: Option<String>,
    /// The key as text.
    pub key: String,
    /// `directory`, `file` or `call`.
    pub key_kind: String,
    /// The kinds of finding.
    pub kinds: Vec<String>,
    /// `read`, `write` or `read or write`.
    pub direction: String,
    /// Where it leads, every link followed; nothing for a finding about the call itself.
    pub path: Option<String>,
    /// The texts as they stood.
    pub raw: Vec<String>,
    /// The resolved paths the key stands for.
    pub covered: Vec<String>,
    /// Whether it was only found by its look.
    pub is_guess: bool,
    /// Why it was found, in words.
    pub because: String,
    /// The words that may be answered.
    pub offered: Vec<String>,
    /// What is asked, on one line.
    pub headline: String,
    /// The lines below it.
    pub details: Vec<String>,
    /// The place a lasting answer is good for.
    pub scope: String,
    /// The rule that `allow always` writes.
    pub rule: String,
}

impl QuestionView {
    /// What is shown of `question`.
    pub fn of(question: &Question) -> Self {
        let share = WHOLE / question.calls.len().max(1);
        Self {
            id: question.id.clone(),
            server: question.server.clone(),
            calls: question.calls.iter().map(|call| CallView::of(call, share)).collect(),
            client: question.client.clone(),
            directory: question.directory.clone(),
            notes: question.notes.clone(),
            who: question.who(),
            items: question.items.iter().map(|item| ItemView::of(question, item)).collect(),
        }
    }
}

impl CallView {
    fn of(call: &AskedCall, limit: usize) -> Self {
        let cut = call.arguments.len() > limit;
        Self {
            tool: call.tool.clone(),
            digest: call.digest.clone(),
            arguments: if cut { visible_within(&call.arguments, limit) } else { call.arguments.clone() },
            cut,
            destructive: call.destructive,
            by_server: call.by_server,
        }
    }
}

impl ItemView {
    fn of(question: &Question, item: &Item) -> Self {
        let text = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        Self {
            calls: item.calls.clone(),
            confirm: question.is_destructive(item).then(|| typed::confirming(question.tool_of(item)).to_owned()),
            key: item.key.text().into_owned(),
            key_kind: key_kind(&item.key).to_owned(),
            kinds: item.kinds.iter().copied().map(Kind::word).map(str::to_owned).collect(),
            direction: item.direction.to_string(),
            path: item.path.as_ref().map(text),
            raw: item.raw.clone(),
            covered: item.covered.iter().map(text).collect(),
            is_guess: item.confidence == Confidence::Guess,
            because: item.because.clone(),
            offered: item.offered.iter().map(|choice| choice.words().to_owned()).collect(),
            headline: question.headline(item),
            details: item.details(),
            scope: item.lasting_scope(),
            rule: question.standing_rule(item),
        }
    }
}

const fn key_kind(key: &Key) -> &'static str {
    match key {
        Key::Directory(_) => "directory",
        Key::File(_) => "file",
        Key::Call(_) => "call",
    }
}
