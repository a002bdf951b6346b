//! What lies before the person at an approver: gates, open questions in order, and the one being answered.
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::approve::draw;
use crate::approve::question_view::QuestionView;
use crate::approve::round::Round;
use crate::approve::socket::protocol::{FromApprover, FromGate, VERSION};
use crate::approve::typed::{self, Challenge, Command};
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

/// See the file's first line.
#[derive(Debug, Default)]
pub struct ApproverState {
    /// How many characters of arguments there is room for on the screen.
    pub room: usize,
    gates: BTreeMap<GateNumber, Seen>,
    waiting: Vec<Waiting>,
    current: Option<(GateNumber, String)>,
    round: Round,
    viewed: bool,
}

/// What follows from what a gate said or a person typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell a gate.
    Tell(GateNumber, FromApprover),
    /// Tell the person.
    Say(String),
    /// A question came.
    Ring,
    /// Draw anew: another question, or another item of it, is before the person.
    Draw,
    /// Show a long text.
    QuestionView(String),
    /// The gate speaks another protocol or turned this approver away.
    Leave(GateNumber),
    /// The person stops.
    Quit,
}

#[derive(Debug)]
struct Seen {
    pid: u32,
    root: String,
}

impl ApproverState {
    /// Takes a message of a gate.
    pub fn heard(&mut self, gate: GateNumber, message: FromGate, now: Instant) -> Vec<Effect> {
        match message {
            FromGate::Hello { version, .. } if version != VERSION => {
                vec![
                    Effect::Say("a gate of another version of callgate runs: use its own `callgate approve`".to_owned()),
                    Effect::Leave(gate),
                ]
            }
            FromGate::Hello { pid, root, .. } => {
                self.gates.insert(gate, Seen { pid, root });
                vec![Effect::Draw, Effect::Tell(gate, FromApprover::Attached {})]
            }
            FromGate::Question(page) => self.asked(gate, *page, now),
            FromGate::Open { id, code, age, left, late } => self.opened(gate, &id, code, (age, left), late, now),
            FromGate::Withdrawn { id, why } => self.withdrawn(gate, &id, &why),
            FromGate::Refused { why } => self.refused(gate, &why),
            FromGate::Places { .. } => Vec::new(),
        }
    }

    /// The gate is gone, and its questions with it.
    pub fn lost(&mut self, gate: GateNumber) -> Vec<Effect> {
        self.waiting.retain(|waiting| waiting.gate != gate);
        let mut effects = Vec::new();
        if let Some(seen) = self.gates.remove(&gate) {
            effects.push(Effect::Say(format!("gate {} ended", seen.pid)));
        }
        self.turn_if_gone();
        effects.push(Effect::Draw);
        effects
    }

    /// Takes a line that the person typed.
    pub fn typed(&mut self, line: &str) -> Vec<Effect> {
        let Some(waiting) = self.current() else { return self.typed_without_question(line) };
        let Some(item) = self.round.place(&waiting.page).and_then(|place| waiting.page.items.get(place)) else { return vec![Effect::Draw] };
        let (gate, id) = (waiting.gate, waiting.page.id.clone());
        match typed::command(line, &offered(&item.offered), waiting.challenge(item)) {
            Command::Allow(choice) if self.viewed || draw::shows_all(&waiting.page, self.room) => self.chosen(choice, None),
            Command::Allow(_) => vec![Effect::Say(typed::VIEW_FIRST.to_owned())],
            Command::Deny(reason) => self.chosen(Choice::Deny, reason),
            Command::View => {
                let details = draw::details(&waiting.page);
                self.viewed = true;
                vec![Effect::QuestionView(details)]
            }
            Command::Later => self.put_off(gate, &id),
            Command::Turn(place) => self.turn(place),
            Command::Quit => vec![Effect::Quit],
            Command::Unclear(hint) => vec![Effect::Say(hint)],
        }
    }

    /// The question before the person, if any.
    pub fn current(&self) -> Option<&Waiting> {
        let (gate, id) = self.current.as_ref()?;
        self.waiting.iter().find(|waiting| waiting.gate == *gate && waiting.page.id == *id)
    }

    /// The lines of what can be typed now.
    pub fn choices(&self) -> Vec<String> {
        let Some(waiting) = self.current() else { return Vec::new() };
        let Some(place) = self.round.place(&waiting.page) else { return Vec::new() };
        let Some(item) = waiting.page.items.get(place) else { return Vec::new() };
        let mut lines = draw::choices(item, place, waiting.page.items.len(), &offered(&item.offered), waiting.challenge(item));
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

    fn asked(&mut self, gate: GateNumber, page: QuestionView, now: Instant) -> Vec<Effect> {
        let known = self.waiting.iter().any(|waiting| waiting.gate == gate && waiting.page.id == page.id);
        if !known && !page.items.is_empty() {
            self.waiting.push(Waiting { gate, page, code: String::new(), asked: now, until: now, late: false, put_off: false });
        }
        Vec::new()
    }

    fn opened(&mut self, gate: GateNumber, id: &str, code: String, (age, left): (u64, u64), late: bool, now: Instant) -> Vec<Effect> {
        let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.gate == gate && waiting.page.id == id) else {
            return Vec::new();
        };
        let is_new = waiting.code.is_empty();
        waiting.asked = now.checked_sub(Duration::from_millis(age)).unwrap_or(now);
        waiting.until = now + Duration::from_millis(left.min(MOST_LEFT));
        (waiting.code, waiting.late) = (visible_within(&code, CODE), late);
        let title = waiting.title();
        if !is_new {
            return vec![Effect::Say(format!("the time for {title} is up: the call was refused, a yes is for its next try"))];
        }
        if self.current().is_some() && self.waiting.len() > LISTED {
            return Vec::new();
        }
        if self.current().is_some() {
            return vec![Effect::Ring, Effect::Say(format!("one more question: {title}"))];
        }
        self.turn_if_gone();
        vec![Effect::Ring, Effect::Draw]
    }

    fn withdrawn(&mut self, gate: GateNumber, id: &str, why: &str) -> Vec<Effect> {
        let Some(place) = self.waiting.iter().position(|waiting| waiting.gate == gate && waiting.page.id == id) else {
            return Vec::new();
        };
        let gone = self.waiting.remove(place);
        let was_current = self.current.as_ref().is_some_and(|(current, current_id)| *current == gate && current_id == id);
        self.turn_if_gone();
        let said = Effect::Say(format!("{}: {}", gone.title(), visible_within(why, REASON)));
        if was_current { vec![said, Effect::Draw] } else { vec![said] }
    }

    fn refused(&mut self, gate: GateNumber, why: &str) -> Vec<Effect> {
        let why = visible_within(why, REASON);
        if !self.gates.contains_key(&gate) {
            return vec![Effect::Say(format!("a gate does not let this approver see its questions: {why}")), Effect::Leave(gate)];
        }
        self.begin();
        vec![Effect::Say(format!("not taken: {why}")), Effect::Draw]
    }

    fn typed_without_question(&mut self, line: &str) -> Vec<Effect> {
        match typed::command(line, &[], Challenge::default()) {
            Command::Quit => vec![Effect::Quit],
            Command::Turn(place) => self.turn(place),
            _ if self.waiting.is_empty() => vec![Effect::Say("nothing is asked; `quit` ends".to_owned())],
            _ => vec![Effect::Say("type `next` and a number of the list, or `quit`".to_owned())],
        }
    }

    /// Takes the choice for the item before the person; with the last one the answer goes out. The question stays on the desk until its
    /// gate says what became of it.
    fn chosen(&mut self, choice: Choice, reason: Option<String>) -> Vec<Effect> {
        let mut round = std::mem::take(&mut self.round);
        let Some(waiting) = self.current() else { return Vec::new() };
        round.choose(&waiting.page, choice, reason);
        let is_over = round.place(&waiting.page).is_none();
        let choices = round.choices().iter().map(|choice| choice.words().to_owned()).collect();
        let reason = round.reason().map(|reason| reason.chars().take(REASON).collect());
        let answer = FromApprover::Answer { id: waiting.page.id.clone(), code: waiting.code.clone(), choices, reason };
        let effect = if is_over { Effect::Tell(waiting.gate, answer) } else { Effect::Draw };
        self.round = round;
        vec![effect]
    }

    fn put_off(&mut self, gate: GateNumber, id: &str) -> Vec<Effect> {
        for waiting in &mut self.waiting {
            waiting.put_off |= waiting.gate == gate && waiting.page.id == id;
        }
        self.current = None;
        self.turn_if_gone();
        vec![Effect::Say("left open".to_owned()), Effect::Draw]
    }

    fn turn(&mut self, place: usize) -> Vec<Effect> {
        let Some(waiting) = place.checked_sub(1).and_then(|place| self.waiting.get_mut(place)) else {
            return vec![Effect::Say("the list has no such number".to_owned())];
        };
        waiting.put_off = false;
        self.current = Some((waiting.gate, waiting.page.id.clone()));
        self.begin();
        vec![Effect::Draw]
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
        self.current = next.map(|waiting| (waiting.gate, waiting.page.id.clone()));
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
