"""Questions, answers, levels and refusals in front of real servers: what is refused never reaches the server."""
import json
import unittest

from parts import Live, choose, node_server, python_server, refusal_of, text_of


class OutsideAsks(Live):
    """A file server that would serve two folders, behind a gate whose root is one of them."""

    def setUp(self):
        super().setUp()
        self.fill()
        self.secret = str(self.outside / "secret.txt")

    def filesystem(self, *options, **more):
        server = node_server("server-filesystem") + [str(self.project), str(self.outside)]
        client = self.client(self.gated(server, "--access", "full", *options), **more)
        client.connect()
        return client

    def read(self, client):
        return client.call("read_text_file", {"path": self.secret})

    def assert_refused(self, reply, why):
        self.assertTrue(reply["result"]["isError"], reply)
        self.assertEqual(refusal_of(reply), why, reply)
        self.assertNotIn("not yours", json.dumps(reply))

    def test_once_is_used_up(self):
        client = self.filesystem(answer=choose("once"))
        for turn in (1, 2):
            self.assertEqual(text_of(self.read(client)), "not yours\n")
            self.assertEqual(len(client.asked), turn)
        shown = client.asked[0]["params"]["message"]
        for part in (self.secret, "read_text_file"):
            self.assertIn(part, shown)

    def test_session_is_remembered(self):
        client = self.filesystem(answer=choose("session"))
        for _ in range(3):
            self.assertEqual(text_of(self.read(client)), "not yours\n")
        self.assertEqual(len(client.asked), 1)

    def test_deny_never_reaches_the_server(self):
        client = self.filesystem(answer=choose("deny"))
        target = self.outside / "new.txt"
        reply = client.call("write_file", {"path": str(target), "content": "x"})
        self.assert_refused(reply, "denied_by_user")
        self.assertFalse(target.exists())
        self.assertIn("wörld", text_of(client.call("read_text_file", {"path": str(self.project / "readme.md")})), "the session goes on")

    def test_only_the_offered_words_are_a_yes(self):
        def with_extra(params):
            answer = choose("once")(params)
            answer["content"]["more"] = "once"
            return answer

        wrong = {
            "decline": lambda _: {"action": "decline"},
            "cancel": lambda _: {"action": "cancel"},
            "accept without content": lambda _: {"action": "accept"},
            "accept with an empty content": lambda _: {"action": "accept", "content": {}},
            "a word that was not offered": lambda params: {"action": "accept", "content": {key: "yes" for key in params["requestedSchema"]["properties"]}},
            "a member that was not offered": with_extra,
        }
        for name, answer in wrong.items():
            with self.subTest(name):
                reply = self.read(self.filesystem(answer=answer))
                self.assertTrue(reply["result"]["isError"], reply)
                self.assertNotIn("not yours", json.dumps(reply))

    def test_nobody_to_ask(self):
        self.assert_refused(self.read(self.filesystem()), "no_approver")

    def test_non_interactive_never_asks(self):
        client = self.filesystem("--non-interactive", answer=choose("once"))
        self.assertTrue(self.read(client)["result"]["isError"])
        self.assertEqual(client.asked, [])

    def test_an_allowed_folder_is_not_asked_about(self):
        client = self.filesystem("--allow-dir", str(self.outside), answer=choose("deny"))
        self.assertEqual(text_of(self.read(client)), "not yours\n")
        self.assertEqual(client.asked, [])

    def test_a_link_out_is_outside(self):
        (self.project / "innocent.txt").symlink_to(self.secret)
        client = self.filesystem(answer=choose("deny"))
        self.assert_refused(client.call("read_text_file", {"path": str(self.project / "innocent.txt")}), "denied_by_user")
        self.assertIn(self.secret, client.asked[0]["params"]["message"])

    def test_credentials_inside_the_root_are_asked_about(self):
        (self.project / ".env").write_text("TOKEN=1\n")
        client = self.filesystem(answer=choose("deny"))
        self.assert_refused(client.call("read_text_file", {"path": str(self.project / ".env")}), "denied_by_user")
        self.assertEqual(len(client.asked), 1)

    def test_an_open_question_holds_nothing_up(self):
        client = self.filesystem(answer=choose("once"))
        held = client.begin("tools/call", {"name": "read_text_file", "arguments": {"path": self.secret}})
        other = client.line("tools/call", {"name": "list_directory", "arguments": {"path": str(self.project)}})
        self.assertIn("notes", other.decode())
        self.assertIn("not yours", client.end(held).decode())


class Modern(Live):
    """The 2026-07-28 era, where a question is an `input_required` result and the answer a new call."""

    def setUp(self):
        super().setUp()
        self.fill()
        (self.outside / "secret.txt").rename(self.project / "hidden.txt")
        self.git("init", "-q", "-b", "main")
        self.project.rename(self.outside / "repository")
        self.project.mkdir()
        self.asking = {"repo_path": str(self.outside / "repository")}

    def server(self, **more):
        client = self.client(self.gated(python_server("mcp-server-git"), "--access", "full"), era="modern", **more)
        client.connect()
        return client

    def test_allow_and_deny(self):
        bare = self.client(python_server("mcp-server-git"), era="modern")
        bare.connect()
        wanted = bare.call("git_status", self.asking)["result"]
        client = self.server(answer=choose("once"))
        self.assertEqual(client.call("git_status", self.asking)["result"], wanted)
        self.assertEqual(len(client.asked), 1)
        reply = self.server(answer=choose("deny")).call("git_status", self.asking)
        self.assertEqual(refusal_of(reply), "denied_by_user", reply)
        self.assertEqual(reply["result"]["resultType"], "complete")

    def test_a_state_serves_once_and_for_its_call_only(self):
        client = self.server(answer=choose("once"))
        first = {"name": "git_status", "arguments": self.asking}
        asked = json.loads(client.line("tools/call", first))["result"]
        self.assertEqual(asked["resultType"], "input_required")
        answers = {key: choose("once")(one["params"]) for key, one in asked["inputRequests"].items()}
        retry = {**first, "inputResponses": answers, "requestState": asked["requestState"]}
        (self.outside / "other").mkdir()
        elsewhere = {**retry, "arguments": {"repo_path": str(self.outside / "other")}}
        broken = {**retry, "requestState": asked["requestState"][:-4] + "AAAA"}
        for name, params in (("other arguments", elsewhere), ("a damaged state", broken)):
            with self.subTest(name):
                self.assertNotIn("hidden.txt", client.line("tools/call", params).decode())
        self.assertIn("hidden.txt", client.line("tools/call", retry).decode())
        with self.subTest("a used state"):
            self.assertNotIn("hidden.txt", client.line("tools/call", retry).decode())

    def test_without_the_capability_nothing_is_asked(self):
        reply = self.server().call("git_status", self.asking)
        self.assertEqual(refusal_of(reply), "no_approver", reply)


class Levels(Live):
    def setUp(self):
        super().setUp()
        self.fill()

    def test_read_only_hides_and_refuses_what_writes(self):
        server = node_server("server-filesystem") + [str(self.project)]
        client = self.client(self.gated(server, "--access", "read_only"))
        client.connect()
        names = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        self.assertIn("read_text_file", names)
        self.assertNotIn("write_file", names)
        reply = client.call("write_file", {"path": str(self.project / "new.txt"), "content": "x"})
        self.assertEqual(refusal_of(reply), "denied_by_policy", reply)
        self.assertFalse((self.project / "new.txt").exists())
        self.assertIn("wörld", text_of(client.call("read_text_file", {"path": str(self.project / "readme.md")})))

    def test_a_rule_of_the_policy_denies(self):
        policy = self.place / "policy.toml"
        policy.write_text('version = 1\naccess = "full"\n[[rules]]\ntool = "move_*"\naction = "deny"\nreason = "files stay where they are"\n')
        server = node_server("server-filesystem") + [str(self.project)]
        client = self.client(self.gated(server, "--policy", str(policy)))
        client.connect()
        move = {"source": str(self.project / "readme.md"), "destination": str(self.project / "gone.md")}
        reply = client.call("move_file", move)
        self.assertEqual(refusal_of(reply), "denied_by_policy", reply)
        self.assertIn("files stay where they are", text_of(reply))
        self.assertTrue((self.project / "readme.md").exists())

    def test_an_unknown_tool_is_refused(self):
        client = self.client(self.gated(node_server("server-everything"), "--access", "full"))
        client.connect()
        for name in ("Echo", "echo ", "no_such_tool"):
            with self.subTest(name):
                self.assertEqual(refusal_of(client.call(name, {"message": "x"})), "unknown_tool")


class Audit(Live):
    def test_each_verdict_is_on_record(self):
        self.fill()
        log = self.place / "audit.jsonl"
        client = self.client(self.gated(node_server("server-everything"), "--access", "full", "--audit", str(log)))
        client.connect()
        client.call("echo", {"message": "one"})
        client.call("no_such_tool")
        client.close()
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertGreaterEqual(len(lines), 2)
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        self.assertNotIn('"one"', log.read_text(), "arguments are digests unless asked for")


if __name__ == "__main__":
    unittest.main(verbosity=2)
