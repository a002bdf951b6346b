//! Whether an untrusted text only tightens: each entry that would loosen what stands is named with its place.
use super::layer::{ApprovalLayer, AuditLayer, Layer, LimitsLayer, Placed, ServerLayer, ToolLayer};
use super::model::{Policy, Sourced};
use super::role::{Access, Effect};
use super::settings::ArgumentRecord;
use super::text::{PolicyError, Problem};

/// Checks `layer` against what the texts before it say.
///
/// # Errors
/// Every entry that loosens.
pub(super) fn check(policy: &Policy, layer: &Layer<'_>) -> Result<(), PolicyError> {
    let mut check = Check { layer, problems: Vec::new() };
    check.levels(policy);
    check.paths(policy);
    check.approval(policy, &layer.approval);
    check.tools(&layer.tools);
    for (name, server) in &layer.servers {
        check.server(policy, name, server);
    }
    check.actions(policy);
    check.audit(policy, &layer.audit);
    check.limits(policy, &layer.limits);
    if check.problems.is_empty() { Ok(()) } else { Err(PolicyError { problems: check.problems }) }
}

struct Check<'c, 'a> {
    layer: &'c Layer<'a>,
    problems: Vec<Problem>,
}

impl Check<'_, '_> {
    fn levels(&mut self, policy: &Policy) {
        self.unless(
            &self.layer.access,
            |access| *access == Access::ReadOnly || policy.access.value == Access::Full,
            "a wider access level",
        );
        self.unless(&self.layer.trust_annotations, |trust| !trust || policy.trust_annotations.value, "trust in a server's annotations");
    }

    fn paths(&mut self, policy: &Policy) {
        let layer = self.layer;
        self.unless(&layer.paths.root, |root| *root == policy.root.value, "another root");
        self.each(&layer.paths.allow, "a permitted directory");
        self.each(&layer.paths.run, "a directory of programs");
        self.each(&layer.sensitive.except, "an exception from the sensitive names");
    }

    fn approval(&mut self, policy: &Policy, layer: &ApprovalLayer) {
        let held = &policy.approval;
        self.unless(&layer.channels, |channels| channels.iter().all(|channel| held.channels.value.contains(channel)), "a way of asking");
        self.unless(&layer.require, |require| *require >= held.require.value, "answers from more channels");
        self.unless(&layer.minimum_answer, |least| *least >= held.minimum_answer.value, "quicker answers");
        self.unless(&layer.questions_per_minute, within_or_none(&held.questions_per_minute), "more questions");
        self.unless(&layer.refusals_per_minute, within_or_none(&held.refusals_per_minute), "questions after more refusals");
        self.unless(&layer.program, |program| held.program.as_ref().is_some_and(|held| held.value == *program), "a program that answers");
    }

    fn tools(&mut self, tools: &[(String, ToolLayer)]) {
        for (_, tool) in tools {
            self.unless(&tool.read_only, |read_only| !read_only, "a tool as read-only");
            self.unless(&tool.destructive, |destructive| *destructive, "a tool as not destructive");
            self.unless(&tool.shell, |_| false, "another command language");
            self.unless(&tool.action, |action| *action != Effect::Allow, "a tool that is allowed");
            // Any role takes another one's place, and with it the search that the other would have got.
            for (selector, _) in &tool.roles {
                self.tell(selector, "the role of an argument");
            }
        }
    }

    fn server(&mut self, policy: &Policy, name: &str, server: &ServerLayer) {
        let held = policy.servers.get(name);
        self.unless(&server.command, |_| false, "a program to start");
        self.unless(&server.args, |_| false, "arguments of a program to start");
        self.unless(&server.env, |_| false, "environment variables for a server");
        self.unless(&server.cwd, |_| false, "where a server starts");
        self.unless(&server.url, |_| false, "a server to connect to");
        self.unless(&server.access, |access| *access == Access::ReadOnly || policy.access(name) == Access::Full, "a wider access level");
        self.unless(&server.trust_annotations, |trust| !trust || policy.trusts_annotations(name), "trust in a server's annotations");
        self.unless(
            &server.profile,
            |profile| profile == "none" && held.is_none_or(|held| held.profile.is_none()),
            "another server profile",
        );
        self.unless(&server.rewrite_relative, |_| false, "a change of arguments");
        self.tools(&server.tools);
    }

    fn actions(&mut self, policy: &Policy) {
        let layer = self.layer;
        for (rule, span) in layer.rules.iter().filter(|(rule, _)| rule.action == Effect::Allow) {
            self.tell(&Placed { value: (), span: span.clone(), source: rule.source.clone() }, "a rule that allows");
        }
        for (method, action) in &layer.methods {
            let least = policy.methods.get(method).map_or(Effect::Deny, |held| held.value);
            if action.value < least {
                self.tell(action, "a method");
            }
        }
        for (kind, action) in &layer.server_requests {
            if action.value < policy.server_request_action(*kind) {
                self.tell(action, "a request of servers");
            }
        }
    }

    fn audit(&mut self, policy: &Policy, layer: &AuditLayer) {
        self.unless(&layer.file, |_| false, "where the audit is written");
        self.unless(
            &layer.arguments,
            |record| *record == ArgumentRecord::Digest || policy.audit.arguments.value == *record,
            "arguments in the audit",
        );
    }

    fn limits(&mut self, policy: &Policy, layer: &LimitsLayer) {
        let within = |held: &Sourced<u64>| {
            let held = held.value;
            move |limit: &u64| *limit <= held
        };
        self.unless(&layer.message_bytes, within(&policy.limits.message_bytes), "a higher limit");
        self.unless(&layer.depth, within(&policy.limits.depth), "a higher limit");
        self.unless(&layer.call_timeout, within_or_none(&policy.limits.call_timeout), "a higher limit");
    }

    fn each(&mut self, placed: &[Placed<String>], what: &str) {
        placed.iter().for_each(|placed| self.tell(placed, what));
    }

    fn unless<T>(&mut self, placed: &Option<Placed<T>>, tightens: impl FnOnce(&T) -> bool, what: &str) {
        if let Some(placed) = placed.as_ref().filter(|placed| !tightens(&placed.value)) {
            self.tell(placed, what);
        }
    }

    fn tell<T>(&mut self, placed: &Placed<T>, what: &str) {
        let message = format!("this project file is not trusted, so it may not set {what}");
        let hint = "read the file, then run `callgate trust` to let it loosen the policy, or remove the entry";
        self.problems.push(self.layer.lines.problem(placed.span.clone(), message, hint));
    }
}

/// Within a limit whose 0 stands for none.
fn within_or_none(held: &Sourced<u64>) -> impl Fn(&u64) -> bool + use<> {
    let held = held.value;
    move |limit| held == 0 || (*limit > 0 && *limit <= held)
}
