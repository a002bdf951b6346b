//! The question on the gate's own controlling terminal (`--tty`, `callgate call`, `callgate demo`).
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::gate::{Answer, Channel, Choice, Ending, Item, Question};
use crate::policy::clients;

use super::draw;
use super::prompt::{Tty, Typed};
use super::question_view::{ItemView, QuestionView};
use super::round::Round;
use super::typed::{self, Challenge, TypedCommand};

/// Lines that are neither an answer nor a command before the question counts as denied.
const TRIES: usize = 3;

/// Two questions at once on one terminal could not be told apart.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Whether a question can be asked on the controlling terminal now, for a client of this name.
pub fn is_reachable(client: Option<&str>) -> bool {
    !clients::owns_the_screen(client) && Tty::controlling().is_some()
}

/// Asks on the controlling terminal and waits at most `deadline`, or until soon after `withdrawn` is set. Nothing if there is no terminal
/// to ask on or nobody answered in time. Blocks: call it on a thread of its own.
pub fn ask(question: &Question, deadline: Duration, withdrawn: &AtomicBool) -> Option<Answer> {
    let until = Instant::now() + deadline;
    if clients::owns_the_screen(question.client.as_deref()) {
        return None;
    }
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let tty = Tty::controlling()?;
    let unwanted = || withdrawn.load(Ordering::Relaxed);
    let conversation = Conversation { tty: &tty, question, view: QuestionView::of(question), until, unwanted: &unwanted };
    let answer = conversation.run();
    tty.drain();
    answer
}

struct Conversation<'a> {
    tty: &'a Tty,
    question: &'a Question,
    view: QuestionView,
    until: Instant,
    unwanted: &'a dyn Fn() -> bool,
}

enum ItemStep {
    Chosen(Choice, Option<String>),
    Over(Option<Ending>),
}

impl Conversation<'_> {
    fn run(&self) -> Option<Answer> {
        let size = self.tty.size();
        let (columns, room) = (size.1, draw::room(size));
        let what = if self.view.calls.len() > 1 { "these calls go on" } else { "this call goes on" };
        let heading = format!("\ncallgate asks before {what} ({} s left)\n", self.left().as_secs());
        self.tty.write(&(heading + &draw::lines(&draw::question(&self.view, room), columns))).ok()?;
        let mut round = Round::default();
        let viewed = Cell::new(draw::shows_all(&self.view, room));
        while let Some(place) = round.place(&self.view) {
            let (Some(item), Some(shown)) = (self.question.items.get(place), self.view.items.get(place)) else { break };
            match self.ask_item((place, shown), item, columns, &viewed) {
                ItemStep::Chosen(choice, reason) => round.choose(&self.view, choice, reason),
                ItemStep::Over(ending) => return ending.map(|ending| Answer::nothing(Channel::Terminal, ending)),
            }
        }
        let decisions = self.question.items.iter().map(|item| item.key.clone()).zip(round.choices().iter().copied()).collect();
        let answer = Answer { decisions, reason: round.reason(), ..Answer::nothing(Channel::Terminal, Ending::Decided) };
        self.say(&format!("{}; `callgate log` shows it", self.question.outcome(&answer)));
        Some(answer)
    }

    fn ask_item(&self, (place, shown): (usize, &ItemView), item: &Item, columns: usize, viewed: &Cell<bool>) -> ItemStep {
        let challenge = Challenge { code: None, confirm: shown.confirm.as_deref() };
        let text = draw::lines(&draw::choices(shown, place, self.view.items.len(), &item.offered, challenge), columns);
        if self.tty.write(&text).is_err() {
            return ItemStep::Over(None);
        }
        self.tty.settle(self.until, self.unwanted);
        for _ in 0..TRIES {
            if self.tty.write("> ").is_err() {
                return ItemStep::Over(None);
            }
            if let Some(step) = self.read(item, challenge, viewed) {
                return step;
            }
        }
        ItemStep::Chosen(Choice::Deny, None)
    }

    fn read(&self, item: &Item, challenge: Challenge<'_>, viewed: &Cell<bool>) -> Option<ItemStep> {
        let line = match self.tty.line(self.until, self.unwanted) {
            Typed::Line(line) => line,
            Typed::End => return Some(ItemStep::Over(Some(Ending::Dismissed))),
            Typed::Late => return Some(self.over("the time is up: the call is refused")),
            Typed::Withdrawn => return Some(self.over("the question is withdrawn")),
        };
        let said = match typed::command(&line, &item.offered, challenge) {
            TypedCommand::Allow(choice) if viewed.get() => return Some(ItemStep::Chosen(choice, None)),
            TypedCommand::Allow(_) => typed::VIEW_FIRST.to_owned(),
            TypedCommand::Deny(reason) => return Some(ItemStep::Chosen(Choice::Deny, reason)),
            TypedCommand::Quit => return Some(ItemStep::Chosen(Choice::Deny, None)),
            TypedCommand::View => {
                draw::through(self.tty, &draw::details(&self.view), self.until, self.unwanted);
                viewed.set(true);
                return None;
            }
            TypedCommand::Later | TypedCommand::Turn(_) => {
                "there is one question on this terminal: answer it or wait until its time is up".to_owned()
            }
            TypedCommand::Unclear(hint) => hint,
        };
        self.say(&said);
        None
    }

    fn over(&self, why: &str) -> ItemStep {
        self.say(&format!("\n{why}"));
        ItemStep::Over(None)
    }

    fn say(&self, text: &str) {
        // Nobody is left to tell if this fails; the answer does not hang on it.
        let _ = self.tty.write(&format!("{text}\n"));
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}
