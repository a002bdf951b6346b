//! What a person is told about a call that has to be asked about.
use crate::analyse::Definition;
use crate::gate::{Kind, NeedsApproval, Question, Scopes, known_to_destroy, quoted};
use crate::policy::clients;
use crate::session::approval::{About, ApprovalRequest};
use crate::session::ids::CallId;
use crate::session::refusal;
use crate::session::servers::Servers;
use crate::session::turn::Turn;
use crate::wire::Call;

use super::pending::PendingCall;
use super::verdict::bound;

impl PendingCall {
    /// Puts together what has to be known to ask about the call.
    pub(super) fn approval_request(
        &mut self,
        turn: &Turn,
        servers: &impl Servers,
        id: CallId,
        approval: &NeedsApproval,
    ) -> ApprovalRequest {
        let call = approval.call();
        self.rounds += 1;
        let (config, name) = (&turn.config, self.sender.name.as_deref());
        let about = About {
            call: id,
            upstream: self.upstream,
            definition: servers.definition(self.upstream, call.tool()).map(Definition::digest),
            rounds: self.rounds,
            unasked: refusal::unasked(approval.findings()),
            form: self.sender.form,
            timeout: config.timeout.unwrap_or_else(|| clients::question_time(name, self.life.are_wanted())),
            meta: call.meta_raw().and_then(|raw| std::str::from_utf8(raw).ok()).map(str::to_owned),
            bound: bound(servers.name(self.upstream), call, approval.digest()),
            upstream_state: self.upstream_state.clone().flatten(),
            answer: self.brought.take(),
            for_server: false,
        };
        ApprovalRequest { question: self.question(turn, servers, approval), about }
    }

    fn question(&self, turn: &Turn, servers: &impl Servers, approval: &NeedsApproval) -> Question {
        let call = approval.call();
        // A grant for good hangs on the tool's definition, so what has none cannot be kept.
        let scopes = Scopes { session: true, always: servers.definition(self.upstream, call.tool()).is_some() };
        let (server, arguments) = (servers.name(self.upstream), call.raw_arguments());
        let mut question = Question::from_findings("", server, call.tool(), approval.digest(), arguments, approval.findings(), &scopes);
        question.client.clone_from(&self.sender.name);
        question.directory = turn.config.surroundings.root.to_string_lossy().into_owned();
        let destructive = self.is_destructive(turn, servers, call);
        for asked in &mut question.calls {
            asked.destructive = destructive;
            asked.scripts = approval.scripts().map(str::to_owned);
        }
        if approval.findings().iter().any(|finding| finding.kind == Kind::Definition) {
            question.notes = self.changes_of(servers, call.tool());
        }
        question
    }

    /// A definition that no longer says that the tool destroys does not lower the care before it is accepted.
    fn is_destructive(&self, turn: &Turn, servers: &impl Servers, call: &Call) -> bool {
        let known = [servers.definition(self.upstream, call.tool()), servers.accepted(self.upstream, call.tool())];
        let (policy, server) = (&turn.config.policy, servers.name(self.upstream));
        let settings = policy.tool_for(server, call.tool(), call.arguments());
        let trusted = policy.trusts_annotations(server);
        let is_tool = call.method() == "tools/call";
        known.iter().any(|tool| known_to_destroy(&settings, tool.filter(|_| is_tool).map(|tool| &tool.hints), trusted))
    }

    /// What changed in the tool's definition, as remarks for a person.
    fn changes_of(&self, servers: &impl Servers, tool: &str) -> Vec<String> {
        let pin_status = servers.pin_status(self.upstream, tool);
        let lines = pin_status.changed_lines();
        let heading = (!lines.is_empty()).then(|| format!("what changed in the definition of {}:", quoted(tool)));
        heading.into_iter().chain(lines.iter().cloned()).collect()
    }
}
