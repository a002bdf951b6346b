//! What lies before the person at an approver: gates, open questions in order, and the one being answered.
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::approve::draw;
use crate::approve::question_view::QuestionView;
use crate::approve::round::Round;
use crate::approve::socket::protocol::{FromApprover, FromGate, VERSION};
use crate::approve::typed::{self, Challenge, TypedCommand};
use crate::escape::visible_within;
use crate::gate::Choice;

use super::waiting::Waiting;

/// A reason is cut to this many characters.
const REASON: usize = 500;
/// More open questions than this are only counted.
const LISTED: usize = 8;
/// A code is four characters; whatever listens on a socket may send others, which then are made visible.
const CODE: usize = 16;

/// One gate of the session of this approver.
pub type GateNumber = u64;

/// Takes what gates say and what the person types, and says what follows; does no input or output itself.
#[derive(Debug, Default)]
pub struct ApproverState {
    /// How many characters of arguments there is room for on the screen.
    pub room: usize,
    gates: BTreeMap<GateNumber, KnownGate>,
    waiting: Vec<Waiting>,
    current: Option<(GateNumber, String)>,
    round: Round,
    viewed: bool,
}

/// What follows from what a gate said or a person typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Send a gate a message: attached, or an answer.
    Tell(GateNumber, FromApprover),
    /// Show the person a remark, already made visible.
    Say(String),
    /// Ring the terminal's bell: a question came that the person may not look at.
    Ring,
    /// Draw anew: another question, or another item of it, is before the person.
    Draw,
    /// Show a long text.
    ShowPaged(String),
    /// The gate speaks another protocol or turned this approver away.
    Leave(GateNumber),
    /// End the approver; open questions stay open for others.
    Quit,
}

#[derive(Debug)]
struct KnownGate {
    pid: u32,
    root: String,
}

impl ApproverState {
    /// Takes a message of a gate.
    pub fn heard(&mut self, gate: GateNumber, message: FromGate, now: Instant) -> Vec<Reaction> {
        match message {
            FromGate::Hello { version, .. } if version != VERSION => {
                vec![
                    Reaction::Say("a gate of another version of callgate runs: use its own `callgate approve`".to_owned()),
                    Reaction::Leave(gate),
                ]
            }
            FromGate::Hello { pid, root, .. } => {
                self.gates.insert(gate, KnownGate { pid, root });
                vec![Reaction::Draw, Reaction::Tell(gate, FromApprover::Attached {})]
            }
            FromGate::Question(view) => self.asked(gate, *view, now),
            FromGate::Open { id, code, age, left, late } => self.opened(gate, &id, code, (age, left), late, now),
            FromGate::Withdrawn { id, why } => self.withdrawn(gate, &id, &why),
            FromGate::Refused { why } => self.refused(gate, &why),
            FromGate::Places { .. } => Vec::new(),
        }
    }

    /// The gate is gone, and its questions with it.
    pub fn lost(&mut self, gate: GateNumber) -> Vec<Reaction> {
        self.waiting.retain(|waiting| waiting.gate != gate);
        let mut reactions = Vec::new();
        if let Some(known) = self.gates.remove(&gate) {
            reactions.push(Reaction::Say(format!("gate {} ended", known.pid)));
        }
        self.turn_if_gone();
        reactions.push(Reaction::Draw);
        reactions
    }

    /// Takes a line that the person typed.
    pub fn typed(&mut self, line: &str) -> Vec<Reaction> {
        let Some(waiting) = self.current() else { return self.typed_without_question(line) };
        let Some(item) = self.round.place(&waiting.view).and_then(|place| waiting.view.items.get(place)) else {
            return vec![Reaction::Draw];
        };
        let (gate, id) = (waiting.gate, waiting.view.id.clone());
        match typed::command(line, &offered(&item.offered), waiting.challenge(item)) {
            TypedCommand::Allow(choice) if self.viewed || draw::shows_all(&waiting.view, self.room) => self.chosen(choice, None),
            TypedCommand::Allow(_) => vec![Reaction::Say(typed::VIEW_FIRST.to_owned())],
            TypedCommand::Deny(reason) => self.chosen(Choice::Deny, reason),
            TypedCommand::View => {
                let details = draw::details(&waiting.view);
                self.viewed = true;
                vec![Reaction::ShowPaged(details)]
            }
            TypedCommand::Later => self.put_off(gate, &id),
            TypedCommand::Turn(place) => self.turn(place),
            TypedCommand::Quit => vec![Reaction::Quit],
            TypedCommand::Unclear(hint) => vec![Reaction::Say(hint)],
        }
    }

    /// The question before the person, if any.
    pub fn current(&self) -> Option<&Waiting> {
        let (gate, id) = self.current.as_ref()?;
        self.waiting.iter().find(|waiting| waiting.gate == *gate && waiting.view.id == *id)
    }

    /// The lines of what can be typed now.
    pub fn choices(&self) -> Vec<String> {
        let Some(waiting) = self.current() else { return Vec::new() };
        let Some(place) = self.round.place(&waiting.view) else { return Vec::new() };
        let Some(item) = waiting.view.items.get(place) else { return Vec::new() };
        let mut lines = draw::choices(item, place, waiting.view.items.len(), &offered(&item.offered), waiting.challenge(item));
        lines.push("  later - leave it open; next N - the question N of the list; quit".to_owned());
        lines
    }

    /// The list: one line for each gate's count and each open question.
    pub fn list(&self, now: Instant) -> Vec<String> {
        let mut lines =
            vec![format!("callgate approve: {}, {}", counted(self.gates.len(), "gate"), counted(self.waiting.len(), "open question"))];
        for (place, waiting) in self.waiting.iter().enumerate() {
            let is_current = self.current().is_some_and(|current| std::ptr::eq(current, waiting));
            let mark = if is_current { '*' } else { ' ' };
            if is_current || place < LISTED {
                lines.push(format!("{mark} {}. {} - {}", place + 1, waiting.title(), waiting.clock(now)));
            }
        }
        let unlisted = (self.waiting.len() + 1).saturating_sub(lines.len());
        if unlisted > 0 {
            lines.push(format!("  and {unlisted} more"));
        }
        lines
    }

    /// Where the current question's gate stands.
    pub fn place(&self) -> String {
        let gate = self.current().and_then(|waiting| self.gates.get(&waiting.gate));
        gate.map_or_else(String::new, |gate| format!("gate {} in {}", gate.pid, visible_within(&gate.root, REASON)))
    }

    fn asked(&mut self, gate: GateNumber, view: QuestionView, now: Instant) -> Vec<Reaction> {
        let known = self.waiting.iter().any(|waiting| waiting.gate == gate && waiting.view.id == view.id);
        if !known && !view.items.is_empty() {
            self.waiting.push(Waiting { gate, view, code: String::new(), asked: now, until: now, late: false, put_off: false });
        }
        Vec::new()
    }

    fn opened(&mut self, gate: GateNumber, id: &str, code: String, (age, left): (u64, u64), late: bool, now: Instant) -> Vec<Reaction> {
        let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.gate == gate && waiting.view.id == id) else {
            return Vec::new();
        };
        let is_new = waiting.code.is_empty();
        waiting.asked = now.checked_sub(Duration::from_millis(age)).unwrap_or(now);
        waiting.until = now + Duration::from_millis(left.min(MOST_LEFT));
        (waiting.code, waiting.late) = (visible_within(&code, CODE), late);
        let title = waiting.title();
        if !is_new {
            return vec![Reaction::Say(format!("the time for {title} is up: the call was refused, a yes is for its next try"))];
        }
        if self.current().is_some() && self.waiting.len() > LISTED {
            return Vec::new();
        }
        if self.current().is_some() {
            return vec![Reaction::Ring, Reaction::Say(format!("one more question: {title}"))];
        }
        self.turn_if_gone();
        vec![Reaction::Ring, Reaction::Draw]
    }

    fn withdrawn(&mut self, gate: GateNumber, id: &str, why: &str) -> Vec<Reaction> {
        let Some(place) = self.waiting.iter().position(|waiting| waiting.gate == gate && waiting.view.id == id) else {
            return Vec::new();
        };
        let gone = self.waiting.remove(place);
        let was_current = self.current.as_ref().is_some_and(|(current, current_id)| *current == gate && current_id == id);
        self.turn_if_gone();
        let said = Reaction::Say(format!("{}: {}", gone.title(), visible_within(why, REASON)));
        if was_current { vec![said, Reaction::Draw] } else { vec![said] }
    }

    fn refused(&mut self, gate: GateNumber, why: &str) -> Vec<Reaction> {
        let why = visible_within(why, REASON);
        if !self.gates.contains_key(&gate) {
            return vec![Reaction::Say(format!("a gate does not let this approver see its questions: {why}")), Reaction::Leave(gate)];
        }
        self.begin();
        vec![Reaction::Say(format!("not taken: {why}")), Reaction::Draw]
    }

    fn typed_without_question(&mut self, line: &str) -> Vec<Reaction> {
        match typed::command(line, &[], Challenge::default()) {
            TypedCommand::Quit => vec![Reaction::Quit],
            TypedCommand::Turn(place) => self.turn(place),
            _ if self.waiting.is_empty() => vec![Reaction::Say("nothing is asked; `quit` ends".to_owned())],
            _ => vec![Reaction::Say("type `next` and a number of the list, or `quit`".to_owned())],
        }
    }

    /// Takes the choice for the item before the person; with the last one the answer goes out. The question stays open until its
    /// gate says what became of it.
    fn chosen(&mut self, choice: Choice, reason: Option<String>) -> Vec<Reaction> {
        let mut round = std::mem::take(&mut self.round);
        let Some(waiting) = self.current() else { return Vec::new() };
        round.choose(&waiting.view, choice, reason);
        let is_over = round.place(&waiting.view).is_none();
        let choices = round.choices().iter().map(|choice| choice.words().to_owned()).collect();
        let reason = round.reason().map(|reason| reason.chars().take(REASON).collect());
        let answer = FromApprover::Answer { id: waiting.view.id.clone(), code: waiting.code.clone(), choices, reason };
        let reaction = if is_over { Reaction::Tell(waiting.gate, answer) } else { Reaction::Draw };
        self.round = round;
        vec![reaction]
    }

    fn put_off(&mut self, gate: GateNumber, id: &str) -> Vec<Reaction> {
        for waiting in &mut self.waiting {
            waiting.put_off |= waiting.gate == gate && waiting.view.id == id;
        }
        self.current = None;
        self.turn_if_gone();
        vec![Reaction::Say("left open".to_owned()), Reaction::Draw]
    }

    fn turn(&mut self, place: usize) -> Vec<Reaction> {
        let Some(waiting) = place.checked_sub(1).and_then(|place| self.waiting.get_mut(place)) else {
            return vec![Reaction::Say("the list has no such number".to_owned())];
        };
        waiting.put_off = false;
        self.current = Some((waiting.gate, waiting.view.id.clone()));
        self.begin();
        vec![Reaction::Draw]
    }

    fn begin(&mut self) {
        (self.round, self.viewed) = (Round::default(), false);
    }

    /// If the current question is gone, the oldest one that is not put off takes its place.
    fn turn_if_gone(&mut self) {
        if self.current().is_some() {
            return;
        }
        let next = self.waiting.iter().find(|waiting| !waiting.put_off && !waiting.code.is_empty());
        self.current = next.map(|waiting| (waiting.gate, waiting.view.id.clone()));
        self.begin();
    }
}

/// A day: more than any gate waits, and no clock overflows.
const MOST_LEFT: u64 = 24 * 60 * 60 * 1000;

fn offered(words: &[String]) -> Vec<Choice> {
    words.iter().filter_map(|words| Choice::from_words(words)).collect()
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
