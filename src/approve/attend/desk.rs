//! What lies before the person at an approver: gates, open questions in order, and the one being answered.
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::approve::draw;
use crate::approve::page::Page;
use crate::approve::socket::protocol::{FromApprover, FromGate, VERSION};
use crate::approve::typed::{self, Command};
use crate::gate::{Choice, shown_within};

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
pub struct Desk {
    gates: BTreeMap<GateNumber, Seen>,
    waiting: Vec<Waiting>,
    current: Option<(GateNumber, String)>,
    choices: Vec<Choice>,
}

/// An open question.
#[derive(Debug)]
pub struct Waiting {
    /// The gate that asks.
    pub gate: GateNumber,
    /// The question.
    pub page: Page,
    /// The code to type back.
    pub code: String,
    /// When it was asked.
    pub asked: Instant,
    /// Until when an answer lets the call pass.
    pub until: Instant,
    /// Whether the call was refused already.
    pub late: bool,
    /// Whether the person put it off.
    pub put_off: bool,
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
    Page(String),
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

impl Desk {
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
        let Some(item) = waiting.page.items.get(self.choices.len()) else { return vec![Effect::Draw] };
        let (gate, id, page) = (waiting.gate, waiting.page.id.clone(), &waiting.page);
        match typed::command(line, &offered(&item.offered), Some(&waiting.code)) {
            Command::Allow(choice) => self.chosen(choice),
            Command::Deny(reason) => self.answered(Choice::Deny, reason),
            Command::View => vec![Effect::Page(draw::arguments(page))],
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
        let number = self.choices.len();
        let Some(item) = waiting.page.items.get(number) else { return Vec::new() };
        let mut lines = draw::choices(item, number, waiting.page.items.len(), &offered(&item.offered), Some(&waiting.code));
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
        gate.map_or_else(String::new, |gate| format!("gate {} in {}", gate.pid, shown_within(&gate.root, REASON)))
    }

    fn asked(&mut self, gate: GateNumber, page: Page, now: Instant) -> Vec<Effect> {
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
        (waiting.code, waiting.late) = (shown_within(&code, CODE), late);
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
        let said = Effect::Say(format!("{}: {}", gone.title(), shown_within(why, REASON)));
        if was_current { vec![said, Effect::Draw] } else { vec![said] }
    }

    fn refused(&mut self, gate: GateNumber, why: &str) -> Vec<Effect> {
        let why = shown_within(why, REASON);
        if !self.gates.contains_key(&gate) {
            return vec![Effect::Say(format!("a gate does not let this approver see its questions: {why}")), Effect::Leave(gate)];
        }
        self.choices.clear();
        vec![Effect::Say(format!("not taken: {why}")), Effect::Draw]
    }

    fn typed_without_question(&mut self, line: &str) -> Vec<Effect> {
        match typed::command(line, &[], None) {
            Command::Quit => vec![Effect::Quit],
            Command::Turn(place) => self.turn(place),
            _ if self.waiting.is_empty() => vec![Effect::Say("nothing is asked; `quit` ends".to_owned())],
            _ => vec![Effect::Say("type `next` and a number of the list, or `quit`".to_owned())],
        }
    }

    fn chosen(&mut self, choice: Choice) -> Vec<Effect> {
        let items = self.current().map_or(0, |waiting| waiting.page.items.len());
        if self.choices.len() + 1 < items {
            self.choices.push(choice);
            return vec![Effect::Draw];
        }
        self.answered(choice, None)
    }

    /// Sends the choices so far, `choice` for this item, and a no for the items not asked any more. The question stays on
    /// the desk until its gate says what became of it.
    fn answered(&mut self, choice: Choice, reason: Option<String>) -> Vec<Effect> {
        let Some(waiting) = self.current() else { return Vec::new() };
        let mut choices: Vec<String> = self.choices.iter().chain([&choice]).map(|choice| choice.words().to_owned()).collect();
        choices.resize(waiting.page.items.len(), Choice::Deny.words().to_owned());
        let reason = reason.map(|reason| reason.chars().take(REASON).collect());
        let answer = FromApprover::Answer { id: waiting.page.id.clone(), code: waiting.code.clone(), choices, reason };
        vec![Effect::Tell(waiting.gate, answer)]
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
        self.choices.clear();
        vec![Effect::Draw]
    }

    /// If the current question is gone, the oldest one that is not put off takes its place.
    fn turn_if_gone(&mut self) {
        if self.current().is_some() {
            return;
        }
        let next = self.waiting.iter().find(|waiting| !waiting.put_off && !waiting.code.is_empty());
        self.current = next.map(|waiting| (waiting.gate, waiting.page.id.clone()));
        self.choices.clear();
    }
}

/// A day: more than any gate waits, and no clock overflows.
const MOST_LEFT: u64 = 24 * 60 * 60 * 1000;

impl Waiting {
    fn title(&self) -> String {
        format!("{} of {} ({})", shown_within(&self.page.tool, 60), shown_within(&self.page.server, 60), shown_within(&self.page.id, 40))
    }

    fn clock(&self, now: Instant) -> String {
        let arrived = now.saturating_duration_since(self.asked).as_secs();
        let left = self.until.saturating_duration_since(now).as_secs();
        let put_off = if self.put_off { ", put off" } else { "" };
        if self.late {
            format!("came {arrived} s ago, late: a yes is for the next try{put_off}")
        } else {
            format!("came {arrived} s ago, {left} s left{put_off}")
        }
    }
}

fn offered(words: &[String]) -> Vec<Choice> {
    words.iter().filter_map(|words| Choice::from_words(words)).collect()
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
