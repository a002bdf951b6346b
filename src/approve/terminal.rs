//! The question on the gate's own controlling terminal (`--tty`, `callgate call`, `callgate demo`).
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::gate::{Answer, Channel, Choice, Ending, Item, Question};

use super::draw;
use super::page::Page;
use super::prompt::{Tty, Typed};
use super::typed::{self, Command};

/// Lines that are neither an answer nor a command before the question counts as denied.
const TRIES: usize = 3;
/// Clients that draw on the whole screen of the terminal they start their servers in: a question there would fight them
/// for keys (`clients.md` F3).
const SCREEN_OWNERS: [&str; 6] = ["claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "mcp-test-client", "opencode", "goose"];

/// Two questions at once on one terminal could not be told apart.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Whether a question can be asked on the controlling terminal now, for a client of this name.
pub fn is_reachable(client: Option<&str>) -> bool {
    !client.is_some_and(owns_the_screen) && Tty::controlling().is_some()
}

/// Asks on the controlling terminal and waits at most `deadline`. Nothing if there is no terminal to ask on or nobody
/// answered in time. Blocks: call it on a thread of its own.
pub fn ask(question: &Question, deadline: Duration) -> Option<Answer> {
    ask_unless(question, deadline, &AtomicBool::new(false))
}

/// As [`ask`]; gives up soon after `withdrawn` is set.
pub fn ask_unless(question: &Question, deadline: Duration, withdrawn: &AtomicBool) -> Option<Answer> {
    let until = Instant::now() + deadline;
    if question.client.as_deref().is_some_and(owns_the_screen) {
        return None;
    }
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let tty = Tty::controlling()?;
    let unwanted = || withdrawn.load(Ordering::Relaxed);
    let conversation = Conversation { tty: &tty, question, page: Page::of(question), until, unwanted: &unwanted };
    let answer = conversation.run();
    tty.drain();
    answer
}

fn owns_the_screen(client: &str) -> bool {
    SCREEN_OWNERS.contains(&client)
}

struct Conversation<'a> {
    tty: &'a Tty,
    question: &'a Question,
    page: Page,
    until: Instant,
    unwanted: &'a dyn Fn() -> bool,
}

enum Step {
    Chosen(Choice),
    Refused(Option<String>),
    Over(Option<Ending>),
}

impl Conversation<'_> {
    fn run(&self) -> Option<Answer> {
        let (_, columns) = self.tty.size();
        let heading = format!("\ncallgate asks before this call goes on ({} s left)\n", self.left().as_secs());
        self.tty.write(&(heading + &draw::lines(&draw::question(&self.page), columns))).ok()?;
        let mut answer = Answer::nothing(Channel::Terminal, Ending::Decided);
        for (number, item) in self.question.items.iter().enumerate() {
            match self.ask_item(number, item, columns) {
                Step::Chosen(choice) => {
                    answer.decisions.insert(item.key.clone(), choice);
                }
                Step::Refused(reason) => {
                    answer.reason = reason;
                    break;
                }
                Step::Over(ending) => return ending.map(|ending| Answer::nothing(Channel::Terminal, ending)),
            }
        }
        let cleared = self.question.settle(&answer).is_cleared();
        self.say(if cleared { "allowed; `callgate log` shows it" } else { "refused" });
        Some(answer)
    }

    fn ask_item(&self, number: usize, item: &Item, columns: usize) -> Step {
        let Some(shown) = self.page.items.get(number) else { return Step::Refused(None) };
        let text = draw::lines(&draw::choices(shown, number, self.page.items.len(), &item.offered, None), columns);
        if self.tty.write(&text).is_err() {
            return Step::Over(None);
        }
        self.tty.settle(self.until, self.unwanted);
        for _ in 0..TRIES {
            if self.tty.write("> ").is_err() {
                return Step::Over(None);
            }
            if let Some(step) = self.read(item) {
                return step;
            }
        }
        Step::Refused(None)
    }

    fn read(&self, item: &Item) -> Option<Step> {
        let line = match self.tty.line(self.until, self.unwanted) {
            Typed::Line(line) => line,
            Typed::End => return Some(Step::Over(Some(Ending::Dismissed))),
            Typed::Late => return Some(self.over("the time is up: the call is refused")),
            Typed::Withdrawn => return Some(self.over("the question is withdrawn")),
        };
        match typed::command(&line, &item.offered, None) {
            Command::Allow(choice) => Some(Step::Chosen(choice)),
            Command::Deny(reason) => Some(Step::Refused(reason)),
            Command::Quit => Some(Step::Refused(None)),
            Command::View => {
                draw::through(self.tty, &draw::arguments(&self.page), self.until, self.unwanted);
                None
            }
            Command::Later | Command::Turn(_) => {
                self.say("there is one question on this terminal: answer it or wait until its time is up");
                None
            }
            Command::Unclear(hint) => {
                self.say(&hint);
                None
            }
        }
    }

    fn over(&self, why: &str) -> Step {
        self.say(&format!("\n{why}"));
        Step::Over(None)
    }

    fn say(&self, text: &str) {
        // Nobody is left to tell if this fails; the answer does not hang on it.
        let _ = self.tty.write(&format!("{text}\n"));
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}
