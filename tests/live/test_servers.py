"""Real servers, once bare and once behind the gate: each reply must be the same bytes."""
import unittest

from parts import Live, node_server, python_server


class SameBytes(Live):
    """Runs one script of requests against a server with and without the gate."""

    def replies(self, command, era, script, fill):
        fill()
        client = self.client(command, era=era)
        lines = [("handshake", client.connect())]
        lines += [(method, client.line(method, params)) for method, params in script]
        status = client.close()
        self.assertEqual(client.stray, [], "noise on the client's side")
        return lines, status

    def compare(self, server, script, era="legacy", fill=None, expect=()):
        """Each reply line must be equal; `expect` holds, in order, a text that each reply must contain (so that errors are not compared)."""
        bare, bare_status = self.replies(server, era, script, fill or self.fill)
        gated, gated_status = self.replies(self.gated(server, "--access", "full"), era, script, fill or self.fill)
        for (method, without), (_, with_gate) in zip(bare, gated):
            self.assertEqual(without, with_gate, method)
        self.assertEqual(bare_status, gated_status, "exit status")
        for (method, line), text in zip(bare[1:], expect):
            self.assertIn(text, line.decode(), method)
        print(f"    {len(bare)} replies, {sum(len(line) for _, line in bare)} bytes, equal", flush=True)


def calls(*steps):
    return [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in steps]


class Filesystem(SameBytes):
    def test_reads_and_writes(self):
        at = lambda name: str(self.project / name)
        script = [("tools/list", {})] + calls(
            ("list_allowed_directories", {}),
            ("read_text_file", {"path": at("readme.md")}),
            ("read_text_file", {"path": "notes/one.txt", "head": 1}),
            ("read_multiple_files", {"paths": [at("readme.md"), at("notes/one.txt")]}),
            ("list_directory", {"path": at(".")}),
            ("directory_tree", {"path": at(".")}),
            ("search_files", {"path": at("."), "pattern": "**/*.txt"}),
            ("write_file", {"path": at("new.txt"), "content": "text with \u2028 and \U0001f980 and /etc/passwd\n"}),
            ("edit_file", {"path": at("new.txt"), "edits": [{"oldText": "text", "newText": "words"}]}),
            ("create_directory", {"path": at("deep/er")}),
            ("move_file", {"source": at("new.txt"), "destination": at("deep/er/moved.txt")}),
            ("read_text_file", {"path": at("deep/er/moved.txt")}),
            ("read_text_file", {"path": at("absent.txt")}),
        )
        expect = ["read_text_file", "Allowed", "wörld", "first", "second", "[DIR] notes", "one.txt", "one.txt", "Successfully", "words", "Success", "Success", "words", "ENOENT"]
        self.compare(node_server("server-filesystem") + [str(self.project)], script, expect=expect)


class Everything(SameBytes):
    def test_tools_resources_and_prompts(self):
        script = [
            ("tools/list", {}),
            *calls(("echo", {"message": "hello"}), ("get-sum", {"a": 2, "b": 40}), ("get-tiny-image", {}), ("get-structured-content", {"location": "Chicago"})),
            *calls(("get-annotated-message", {"messageType": "error", "includeImage": True}), ("echo", {"wrong": 1})),
            ("prompts/list", {}),
            ("prompts/get", {"name": "simple-prompt"}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("ping", {}),
            ("tools/nothing", {}),
            ("completion/complete", {"ref": {"type": "ref/prompt", "name": "completable-prompt"}, "argument": {"name": "department", "value": "E"}}),
        ]
        expect = ["echo", "hello", "42", "image", "temperature", "image", "message", "simple-prompt", "messages", "resources", "resourceTemplates", "result", "-32601", "values"]
        self.compare(node_server("server-everything"), script, expect=expect)

    def test_progress_passes_unchanged(self):
        ask = ("tools/call", {"name": "trigger-long-running-operation", "arguments": {"duration": 1, "steps": 4}, "_meta": {"progressToken": "t-1"}})
        seen = []
        for command in (node_server("server-everything"), self.gated(node_server("server-everything"), "--access", "full")):
            client = self.client(command)
            client.connect()
            line = client.line(*ask)
            seen.append((line, [note for note in client.notifications if note["method"] == "notifications/progress"]))
            client.close()
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(len(seen[0][1]), 4)


class Memory(SameBytes):
    def test_a_graph(self):
        def fill():
            self.fill()
            (self.home / "memory.jsonl").unlink(missing_ok=True)

        entity = {"name": "callgate", "entityType": "program", "observations": ["stands between /usr and you"]}
        script = [("tools/list", {})] + calls(
            ("create_entities", {"entities": [entity]}),
            ("add_observations", {"observations": [{"entityName": "callgate", "contents": ["asks"]}]}),
            ("search_nodes", {"query": "asks"}),
            ("read_graph", {}),
            ("delete_entities", {"entityNames": ["callgate"]}),
            ("read_graph", {}),
        )
        command = ["env", f"MEMORY_FILE_PATH={self.home / 'memory.jsonl'}", *node_server("server-memory")]
        self.compare(command, script, fill=fill, expect=["read_graph", "callgate", "asks", "asks", "asks", "deleted", "entities"])


class Git(SameBytes):
    def repository(self):
        self.fill()
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        (self.project / "readme.md").write_text("# Other\n")

    def script(self):
        where = str(self.project)
        return [("tools/list", {})] + calls(
            ("git_status", {"repo_path": where}),
            ("git_diff_unstaged", {"repo_path": where}),
            ("git_log", {"repo_path": where, "max_count": 2}),
            ("git_show", {"repo_path": where, "revision": "HEAD"}),
            ("git_add", {"repo_path": where, "files": ["readme.md"]}),
            ("git_diff_staged", {"repo_path": where}),
            ("git_branch", {"repo_path": where, "branch_type": "local"}),
            ("git_create_branch", {"repo_path": where, "branch_name": "feature/a"}),
            ("git_diff", {"repo_path": where, "target": "main"}),
        )

    def test_both_eras(self):
        expect = ["git_status", "readme.md", "Other", "one", "one", "staged", "Other", "main", "feature", "Other"]
        for era in ("legacy", "modern"):
            with self.subTest(era):
                self.compare(python_server("mcp-server-git") + ["--repository", str(self.project)], self.script(), era, self.repository, expect)


class Time(SameBytes):
    def test_both_eras(self):
        ask = {"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo", "time": "12:30"}
        script = [("tools/list", {})] + calls(("convert_time", ask), ("convert_time", {**ask, "target_timezone": "No/Where"}))
        for era in ("legacy", "modern"):
            with self.subTest(era):
                self.compare(python_server("mcp-server-time") + ["--local-timezone", "UTC"], script, era, expect=["convert_time", "Asia/Tokyo", "No/Where"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
