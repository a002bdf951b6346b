"""Real agents that cannot show a form: the question is answered in `callgate approve`, in time, too late, or never.

opencode and Gemini CLI run without a screen and with a scripted model; the model's side shows what the agent brought back.
"""
import json
import unittest

from agents import Gemini, OpenCode
from approver import Approver
from fake_model import FakeModel, Step
from parts import GATE, Live, need, node_server


class Scenes:
    """What each agent goes through; `kind` is the agent."""

    def setUp(self):
        super().setUp()
        self.fill()
        (self.project / ".env").write_text("TOKEN=1\n")
        self.runtime = self.place / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.asking = Step("read_text_file", {"path": str(self.project / ".env")})

    def environment(self, **more):
        return super().environment(XDG_RUNTIME_DIR=str(self.runtime), **more)

    def approver(self):
        approver = Approver(need(GATE), self.environment(), str(self.outside))
        self.addCleanup(approver.end)
        return approver

    def run_agent(self, steps, *options):
        model = FakeModel(steps)
        self.addCleanup(model.close)
        gate = self.gated(node_server("server-filesystem") + [str(self.project)], "--server", "files", *options)
        return self.kind(self, model, gate), model

    def test_an_allowed_call_arrives(self):
        agent, model = self.run_agent([Step("read_text_file", {"path": str(self.project / "readme.md")})])
        self.assertIn("Hello, wörld.", model.result(0))
        agent.finished()

    def test_a_yes_and_a_no_in_time(self):
        approver = self.approver()
        hook = self.project / ".git" / "hooks" / "pre-commit"
        self.git("init", "-q")
        variables = self.project / ".envrc"
        writing = [Step("write_file", {"path": str(path), "content": "x\n"}) for path in (hook, variables)]
        agent, model = self.run_agent([self.asking, *writing])
        approver.type(approver.question("read_text_file", str(self.project / ".env"))["once"])
        self.assertIn("TOKEN=1", model.result(0))
        approver.question("write_file", str(hook))
        approver.type("deny hooks are mine")
        self.assertIn("hooks are mine", model.result(1))
        destroying = approver.question("write_file", str(variables), "known to destroy")["once"]
        self.assertIn("write_file", destroying, "the tool's name is typed")
        approver.type(destroying)
        model.result(2)
        agent.finished()
        self.assertEqual((hook.exists(), variables.read_text()), (False, "x\n"))

    def test_a_late_yes_is_for_the_second_try(self):
        approver = self.approver()
        again = Step(self.asking.tool, self.asking.arguments, held=True)
        more = Step(self.asking.tool, self.asking.arguments)
        agent, model = self.run_agent([self.asking, again, more], "--ask-timeout", "2")
        offered = approver.question("read_text_file")
        self.assertIn("nobody answered", model.result(0))
        approver.wait_for("a yes is for its next try")
        approver.type(offered["once"])
        approver.wait_for("allowed by")
        again.go()
        self.assertIn("TOKEN=1", model.result(1))
        self.assertNotIn("TOKEN=1", model.result(2), "a late yes is used up")
        agent.finished()

    def test_an_interrupted_agent_leaves_no_question(self):
        approver = self.approver()
        target, log = self.project / ".envrc", self.place / "audit.jsonl"
        agent, _ = self.run_agent([Step("write_file", {"path": str(target), "content": "x\n"})], "--audit", str(log))
        approver.question("write_file", str(target))
        agent.interrupt()
        approver.wait_for("0 open questions")
        agent.finished()
        self.assertFalse(target.exists())
        self.assertEqual([json.loads(line)["refusal"] for line in log.read_text().splitlines()], ["cancelled"])


class OnOpenCode(Scenes, Live):
    kind = OpenCode


class OnGemini(Scenes, Live):
    kind = Gemini


if __name__ == "__main__":
    unittest.main(verbosity=2)
