//! The open questions of one gate and the approvers that see them. Whatever an approver does or fails to do, nothing here waits.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::approve::question_view::QuestionView;
use crate::gate::{Answer, Channel, Choice, Ending, Question};

use super::protocol::{FromGate, line};

/// More open questions than this are not taken: nobody reads them, and each holds its call's arguments.
pub const MOST_QUESTIONS: usize = 1024;
/// More bytes of arguments than this are not held for open questions.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// More approvers than this are turned away.
const MOST_APPROVERS: usize = 16;
/// Nobody reads a question and types a word and a code in less; the approver itself waits a little longer.
const FASTEST: Duration = Duration::from_millis(250);
/// Lines that may wait for one approver; one that falls behind is cut off.
const WAITING: usize = 2 * MOST_QUESTIONS + 64;

/// What an approver is told that sent another code.
pub const WRONG_CODE: &str = "the code is not the one that was shown";

/// Open questions by id, and the approvers by the number they joined with.
#[derive(Debug, Default)]
pub struct Board {
    open: BTreeMap<String, OpenQuestion>,
    approvers: BTreeMap<u64, Approver>,
    joined: u64,
    asked: u64,
}

/// The lines for one approver, as they come.
pub type ApproverLines = mpsc::Receiver<Arc<str>>;

/// An answer as an approver sent it.
#[derive(Debug)]
pub struct SentAnswer<'a> {
    /// The question's id, as the approver sent it.
    pub id: &'a str,
    /// The code as typed.
    pub code: &'a str,
    /// The words, one for each item.
    pub choices: &'a [String],
    /// What the person wants the model to know; goes with a no.
    pub reason: Option<String>,
}

#[derive(Debug)]
struct OpenQuestion {
    number: u64,
    question: Question,
    view: Option<Arc<str>>,
    code: String,
    asked: Instant,
    until: Instant,
    late: bool,
}

#[derive(Debug)]
struct Approver {
    lines: mpsc::Sender<Arc<str>>,
    attached: Option<Instant>,
}

impl Board {
    /// Opens `question` for `left`; `false` if there are too many already, or the id is taken.
    pub fn publish(&mut self, question: Question, left: Duration, code: String) -> bool {
        let held: usize = self.open.values().map(|open| size(&open.question)).sum();
        let full = self.open.len() >= MOST_QUESTIONS || held.saturating_add(size(&question)) > MOST_BYTES;
        if full || self.open.contains_key(&question.id) {
            return false;
        }
        let (id, asked) = (question.id.clone(), Instant::now());
        self.asked += 1;
        let mut open = OpenQuestion { number: self.asked, question, view: None, code, asked, until: asked + left, late: false };
        if !self.approvers.is_empty() {
            let lines = open.lines();
            self.tell_all(&lines);
        }
        self.open.insert(id, open);
        true
    }

    /// Says that the call was refused for want of an answer; a yes is from now on for its next try.
    pub fn expire(&mut self, id: &str) {
        let Some(open) = self.open.get_mut(id) else { return };
        open.late = true;
        let news = open.state();
        self.tell_all(&[news]);
    }

    /// Takes a question away.
    pub fn withdraw(&mut self, id: &str, why: &str) {
        if self.open.remove(id).is_some() {
            self.tell_all(&[said(&FromGate::Withdrawn { id: id.to_owned(), why: why.to_owned() })]);
        }
    }

    /// Whether a person can see a question now.
    pub fn attached(&self) -> bool {
        self.approvers.values().any(|approver| approver.attached.is_some() && !approver.lines.is_closed())
    }

    /// A new approver, with `hello` and every open question before it; nothing if there are too many.
    pub fn join(&mut self, hello: &FromGate) -> Option<(u64, ApproverLines)> {
        self.approvers.retain(|_, approver| !approver.lines.is_closed());
        if self.approvers.len() >= MOST_APPROVERS {
            return None;
        }
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut open: Vec<&mut OpenQuestion> = self.open.values_mut().collect();
        open.sort_by_key(|open| open.number);
        let lines = std::iter::once(said(hello)).chain(open.into_iter().flat_map(OpenQuestion::lines));
        for line in lines {
            // INVARIANT: the channel holds two lines for each question that may be open, and more.
            sender.try_send(line).ok()?;
        }
        self.joined += 1;
        self.approvers.insert(self.joined, Approver { lines: sender, attached: None });
        Some((self.joined, receiver))
    }

    /// The approver has drawn.
    pub fn attach(&mut self, approver: u64) {
        if let Some(approver) = self.approvers.get_mut(&approver) {
            approver.attached.get_or_insert_with(Instant::now);
        }
    }

    /// The approver is gone.
    pub fn leave(&mut self, approver: u64) {
        self.approvers.remove(&approver);
    }

    /// Lets go of all approvers.
    pub fn close(&mut self) {
        self.approvers.clear();
    }

    /// Sends a line to one approver.
    pub fn tell(&mut self, approver: u64, message: &FromGate) {
        let full = self.approvers.get(&approver).is_some_and(|approver| approver.lines.try_send(said(message)).is_err());
        if full {
            self.leave(approver);
        }
    }

    /// Takes an answer; the first that counts closes the question for everybody. Gives the answer, and whether it came
    /// after the call was refused.
    ///
    /// # Errors
    /// Why it does not count, in words; the question stays open then.
    pub fn answer(&mut self, approver: u64, given: &SentAnswer<'_>, peer: &str) -> Result<(Answer, bool), &'static str> {
        let attached = self.approvers.get(&approver).and_then(|approver| approver.attached);
        let attached = attached.ok_or("an approver that shows nothing on a terminal cannot answer")?;
        let open = self.open.get(given.id).ok_or("the question is not open any more")?;
        let answer = open.read(given, peer, attached)?;
        let late = open.late;
        let verdict = open.question.outcome(&answer);
        self.withdraw(given.id, &format!("{verdict} by {peer}"));
        Ok((answer, late))
    }

    fn tell_all(&mut self, lines: &[Arc<str>]) {
        self.approvers.retain(|_, approver| lines.iter().all(|line| approver.lines.try_send(Arc::clone(line)).is_ok()));
    }
}

impl OpenQuestion {
    fn lines(&mut self) -> [Arc<str>; 2] {
        let view = Arc::clone(self.view.get_or_insert_with(|| said(&FromGate::Question(Box::new(QuestionView::of(&self.question))))));
        [view, self.state()]
    }

    fn state(&self) -> Arc<str> {
        said(&FromGate::Open {
            id: self.question.id.clone(),
            code: self.code.clone(),
            age: milliseconds(self.asked.elapsed()),
            left: milliseconds(self.until.saturating_duration_since(Instant::now())),
            late: self.late,
        })
    }

    fn read(&self, given: &SentAnswer<'_>, peer: &str, attached: Instant) -> Result<Answer, &'static str> {
        let choices = self.choices(given.choices).ok_or("the answer has not one of the offered words for each finding")?;
        let allows = choices.iter().any(|choice| *choice != Choice::Deny);
        if allows && given.code != self.code {
            return Err(WRONG_CODE);
        }
        if allows && self.asked.max(attached).elapsed() < FASTEST {
            return Err("the answer came faster than a person can read");
        }
        let decisions = self.question.items.iter().map(|item| item.key.clone()).zip(choices).collect();
        let channel = Channel::Socket { peer: peer.to_owned() };
        Ok(Answer { decisions, reason: given.reason.clone(), ..Answer::nothing(channel, Ending::Decided) })
    }

    fn choices(&self, words: &[String]) -> Option<Vec<Choice>> {
        if words.len() != self.question.items.len() {
            return None;
        }
        let pairs = words.iter().zip(&self.question.items);
        pairs.map(|(word, item)| Choice::from_words(word).filter(|choice| item.offered.contains(choice))).collect()
    }
}

fn size(question: &Question) -> usize {
    question.calls.iter().map(|call| call.arguments.len()).sum()
}

fn said(message: &FromGate) -> Arc<str> {
    Arc::from(line(message))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
