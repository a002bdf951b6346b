//! Drives the judge for one call: with what holds at each step, from its arrival to its decision, and again after an answer or a wait.
use serde_json::Value;

use crate::analyse::{Definition, Scripts};
use crate::gate::{Cleared, Facts, Judge, Located, Mentions, NeedsApproval, PinStatus, Reading, RefusalReason, Step};
use crate::session::ids::UpstreamId;
use crate::session::retry::{Retry, SealedRetry};
use crate::session::servers::Servers;
use crate::session::step::Outcome;
use crate::session::turn::Turn;
use crate::wire::{self, Call};

use super::pending::PendingCall;
use super::verdict::bound;

/// How far a call has come.
pub(super) enum Progress {
    /// The sealed state that it brought has to be opened first.
    Open(Call, SealedRetry),
    /// The tools of its server have to be listed first.
    List(Judge),
    /// What the judge wants next, or has decided.
    Judged(Step),
    /// It needed an answer and is refused: why, and in whose words.
    Refuse(NeedsApproval, RefusalReason, Option<String>),
    /// The state that it brought is not valid for it.
    Invalid(Call),
    /// It needs an answer with which its client is to come back: the result that asks for it.
    ComeBack(NeedsApproval, Value),
}

impl PendingCall {
    /// Begins with a call that has just come in: a retry brings a state that has to be opened first.
    pub(super) fn begin(&self, turn: &Turn, servers: &impl Servers, call: Call) -> Progress {
        let state = call.request_state().and_then(|state| turn.ids.untagged(&state).map(str::to_owned));
        let Some(state) = state else {
            return self.list_first(turn, servers, Judge::of(call));
        };
        let response = call.input_responses().and_then(|raw| wire::decode(raw).0.get(turn.ids.own_input()).cloned());
        let bound = bound(servers.name(self.upstream), &call, &call.digest());
        Progress::Open(call, SealedRetry { state, bound, response })
    }

    /// Goes on with what its sealed state held.
    pub(super) fn resume(&mut self, turn: &Turn, servers: &impl Servers, call: Call, retry: Retry) -> Progress {
        self.brought = retry.answer;
        self.upstream_state = Some(retry.upstream);
        self.list_first(turn, servers, Judge::of(call).with_answers(retry.answers))
    }

    fn list_first(&self, turn: &Turn, servers: &impl Servers, judge: Judge) -> Progress {
        let call = judge.call();
        if call.method() == "tools/call" && servers.wants_listing(self.upstream, call.tool()) {
            return Progress::List(judge);
        }
        self.listed(turn, servers, judge)
    }

    /// Judges a call whose tool is listed, or never will be.
    pub(super) fn listed(&self, turn: &Turn, servers: &impl Servers, judge: Judge) -> Progress {
        let known = Known::of(servers, self.upstream, judge.call());
        Progress::Judged(known.facts(turn, |facts| judge.begin(facts)))
    }

    /// Goes on with the script files that were read; with nothing where they could not be in time.
    pub(super) fn read(&self, turn: &Turn, servers: &impl Servers, judge: Judge<Reading>, scripts: Option<Scripts>) -> Progress {
        let known = Known::of(servers, self.upstream, judge.call());
        Progress::Judged(known.facts(turn, |facts| match scripts {
            Some(scripts) => judge.read(scripts, facts),
            None => judge.unread(facts),
        }))
    }

    /// Goes on with what the disk said; with nothing where it did not answer in time.
    pub(super) fn located(&self, turn: &Turn, servers: &impl Servers, judge: Judge<Mentions>, located: Option<Vec<Located>>) -> Progress {
        let call = match located {
            Some(located) => judge.located(located),
            None => judge.unlocated("the disk did not answer in time"),
        };
        let known = Known::of(servers, self.upstream, call.call());
        Progress::Judged(Step::Decided(known.facts(turn, |facts| call.decide(facts))))
    }

    /// Takes in what became of the question about it.
    pub(super) fn settle(&mut self, turn: &Turn, servers: &impl Servers, mut approval: NeedsApproval, outcome: Outcome) -> Progress {
        match outcome {
            Outcome::Allowed(grants, note) => {
                self.answer = Some(note);
                approval.allow(grants);
            }
            Outcome::AllowedLate(grants) => {
                approval.allow(grants);
                self.rounds -= 1;
            }
            Outcome::Again => self.rounds -= 1,
            Outcome::Refused(why, reason, note) => {
                self.answer = note.or(self.answer.take());
                return Progress::Refuse(approval, why, reason);
            }
            Outcome::ComeBack(form) => return Progress::ComeBack(approval, form),
        }
        // Things may have moved while the person was thinking: ask the disk again and judge anew.
        let known = Known::of(servers, self.upstream, approval.call());
        Progress::Judged(known.facts(turn, |facts| approval.again(facts)))
    }

    /// Judges a call anew that waited for another, because time went by.
    pub(super) fn freed(&self, turn: &Turn, servers: &impl Servers, cleared: Cleared) -> Progress {
        let known = Known::of(servers, self.upstream, cleared.call());
        Progress::Judged(known.facts(turn, |facts| cleared.again(facts)))
    }
}

/// What is known of a call's server and tool; of nothing that is no tool there is a definition.
struct Known<'s> {
    server: &'s str,
    definition: Option<&'s Definition>,
    pin_status: PinStatus,
}

impl<'s> Known<'s> {
    fn of(servers: &'s impl Servers, upstream: UpstreamId, call: &Call) -> Self {
        let (server, is_tool) = (servers.name(upstream), call.method() == "tools/call");
        let definition = servers.definition(upstream, call.tool()).filter(|_| is_tool);
        let pin_status = if is_tool { servers.pin_status(upstream, call.tool()) } else { PinStatus::NotATool };
        Self { server, definition, pin_status }
    }

    /// What the judge goes by.
    fn facts<T>(&self, turn: &Turn, go: impl FnOnce(&Facts<'_>) -> T) -> T {
        go(&Facts {
            policy: &turn.config.policy,
            sensitive: &turn.config.sensitive,
            surroundings: &turn.config.surroundings,
            server: self.server,
            access: turn.config.access,
            definition: self.definition,
            pin_status: &self.pin_status,
            granted: &turn.granted,
            expected: &[],
            rewrite_relative: turn.config.rewrite_relative,
            explain: false,
        })
    }
}
