//! `callgate approve`: a person at a second terminal answers the questions of all running gates of this user.
mod approver_state;
mod gates;
mod screen;
mod waiting;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::draw;
use super::prompt::{Tty, Typed, UNREAD};
use super::socket::directory;
use approver_state::{ApproverState, Reaction};
use gates::Gates;
use screen::Screen;

/// How often new gates are looked for: a call that comes right after a gate's start should find this approver.
const LOOK: Duration = Duration::from_millis(200);
/// How often the times in the list are brought up to date.
const BEAT: Duration = Duration::from_secs(1);
/// A question that nobody has answered is brought to mind again after this long.
const REMIND: Duration = Duration::from_secs(60);
/// A line is waited for this long at once.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Answers questions on the controlling terminal until the person stops. `plain` is for screen readers: no cursor is moved.
///
/// # Errors
/// When there is no terminal in the foreground, it is closed, or the socket directory is not safe.
pub async fn run(plain: bool) -> io::Result<()> {
    let tty =
        Arc::new(Tty::controlling().ok_or_else(|| {
            io::Error::other("answers come from a person at a terminal: run `callgate approve` in the foreground of one")
        })?);
    let over = Arc::new(AtomicBool::new(false));
    let (pager, lines) = read_lines(Arc::clone(&tty), Arc::clone(&over));
    let outcome = Attending::new(&tty, plain, pager)?.run(lines).await;
    over.store(true, Ordering::Relaxed);
    outcome
}

/// A text to be shown a screen at a time by the thread that reads the terminal.
type Pager = std::sync::mpsc::Sender<String>;

struct Attending<'a> {
    state: ApproverState,
    gates: Gates,
    news: mpsc::Receiver<gates::News>,
    tty: &'a Tty,
    screen: Screen<'a>,
    pager: Pager,
    rung: Instant,
    /// When the person may type; nothing if they may already.
    prompt_at: Option<tokio::time::Instant>,
}

impl<'a> Attending<'a> {
    fn new(tty: &'a Tty, plain: bool, pager: Pager) -> io::Result<Self> {
        let (gates, news) = Gates::in_directory(directory::place()?);
        Ok(Self {
            state: ApproverState::default(),
            gates,
            news,
            tty,
            screen: Screen::new(tty, plain),
            pager,
            rung: Instant::now(),
            prompt_at: None,
        })
    }

    async fn run(mut self, mut lines: mpsc::Receiver<Typed>) -> io::Result<()> {
        self.draw()?;
        let (mut beat, mut look) = (tokio::time::interval(BEAT), tokio::time::interval(LOOK));
        loop {
            let reactions = tokio::select! {
                typed = lines.recv() => match typed {
                    Some(Typed::Line(_)) if self.prompt_at.is_some() => Vec::new(),
                    Some(Typed::Line(line)) => self.state.typed(&line),
                    Some(Typed::Late | Typed::Withdrawn) => vec![Reaction::Draw],
                    Some(Typed::End) | None => vec![Reaction::Quit],
                },
                news = self.news.recv() => self.heed(news),
                () = reached(self.prompt_at) => {
                    self.prompt_at = None;
                    // What was typed before a person can have read what was drawn is not meant for it.
                    self.tty.drain();
                    self.screen.prompt()?;
                    Vec::new()
                }
                _ = look.tick() => {
                    self.gates.look().await?;
                    Vec::new()
                }
                _ = beat.tick() => {
                    self.screen.tick(&self.state, Instant::now())?;
                    let forgotten = self.state.current().is_some() && self.rung.elapsed() >= REMIND;
                    if forgotten { vec![Reaction::Ring] } else { Vec::new() }
                }
            };
            if !self.follow(reactions).await? {
                return Ok(());
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.state.room = draw::room(self.tty.size());
        self.prompt_at = Some(tokio::time::Instant::now() + UNREAD);
        self.screen.draw(&self.state, Instant::now())
    }

    fn heed(&mut self, news: Option<gates::News>) -> Vec<Reaction> {
        match news {
            Some((gate, Some(message))) => self.state.heard(gate, message, Instant::now()),
            Some((gate, None)) => {
                self.gates.lost(gate);
                self.state.lost(gate)
            }
            None => vec![Reaction::Quit],
        }
    }

    /// Does what follows, in order; whether to go on.
    async fn follow(&mut self, reactions: Vec<Reaction>) -> io::Result<bool> {
        if reactions.contains(&Reaction::Draw) {
            self.prompt_at = Some(tokio::time::Instant::now() + UNREAD);
        }
        for reaction in reactions {
            match reaction {
                Reaction::Tell(gate, message) => self.gates.tell(gate, &message).await,
                Reaction::Say(text) => {
                    self.screen.say(&text)?;
                    if self.prompt_at.is_none() {
                        self.screen.prompt()?;
                    }
                }
                Reaction::Ring => {
                    self.rung = Instant::now();
                    self.screen.ring()?;
                }
                Reaction::Draw => self.draw()?,
                Reaction::ShowPaged(text) => self.pager.send(text).map_err(io::Error::other)?,
                Reaction::Leave(gate) => self.gates.leave(gate),
                Reaction::Quit => return Ok(false),
            }
        }
        Ok(true)
    }
}

async fn reached(time: Option<tokio::time::Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// A thread that reads the terminal, so that a person who thinks holds up nothing. It ends soon after `over` is set.
fn read_lines(tty: Arc<Tty>, over: Arc<AtomicBool>) -> (Pager, mpsc::Receiver<Typed>) {
    let (sender, receiver) = mpsc::channel(1);
    let (pager, texts) = std::sync::mpsc::channel::<String>();
    std::thread::spawn(move || {
        let unwanted = || over.load(Ordering::Relaxed);
        loop {
            let until = Instant::now() + A_DAY;
            let paged = || texts.try_recv().map(|text| draw::through(&tty, &text, until, &unwanted)).is_ok();
            let interrupted = || unwanted() || paged();
            let typed = tty.line(until, &interrupted);
            let is_last = typed == Typed::End || unwanted();
            if sender.blocking_send(typed).is_err() || is_last {
                return;
            }
        }
    });
    (pager, receiver)
}
