//! The loop that owns a session: waits for whatever comes first, feeds it in, carries out what comes back.
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use crate::analyse::Surroundings;
use crate::approve::socket::{Change, Heard, PermittedPlaces};
use crate::gate::{Grant, Kind, Scope, Verdict};
use crate::session::{Event, Output, Session, Source, UpstreamDoor, UpstreamId};
use crate::store::Store;
use crate::wire::Side;

use super::asker::Asker;
use super::server_outbox::ServerOutbox;
use super::signals::Signals;
use crate::ports::child::Upstream;
use crate::ports::lines::{Line, Lines};
use crate::ports::outbox::Outbox;
use crate::ports::stdio::{self, Reader, Writer};
use crate::ports::turns::Turns;

/// How often deadlines are looked at while something is held or waited for.
const TICK: Duration = Duration::from_millis(200);
/// What a server gets to finish in after the client has left, before it is signalled.
const LINGER: Duration = Duration::from_millis(1000);
/// What a client gets to take some more of the last lines in; after a signal, all of them.
const LAST_LINES: Duration = Duration::from_millis(300);
/// What the pipes of a server that has ended get to run dry; something it started may hold them open.
const DRAIN: Duration = Duration::from_millis(300);

/// How often a server that is over is read once more, as long as something is there: more than its pipe holds, and not what something
/// it started goes on writing.
const LAST_READS: usize = 128;

/// How a run came to its end.
#[derive(Debug)]
pub enum Ended {
    /// The server ended with this status (unknown if it had to be killed and did not go).
    Server(Option<ExitStatus>),
    /// A signal ended the gate.
    Signal(u8),
}

/// Writes verdicts down before they are acted on: all of them, or none is acted on.
pub type Record = Box<dyn FnMut(&[&Verdict]) -> anyhow::Result<()>>;

/// A session with the edges it needs.
pub struct Driver {
    /// The session.
    pub session: Session,
    /// Where its calls are made from, for looking at the disk.
    pub surroundings: Arc<Surroundings>,
    /// The audit.
    pub record: Record,
    /// What outlives a call.
    pub store: Box<dyn Store>,
    /// The channels to a person outside of the protocol.
    pub asker: Asker,
    /// The longest line.
    pub limit: usize,
}

/// A run: the session, both ways out, and what is on its way there.
pub(super) struct Running {
    pub(super) driver: Driver,
    pub(super) started: Instant,
    pub(super) client: Outbox,
    pub(super) server: UpstreamDoor<ServerOutbox>,
    pub(super) events: UnboundedSender<Event>,
    /// What a verdict that is not yet written down stands before, and the verdict itself, in order.
    pub(super) unsettled: Vec<Output>,
    pub(super) close_server: bool,
}

impl Driver {
    /// Runs until the server has ended, whatever ended it.
    ///
    /// # Errors
    /// What the system says where waiting itself fails.
    pub async fn run(
        self,
        (client_in, client_out): (Reader, Writer),
        (server_in, server_out): (Writer, Reader),
        mut upstream: Upstream,
    ) -> io::Result<Ended> {
        let (events, arriving) = unbounded_channel();
        let mut running = Running {
            driver: self,
            started: Instant::now(),
            client: Outbox::new(client_out),
            server: UpstreamDoor::new(ServerOutbox::new(server_in)),
            events,
            unsettled: Vec::new(),
            close_server: false,
        };
        running.driver.asker.attach(running.events.clone());
        let ended = running.serve(Turns::new(client_in, server_out), arriving, &mut upstream).await;
        let status = upstream.end().await;
        match ended {
            Ok(Ended::Server(_)) => running.client.finish(LAST_LINES).await,
            _ => drop(timeout(LAST_LINES, running.client.flush()).await),
        }
        Ok(match ended? {
            Ended::Server(None) => Ended::Server(status),
            ended => ended,
        })
    }
}

impl Running {
    #[expect(clippy::too_many_lines, reason = "the one place where everything that can happen is listed")]
    async fn serve(&mut self, mut turns: Turns, mut arriving: UnboundedReceiver<Event>, upstream: &mut Upstream) -> io::Result<Ended> {
        let limit = self.driver.limit;
        let (mut from_client, mut from_server) = (Lines::new(limit), Lines::new(limit));
        let (mut client_open, mut server_open) = (true, true);
        let (mut status, mut deadline) = (None, None);
        let mut signals = Signals::listen()?;
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.close_server && self.server.outbox().is_empty() {
                self.server.outbox_mut().close();
            }
            if !client_open {
                // Also for a server that does not read what is left for it, or owes the gate a reply: nothing outlives the client.
                deadline.get_or_insert_with(|| Instant::now() + LINGER);
                // What floods a client that has left is ended at once, and so is what is over and can tell nobody.
                if !self.client.has_room() || status.is_some() && !self.client.is_open() {
                    return Ok(self.over(status));
                }
            }
            if status.is_some() && !server_open {
                return Ok(Ended::Server(status));
            }
            // What a side says may be answered to it as well as passed on, so it is heard only while there is room for both.
            let has_room = self.client.has_room() && self.server.outbox().has_room();
            let hears_client = client_open && has_room;
            let hears_server = server_open && has_room && self.client.is_open();
            tokio::select! {
                biased;
                signal = signals.next() => {
                    // A question that the signal takes away is on record like one that the client took back.
                    self.feed(Event::ClientClosed);
                    return Ok(Ended::Signal(signal));
                }
                // Before what may be read: neither side can put it off by never falling silent.
                () = sleep_until(deadline.unwrap_or(self.started)), if deadline.is_some() => {
                    self.take_what_is_there(&mut turns, &mut from_server).await;
                    return Ok(self.over(status));
                }
                flushed = self.client.flush(), if !self.client.is_empty() => {
                    if flushed.is_err() && client_open {
                        client_open = false;
                        self.feed(Event::ClientClosed);
                    }
                }
                flushed = self.server.outbox_mut().flush(), if !self.server.outbox().is_empty() => {
                    // A server that no longer reads may still have said something; its end is seen when it ends.
                    if flushed.is_err() && deadline.is_none() {
                        deadline = Some(Instant::now() + LINGER);
                    }
                }
                Some(event) = arriving.recv() => self.feed(event),
                Some(heard) = self.driver.asker.heard() => self.hear(heard),
                ended = upstream.wait(), if status.is_none() => {
                    status = Some(ended?);
                    deadline = Some(Instant::now() + DRAIN);
                }
                read = turns.read(hears_client.then(|| from_client.buffer()), hears_server.then(|| from_server.buffer())) => match read {
                    (Side::Client, more) => {
                        self.take_lines(&mut from_client, Side::Client, more);
                        if !more {
                            client_open = false;
                            self.feed(Event::ClientClosed);
                        }
                    }
                    (Side::Server, more) => {
                        self.take_lines(&mut from_server, Side::Server, more);
                        if !more {
                            server_open = false;
                            deadline.get_or_insert(Instant::now() + LINGER);
                        }
                    }
                },
                _ = ticks.tick(), if !self.driver.session.is_resting() || !has_room => {
                    // While either is behind, the client is not read, so its end is not seen by reading.
                    if client_open && !has_room && stdio::client_has_left() {
                        client_open = false;
                        self.feed(Event::ClientClosed);
                    }
                    self.feed(Event::Tick);
                }
            }
            if status.is_some() && !server_open {
                self.feed(Event::ServerClosed(UpstreamId::ONLY, how(status)));
            }
        }
    }

    /// The server is over, by itself or because it must be.
    fn over(&mut self, status: Option<ExitStatus>) -> Ended {
        self.feed(Event::ServerClosed(UpstreamId::ONLY, how(status)));
        Ended::Server(status)
    }

    /// Takes what the server left in its pipe, without waiting for more.
    async fn take_what_is_there(&mut self, turns: &mut Turns, lines: &mut Lines) {
        for _ in 0..LAST_READS {
            if !self.client.has_room() || !self.client.is_open() {
                return;
            }
            let Ok((_, true)) = timeout(Duration::ZERO, turns.read(None, Some(lines.buffer()))).await else { return };
            self.take_lines(lines, Side::Server, true);
        }
    }

    fn take_lines(&mut self, lines: &mut Lines, from: Side, more: bool) {
        let mut taken: Vec<Line> = std::iter::from_fn(|| lines.next_line()).collect();
        taken.extend((!more).then(|| lines.rest()).flatten());
        let together = from == Side::Client && taken.len() > 1;
        if together {
            self.handle(Event::Together(true));
        }
        taken.into_iter().for_each(|line| self.take_line(line, from));
        if together {
            self.handle(Event::Together(false));
        }
        self.settle();
    }

    fn take_line(&mut self, line: Line, from: Side) {
        match (line, from) {
            (Line::Whole(line), _) if line.iter().all(u8::is_ascii_whitespace) => {}
            (Line::Whole(line), Side::Client) => self.handle(Event::FromClient(line)),
            (Line::Whole(line), Side::Server) => self.handle(Event::FromServer(UpstreamId::ONLY, line)),
            (Line::TooLong { head, tail }, Side::Client) => self.handle(Event::TooLong { from: Source::Client, head, tail }),
            (Line::TooLong { head, tail }, Side::Server) => {
                self.handle(Event::TooLong { from: Source::Server(UpstreamId::ONLY), head, tail })
            }
        }
    }

    /// An approver answered, or looks at the permitted places.
    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Answer { id, answer, .. } => self.feed(Event::Answered { question: id, answer }),
            Heard::Places { change, reply } => {
                let said = self.change(change);
                let (directories, files) = self.driver.session.places();
                // Whoever asked may be gone by now.
                let _ = reply.send(PermittedPlaces { directories, files, said });
            }
        }
    }

    fn change(&mut self, change: Change) -> String {
        match change {
            Change::Look => String::new(),
            Change::Add(place) => {
                let key = place.into_key();
                let said = format!("permitted `{}` for this session", key.text());
                self.feed(Event::Granted(Grant::new(key, vec![Kind::Outside], Scope::Session)));
                said
            }
            Change::Remove(path) => {
                let said = format!("took `{}` back", path.display());
                self.feed(Event::TakenBack(path));
                said
            }
        }
    }
}

fn how(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string())
}
