"""Official SDK clients in front of the gate: the same answers as without it, and a question answered by each."""
import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from parts import CACHE, Live, need, node_server, python_server

HERE = Path(__file__).resolve().parent


class Clients(Live):
    def setUp(self):
        super().setUp()
        self.fill()
        (self.project / "repository").mkdir()
        self.git("init", "-q", "-b", "main", "repository")

    def drive(self, client, mode, word, steps, command):
        """The lines that a client prints for `steps` against `command`."""
        words = [*client, mode, word, json.dumps(steps), "--", *command]
        done = subprocess.run(words, env=self.environment(), cwd=self.project, capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def python(self):
        return [need(CACHE / "python-client" / "bin" / "python"), str(HERE / "sdk_client.py")]

    def node(self, sdk):
        """The script beside the installed packages, where an import finds them."""
        folder = Path(need(CACHE / "node" / "node_modules")).parent
        script = folder / f"sdk_client-{os.getpid()}.mjs"
        shutil.copy(HERE / "sdk_client.mjs", script)
        self.addCleanup(script.unlink, missing_ok=True)
        return ["node", str(script), sdk]

    def clients(self):
        """Each client with the modes it has."""
        yield "python", self.python(), ["legacy", "auto", "2026-07-28"]
        yield "typescript 1", self.node("1"), ["legacy"]
        yield "typescript 2", self.node("2"), ["legacy", "auto", "2026-07-28"]

    def test_the_same_with_and_without(self):
        files = node_server("server-filesystem") + [str(self.project)]
        inside = [["read_text_file", {"path": str(self.project / "readme.md")}], ["list_directory", {"path": str(self.project)}]]
        git = python_server("mcp-server-git")
        status = [["git_status", {"repo_path": str(self.project / "repository")}]]
        for name, client, modes in self.clients():
            for mode in modes:
                server, steps = (git, status) if mode == "2026-07-28" else (files, inside)
                with self.subTest(f"{name}, {mode}"):
                    bare = self.drive(client, mode, "deny", steps, server)
                    self.assertEqual(bare, self.drive(client, mode, "deny", steps, self.gated(server, "--access", "full")))
                    self.assertEqual(len(bare), 1 + len(steps))

    def test_a_question_answered(self):
        outside = self.outside / "repository"
        shutil.move(self.project / "repository", outside)
        server, steps = python_server("mcp-server-git"), [["git_status", {"repo_path": str(outside)}]]
        for name, client, modes in self.clients():
            for mode in modes:
                with self.subTest(f"{name}, {mode}"):
                    (_, bare) = self.drive(client, mode, "deny", steps, server)
                    (_, asked, allowed) = self.drive(client, mode, "once", steps, self.gated(server, "--access", "full"))
                    self.assertIn(str(outside), asked["asked"])
                    self.assertEqual(allowed, bare)
                    (_, asked, refused) = self.drive(client, mode, "deny", steps, self.gated(server, "--access", "full"))
                    self.assertTrue(refused["result"]["isError"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
