//! Hands questions to the channels outside of the protocol and their answers back to the session.
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedSender};

use crate::approve::program::Program;
use crate::approve::socket::{Heard, Listener};
use crate::approve::terminal;
use crate::gate::{Answer, Question};
use crate::policy::Channel;
use crate::session::Event;

/// The channels of one gate.
#[derive(Default)]
pub struct Asker {
    program: Option<PathBuf>,
    socket: Option<(Listener, mpsc::Receiver<Heard>)>,
    attached: bool,
    open: HashMap<String, Arc<AtomicBool>>,
    events: Option<UnboundedSender<Event>>,
}

impl Asker {
    /// Channels with this helper program, if there is one.
    pub fn new(program: Option<PathBuf>, socket: Option<(Listener, mpsc::Receiver<Heard>)>) -> Self {
        Self { program, socket, ..Self::default() }
    }

    /// Where answers go.
    pub fn attach(&mut self, events: UnboundedSender<Event>) {
        self.events = Some(events);
    }

    /// Asks through the first of `channels` that can reach a person.
    pub fn ask(&mut self, question: Question, channels: &[Channel], deadline: Duration) {
        let id = question.id.clone();
        let withdrawn = Arc::new(AtomicBool::new(false));
        for channel in channels {
            let asked = match channel {
                Channel::Tty if terminal::is_reachable(question.client.as_deref()) => self.on_terminal(&question, deadline, &withdrawn),
                Channel::Program => self.by_program(&question, deadline, &withdrawn),
                Channel::Socket => self.socket.as_ref().is_some_and(|(listener, _)| listener.publish(question.clone(), deadline)),
                Channel::Tty | Channel::Elicitation => false,
            };
            if asked {
                self.open.insert(id, withdrawn);
                return;
            }
        }
        self.report(Event::Unreachable { question: id });
    }

    fn on_terminal(&self, question: &Question, deadline: Duration, withdrawn: &Arc<AtomicBool>) -> bool {
        self.ask_beside(question, withdrawn, move |question, withdrawn| terminal::ask(question, deadline, withdrawn))
    }

    fn by_program(&self, question: &Question, deadline: Duration, withdrawn: &Arc<AtomicBool>) -> bool {
        let Some(path) = &self.program else { return false };
        match Program::at(path) {
            Ok(program) => self.ask_beside(question, withdrawn, move |question, withdrawn| program.ask(question, deadline, withdrawn)),
            Err(unfit) => {
                tracing::warn!("the helper program is not used: {unfit}");
                false
            }
        }
    }

    fn ask_beside<F>(&self, question: &Question, withdrawn: &Arc<AtomicBool>, ask: F) -> bool
    where
        F: FnOnce(&Question, &AtomicBool) -> Option<Answer> + Send + 'static,
    {
        let Some(events) = self.events.clone() else { return false };
        let (question, withdrawn) = (question.clone(), Arc::clone(withdrawn));
        tokio::task::spawn_blocking(move || {
            let id = question.id.clone();
            let event = match ask(&question, &withdrawn) {
                Some(answer) => Event::Answered { question: id, answer },
                None => Event::Unreachable { question: id },
            };
            // The session is over when nobody listens any more.
            let _ = events.send(event);
        });
        true
    }

    /// The next thing an approver wants; waits for ever where there can be none.
    pub async fn heard(&mut self) -> Option<Heard> {
        match &mut self.socket {
            Some((_, heard)) => heard.recv().await,
            None => std::future::pending().await,
        }
    }

    /// Whether an approver has come or the last one has gone since this was asked.
    pub fn approvers_changed(&mut self) -> Option<bool> {
        let attached = self.socket.as_ref().is_some_and(|(listener, _)| listener.attached());
        (std::mem::replace(&mut self.attached, attached) != attached).then_some(attached)
    }

    /// The call was refused for want of an answer; its question stays with the approvers.
    pub fn expire(&mut self, question: &str) {
        if let Some((listener, _)) = &self.socket {
            listener.expire(question);
        }
    }

    /// Takes a question off every screen it is on, and says why.
    pub fn withdraw(&mut self, question: &str, why: &str) {
        if let Some((listener, _)) = &self.socket {
            listener.withdraw(question, why);
        }
        if let Some(withdrawn) = self.open.remove(question) {
            withdrawn.store(true, Ordering::Relaxed);
        }
    }

    fn report(&self, event: Event) {
        if let Some(events) = &self.events {
            let _ = events.send(event);
        }
    }
}
