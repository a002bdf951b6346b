//! The session: hands each event to the part that it is for, and each step to the next.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::gate::RefusalReason;
use crate::policy::Identity;
use crate::wire::{Id, Message, Notification, Request, Response, codes};

use super::calls::Calls;
use super::client::Client;
use super::config::Config;
use super::event::{Event, Output, Passed, Source, Then};
use super::ids::{CallId, UpstreamId};
use super::questions::Questions;
use super::refusal;
use super::retry::RetryAnswer;
use super::sender::Sender;
use super::servers::Servers;
use super::step::{Happened, Outcome, Step};
use super::store_request::Stored;
use super::turn::Turn;
use super::upstream::Upstreams;

/// What a client is told that has more calls waiting than the gate holds.
const TOO_MANY: &str = "too many calls are held at once; answer the open questions first";

/// One client, its servers, and all that is between them.
#[derive(Debug)]
pub struct Session {
    turn: Turn,
    client: Client,
    upstreams: Upstreams,
    calls: Calls,
    questions: Questions,
}

impl Session {
    /// A session that has seen nothing yet.
    pub fn new(config: Config) -> Self {
        let mut seal_key = [0; 32];
        seal_key.copy_from_slice(config.seed.split_at(32).0);
        let (upstreams, questions) = (Upstreams::new(&config), Questions::new(seal_key));
        Self { turn: Turn::new(config), client: Client::default(), upstreams, calls: Calls::default(), questions }
    }

    /// Takes one event that happened `now` (time since the session began) and returns what to do, in order.
    pub fn handle(&mut self, event: Event, now: Duration) -> Vec<Output> {
        self.turn.now = self.turn.now.max(now);
        let now = self.turn.now;
        // Also when the process slept past its deadlines: an answer that comes too late is none.
        if !matches!(event, Event::Tick) && (self.calls.are_overdue(now) || self.questions.are_overdue(now)) {
            self.tick();
        }
        self.take(event);
        self.carry_out();
        while self.questions.ask_next(&mut self.turn, || self.calls.are_looked_up()) {
            self.carry_out();
        }
        self.client.let_go(&mut self.turn, self.calls.are_done());
        self.turn.take_outputs()
    }

    /// The permitted places as they are now: directories and single files, the session's grants among them.
    pub fn places(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let here = &self.turn.config.surroundings;
        self.turn.granted.with_places(here.allowed_directories.clone(), here.allowed_files.clone())
    }

    /// Whether no clock of the session's is running.
    pub fn is_resting(&self) -> bool {
        self.calls.are_done() && self.questions.are_resting() && self.upstreams.are_resting(&self.turn.config)
    }

    fn take(&mut self, event: Event) {
        let turn = &mut self.turn;
        match event {
            Event::FromClient(line) => self.client.line(turn, line),
            Event::Together(more) => self.questions.together(more),
            Event::FromServer(from, line) => self.upstreams.with(from, |server| server.line(turn, line)),
            Event::TooLong { from: Source::Client, head, tail } => self.client.too_long(turn, &head, &tail),
            Event::TooLong { from: Source::Server(from), head, tail } => {
                self.upstreams.with(from, |server| server.too_long(turn, &head, &tail));
            }
            Event::Located { call, located } => turn.then(Step::Happened(call, Happened::Located(Some(located)))),
            Event::Read { call, scripts } => turn.then(Step::Happened(call, Happened::Read(Some(scripts)))),
            Event::Answered { question, answer } => self.questions.answered(turn, &question, &answer),
            Event::Unreachable { question } => self.questions.unreachable(turn, &question),
            Event::Unrecorded { then, problem } => self.unrecorded(then, &problem),
            Event::Approvers(attached) => self.questions.approvers(turn, attached),
            Event::Granted(grant) => {
                turn.grant(grant);
                self.questions.settle_queue(turn);
            }
            Event::TakenBack(place) => turn.take_back(place),
            Event::Stored(Stored::Denied(key, times)) => self.questions.denied(key, times),
            Event::Stored(Stored::Repeat(call, allowed)) => self.questions.repeat(turn, call, allowed),
            Event::Stored(Stored::Used(call, first)) => self.questions.used(turn, call, first),
            Event::Tick => self.tick(),
            Event::ClientClosed => self.client_closed(),
            Event::ServerClosed(from, how) => self.upstreams.with(from, |server| server.closed(turn, &how)),
        }
    }

    /// Carries out all steps that wait: each with all that comes of it before the next.
    fn carry_out(&mut self) {
        let mut waiting = 0;
        while let Some(step) = self.turn.next_after(waiting) {
            waiting = self.turn.steps_waiting();
            self.step(step);
        }
    }

    fn step(&mut self, step: Step) {
        let (turn, servers) = (&mut self.turn, &self.upstreams);
        match step {
            Step::Happened(call, Happened::Settled(outcome)) if let Some(of) = servers.wanting(call) => {
                self.upstreams.with(of, |server| server.decided(turn, call, *outcome));
            }
            Step::Happened(call, happened) => self.calls.advance(turn, servers, call, happened),
            Step::FromClient(Message::Request(request)) => self.client_asks(request),
            Step::FromClient(Message::Notification(notification)) => self.client_notifies(notification),
            Step::FromClient(Message::Response(response)) => self.client_answers(response),
            Step::Judge(call, _) if self.calls.are_too_many() => self.client.error(turn, call.id(), codes::INTERNAL_ERROR, TOO_MANY),
            Step::Judge(call, sender) => self.calls.receive(turn, servers, UpstreamId::ONLY, call, sender),
            Step::Forward(id, other, kind) => self.upstreams.with(UpstreamId::ONLY, |server| server.forward(turn, id, other, kind)),
            Step::Sent(to, id, call) => self.upstreams.with(to, |server| server.sent(id, call, turn.now)),
            Step::FromServer(from, response) => self.server_answers(from, response),
            Step::Reply(id, line) => self.client.reply(turn, &id, line),
            Step::ReplyRecorded(id, verdict, line) => self.client.reply_recorded(turn, &id, verdict, line),
            Step::Released => self.calls.release(turn, servers),
            Step::Initialized { of, revision, name } => self.initialized(of, revision, name),
            Step::List(of, meta) => self.upstreams.with(of, |server| server.list(turn, meta)),
            Step::ListingOverdue(of) => self.upstreams.with(of, |server| server.listing_overdue(turn)),
            Step::Listed(of) => self.calls.listed(turn, of),
            Step::Accept(of, tool) => self.upstreams.with(of, |server| server.accept(&tool)),
            Step::Ask(request) => self.questions.ask(turn, *request),
            Step::Asked(call) => self.calls.asked(call, turn.now),
            Step::Open(call, sealed) => self.questions.open(turn, call, sealed),
            Step::Carry(from, reply) => self.questions.carry(turn, from, reply),
            Step::Carried(from, reply) => self.upstreams.with(from, |server| server.input_required(turn, reply)),
            Step::TakenBack(of, call) => self.take_back(of, call, RefusalReason::Cancelled),
            Step::Resume(question, call, answer) => self.resume(question, call, answer),
            Step::Unreadable(id, why) => self.upstreams.with_asking(&id, |server| server.unanswered(turn, &id, &why)),
            Step::ServerGone(which, why) => self.server_gone(which, &why),
        }
    }

    /// A request of the client's; an id names one request at a time.
    fn client_asks(&mut self, request: Request) {
        let id = request.id();
        let is_taken = self.turn.ids.as_request(id).is_some() || self.upstreams.have(id) || self.calls.of(id).is_some();
        if is_taken {
            self.client.error(&mut self.turn, id, codes::INVALID_REQUEST, "a request of this id is still open; use a new id");
        } else if self.upstreams.are_gone() {
            self.client.error(&mut self.turn, id, codes::INTERNAL_ERROR, "the server has ended; restart the session");
        } else {
            self.client.request(&mut self.turn, request);
        }
    }

    /// A call that is taken back before it was sent never is, and gets no reply (MCP, basic/utilities/cancellation).
    fn client_notifies(&mut self, notification: Notification) {
        let cancels = notification.method() == "notifications/cancelled";
        let cancelled = notification.param("requestId").filter(|_| cancels).and_then(Id::from_raw);
        if let Some(call) = cancelled.as_ref().and_then(|id| self.calls.of(id)) {
            return self.give_up(call);
        }
        if let Some((of, question)) = cancelled.as_ref().and_then(|id| self.upstreams.holding(id)) {
            return self.take_back(of, question, RefusalReason::Cancelled);
        }
        let turn = &mut self.turn;
        if cancelled.as_ref().is_some_and(|id| turn.ids.as_request(id).is_some()) {
            return turn.log("dropped a cancellation of the client's of a request of the gate's");
        }
        self.upstreams.with(UpstreamId::ONLY, |server| server.pass(turn, notification.into()));
        // No reply is owed to a cancelled request; one that comes all the same is passed on.
        if let Some(id) = cancelled
            && self.upstreams.forget(&id)
        {
            self.client.forget(turn, &id);
            turn.then(Step::Released);
        }
    }

    fn client_answers(&mut self, response: Response) {
        let turn = &mut self.turn;
        let Some(id) = response.id().cloned() else {
            return turn.log("dropped an error of the client's that answers no request");
        };
        if turn.ids.is_question(&id) {
            return self.questions.client_answered(turn, &id, &response);
        }
        if !self.upstreams.are_asking(&id) {
            return turn.log(format!("dropped a reply of the client's to no request of the server's: {}", id.raw()));
        }
        self.upstreams.with_asking(&id, |server| server.answered(turn, &id, response));
    }

    fn server_answers(&mut self, from: UpstreamId, response: Response) {
        let turn = &mut self.turn;
        match response.id() {
            Some(id) if self.calls.of(id).is_some() => {
                turn.log(format!("dropped a reply of the server's to a call it was not sent: {}", id.raw()));
            }
            _ => self.upstreams.with(from, |server| server.reply(turn, response)),
        }
    }

    /// What the server calls itself is a claim: it only helps where neither the command line nor the policy says which server it is.
    fn initialized(&mut self, of: UpstreamId, revision: Option<String>, name: Option<String>) {
        self.client.agreed(&mut self.turn, revision);
        if let Some(name) = name {
            Arc::make_mut(&mut self.turn.config.policy).identify(self.upstreams.name(of), &[name], Identity::Claimed);
        }
    }

    /// The client is gone: what would have to be asked of it cannot be; what needs nobody goes on to its end.
    fn client_closed(&mut self) {
        self.turn.client_gone = true;
        self.calls.waiting_for_a_person().into_iter().for_each(|call| self.give_up(call));
        self.upstreams.questions(None).into_iter().for_each(|(of, question)| self.take_back(of, question, RefusalReason::Cancelled));
    }

    /// Takes back a question about what a server wants; the server does not get it.
    fn take_back(&mut self, of: UpstreamId, question: CallId, why: RefusalReason) {
        let turn = &mut self.turn;
        self.questions.withdraw(turn, question);
        self.upstreams.with(of, |server| server.decided(turn, question, Outcome::refused(why, None)));
    }

    /// A client has come back with the answer to a question about what a server wants; the call that brought it gets the reply.
    fn resume(&mut self, question: CallId, call: CallId, answer: Option<RetryAnswer>) {
        let turn = &mut self.turn;
        let Some(of) = self.upstreams.wanting(question) else {
            return turn.then(Step::Happened(call, Happened::Opened(None)));
        };
        if let Some(id) = self.calls.hand_over(call) {
            self.upstreams.with(of, |server| server.resume(turn, question, id, answer));
        }
    }

    /// Takes a call back without a reply: it was cancelled, or its client is gone.
    fn give_up(&mut self, call: CallId) {
        if let Some(id) = self.end(call, RefusalReason::Cancelled) {
            self.client.forget(&mut self.turn, &id);
        }
    }

    fn server_gone(&mut self, which: UpstreamId, why: &str) {
        self.upstreams
            .questions(Some(which))
            .into_iter()
            .for_each(|(of, question)| self.take_back(of, question, RefusalReason::ServerGone));
        for call in self.calls.to(which) {
            if let Some(id) = self.end(call, RefusalReason::ServerGone) {
                self.client.error(&mut self.turn, &id, codes::INTERNAL_ERROR, why);
            }
        }
    }

    fn end(&mut self, call: CallId, why: RefusalReason) -> Option<Id> {
        self.questions.withdraw(&mut self.turn, call);
        self.calls.end(&mut self.turn, &self.upstreams, call, why)
    }

    /// A verdict could not be written down, so what it would have led to does not happen; a refusal goes out all the same.
    fn unrecorded(&mut self, then: Then, problem: &str) {
        let turn = &mut self.turn;
        turn.log(format!("the audit log cannot be written: {problem}"));
        match then {
            Then::Wait => {}
            Then::Reply(reply) => turn.output(Output::ToClient(reply)),
            Then::Pass(Passed::Request(of, id, _)) => self.upstreams.with(of, |server| server.unrecorded(turn, &id)),
            Then::Pass(Passed::Reply(id, _)) => {
                let why = format!("the verdict could not be written to the audit log, so nothing was passed on: {problem}");
                self.client.error(turn, &id, codes::INTERNAL_ERROR, &why);
            }
            Then::Send(_, cleared) => {
                let call = cleared.call();
                self.upstreams.forget(call.id());
                let reply = refusal::reply(call, RefusalReason::Unrecorded, &[], Some(problem), Sender::is_modern(call));
                self.client.reply(turn, call.id(), reply);
                // Calls that touch the same files waited for this one.
                turn.then(Step::Released);
            }
        }
    }

    /// Looks at every clock.
    fn tick(&mut self) {
        self.calls.tick(&mut self.turn);
        self.questions.tick(&mut self.turn);
        self.carry_out();
        self.calls.beat(&mut self.turn, |call| self.questions.are_about(call));
        self.upstreams.tick(&mut self.turn);
        self.carry_out();
        self.questions.forget_expired(&mut self.turn);
    }
}
