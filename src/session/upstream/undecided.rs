//! What a server asks of the client and a person has to allow first: its own requests, and replies that ask for something before they go
//! on (`input_required`).
use std::borrow::Cow;
use std::time::Duration;

use crate::gate::{AnswerNote, Finding, Question, RefusalReason, Scopes, Verdict};
use crate::policy::{Effect, clients};
use crate::session::approval::{About, ApprovalRequest, Form};
use crate::session::event::{Output, Passed, Then};
use crate::session::ids::CallId;
use crate::session::retry::RetryAnswer;
use crate::session::sender::Sender;
use crate::session::sent::InputRequired;
use crate::session::step::{Outcome, Step};
use crate::session::turn::Turn;
use crate::wire::{self, Id, Request, codes};

use super::Upstream;
use super::requests::NOT_ASKED;

/// Something that waits for a person's word.
#[derive(Debug)]
pub(super) struct Undecided {
    what: Wanted,
    findings: Vec<Finding>,
    /// The client was sent away to come back with the answer, and is waited for until then.
    parked_until: Option<Duration>,
}

/// What a server wants.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Its own request.
    Request(Request),
    /// Its reply to a request of the client's asks for something.
    Reply(Box<InputRequired>),
}

impl Upstream {
    /// Has a person asked whether the server may have what it wants.
    pub(super) fn have_asked(&mut self, turn: &mut Turn, what: Wanted, findings: Vec<Finding>) {
        let call = turn.ids.call();
        let undecided = Undecided { what, findings, parked_until: None };
        turn.then(Step::Ask(Box::new(self.approval_request(turn, call, &undecided, None))));
        self.undecided.insert(call, undecided);
    }

    /// What became of the question.
    pub fn decided(&mut self, turn: &mut Turn, call: CallId, outcome: Outcome) {
        let Some(undecided) = self.undecided.remove(&call) else { return };
        match outcome {
            Outcome::Allowed(_, note) => self.allowed(turn, undecided, Some(note)),
            Outcome::AllowedLate(_) => self.allowed(turn, undecided, None),
            Outcome::Refused(why, _, note) => self.refused(turn, &undecided, why, note),
            Outcome::Again => match undecided.what {
                Wanted::Request(request) => self.request(turn, request),
                Wanted::Reply(reply) => self.input_required(turn, reply),
            },
            Outcome::ComeBack(result) => self.park(turn, call, undecided, &result),
        }
    }

    /// The client has come back, with a request of this id and with the answer if it gave one.
    pub fn resume(&mut self, turn: &mut Turn, call: CallId, id: Id, answer: Option<RetryAnswer>) {
        let Some(mut undecided) = self.undecided.remove(&call) else { return };
        if let Wanted::Reply(reply) = &mut undecided.what {
            reply.to = id;
        }
        undecided.parked_until = None;
        turn.then(Step::Ask(Box::new(self.approval_request(turn, call, &undecided, answer))));
        self.undecided.insert(call, undecided);
    }

    /// Forgets those whose client did not come back.
    pub(super) fn forget_parked(&mut self, now: Duration) {
        self.undecided.retain(|_, undecided| undecided.parked_until.is_none_or(|until| until > now));
    }

    fn allowed(&mut self, turn: &mut Turn, undecided: Undecided, note: Option<AnswerNote>) {
        let verdict = self.verdict(turn, &undecided, Effect::Allow, None, note);
        let passed = match undecided.what {
            Wanted::Request(request) => {
                self.asked.insert(request.id().clone());
                Passed::Request(self.id, request.id().clone(), request.bytes().clone())
            }
            Wanted::Reply(reply) => Passed::Reply(reply.to.clone(), reply.response.addressed(&reply.to, reply.changes)),
        };
        turn.output(Output::Verdict(Box::new(verdict), Then::Pass(passed)));
    }

    fn refused(&self, turn: &mut Turn, undecided: &Undecided, why: RefusalReason, note: Option<AnswerNote>) {
        let verdict = self.verdict(turn, undecided, Effect::Deny, Some(why), note);
        turn.output(Output::Verdict(Box::new(verdict), Then::Wait));
        match &undecided.what {
            Wanted::Request(request) => self.refuse_request(turn, request),
            Wanted::Reply(_) if undecided.parked_until.is_some() => {}
            Wanted::Reply(reply) => {
                let line = wire::error(Some(&reply.to), codes::DENIED, NOT_ASKED, None);
                turn.then(Step::Reply(reply.to.clone(), line));
            }
        }
    }

    fn park(&mut self, turn: &mut Turn, call: CallId, mut undecided: Undecided, result: &serde_json::Value) {
        let verdict = self.verdict(turn, &undecided, Effect::Ask, None, None);
        let Wanted::Reply(reply) = &undecided.what else { return self.refused(turn, &undecided, RefusalReason::NoApprover, None) };
        turn.output(Output::Verdict(Box::new(verdict), Then::Reply(wire::result(&reply.to, result))));
        undecided.parked_until = Some(turn.now + About::lifetime(timeout(turn, &reply.sender)));
        self.undecided.insert(call, undecided);
    }

    fn approval_request(&self, turn: &Turn, call: CallId, undecided: &Undecided, answer: Option<RetryAnswer>) -> ApprovalRequest {
        let Undecided { what, findings, .. } = undecided;
        let (method, arguments) = (what.method(), what.arguments());
        let (digest, scopes) = (wire::digest(&method, arguments.as_bytes()), Scopes { session: true, always: false });
        let mut question = Question::from_findings("", &*self.name, &*method, digest, &*arguments, findings, &scopes);
        question.directory = turn.config.surroundings.root.to_string_lossy().into_owned();
        question.calls.iter_mut().for_each(|asked| asked.by_server = true);
        let sender = what.sender(turn);
        question.client.clone_from(&sender.name);
        let about = About {
            call,
            upstream: self.id,
            definition: None,
            rounds: 1,
            unasked: RefusalReason::NoApprover,
            form: what.form(sender),
            timeout: timeout(turn, sender),
            meta: None,
            bound: what.bound(),
            upstream_state: None,
            answer,
            for_server: true,
        };
        ApprovalRequest { question, about }
    }

    fn verdict(
        &self,
        turn: &Turn,
        undecided: &Undecided,
        effect: Effect,
        refusal: Option<RefusalReason>,
        answer: Option<AnswerNote>,
    ) -> Verdict {
        let (what, method) = (&undecided.what, undecided.what.method());
        let arguments = what.arguments();
        Verdict {
            client: what.sender(turn).name.clone(),
            server: self.name.clone(),
            tool: method.clone().into_owned(),
            digest: wire::digest(&method, arguments.as_bytes()),
            method: method.into_owned(),
            id: what.id().raw().to_owned(),
            arguments: arguments.into_owned(),
            effect,
            refusal,
            findings: undecided.findings.clone(),
            more_findings: 0,
            answer,
        }
    }
}

impl Undecided {
    /// Whether it is the server's request of this id.
    pub fn is_request(&self, of: &Id) -> bool {
        matches!(&self.what, Wanted::Request(request) if request.id() == of)
    }

    /// Whether the client's request of this id waits for it.
    pub fn is_reply(&self, to: &Id) -> bool {
        self.parked_until.is_none() && matches!(&self.what, Wanted::Reply(reply) if reply.to == *to)
    }

    /// Whether its client was sent away to come back.
    pub const fn is_parked(&self) -> bool {
        self.parked_until.is_some()
    }
}

impl Wanted {
    /// What the server asks for: the method, or the methods.
    fn method(&self) -> Cow<'_, str> {
        match self {
            Self::Request(request) => Cow::Borrowed(request.method()),
            Self::Reply(reply) => Cow::Owned(reply.methods.join(", ")),
        }
    }

    /// In its own words, as they stood.
    fn arguments(&self) -> Cow<'_, str> {
        let raw = match self {
            Self::Request(request) => request.params(),
            Self::Reply(reply) => reply.response.result_member("inputRequests"),
        };
        String::from_utf8_lossy(raw.unwrap_or(b"null"))
    }

    fn id(&self) -> &Id {
        match self {
            Self::Request(request) => request.id(),
            Self::Reply(reply) => &reply.to,
        }
    }

    fn sender<'a>(&'a self, turn: &'a Turn) -> &'a Sender {
        match self {
            Self::Request(_) => &turn.client,
            Self::Reply(reply) => &reply.sender,
        }
    }

    /// Only a client that waits for a reply can be sent away with a form, and only where the state can be bound to its request.
    fn form(&self, sender: &Sender) -> Form {
        match (self, sender.form) {
            (Self::Request(_), Form::RoundTrip) => Form::None,
            (Self::Reply(reply), Form::RoundTrip) if reply.bound.is_empty() => Form::None,
            (_, form) => form,
        }
    }

    fn bound(&self) -> String {
        match self {
            Self::Request(_) => String::new(),
            Self::Reply(reply) => reply.bound.clone(),
        }
    }
}

fn timeout(turn: &Turn, sender: &Sender) -> Duration {
    turn.config.timeout.unwrap_or_else(|| clients::question_time(sender.name.as_deref(), false))
}
