"""A day's calls to each reference server through the gate: none of the usual ones asks, and each that leaves the project does.

The table is `day.toml`. Nobody can be asked here, so what would be asked about is refused, and never reaches the server.
"""
import json
import tomllib
import unittest
from pathlib import Path

from parts import Live, node_server, python_server, refusal_of

DAY = tomllib.loads((Path(__file__).resolve().parent / "day.toml").read_text())
FILES = """README.md package.json Dockerfile .gitignore .env .env.example src/index.ts src/secrets.ts src/api/users.ts src/api/routes.ts
docs/guide.md docs/keys.md tests/users.test.ts img/logo.png .github/workflows/ci.yml""".split()


class Day(Live):
    def setUp(self):
        super().setUp()
        for name in FILES:
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}\nline two\n")
        (self.project / ".gitignore").write_text("node_modules\n.env\n")
        (self.project / "linked").symlink_to(self.outside)
        (self.project / "d").symlink_to("docs")
        (self.outside / "notes.md").write_text("not yours\n")
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh" / "id_ed25519").write_text("not yours\n")
        self.git("init", "-q", "-b", "main")
        self.git("init", "-q", str(self.outside))
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.git("branch", "feature/login")
        self.git("tag", "v1.0")

    def calls(self, name, heading):
        """The calls under a heading of the table, with this test's places."""
        places = {"{project}": self.project, "{outside}": self.outside, "{home}": self.home}
        for row in DAY[name].get(heading, []):
            for mark, path in places.items():
                row = row.replace(mark, str(path))
            tool, arguments = row.split(" ", 1)
            yield row, tool, json.loads(arguments)

    def spend(self, name, server):
        command = self.gated(server, "--access", "full", "--non-interactive")
        client = self.client(command, variables={"MEMORY_FILE_PATH": str(self.place / "memory.json")})
        client.connect()
        for heading, asked in (("allowed", None), ("asked", "no_approver")):
            for row, tool, arguments in self.calls(name, heading):
                with self.subTest(row):
                    reply = client.call(tool, arguments)
                    self.assertEqual(refusal_of(reply), asked, reply)
                    self.assertNotIn("not yours", json.dumps(reply))

    def test_filesystem(self):
        self.spend("filesystem", node_server("server-filesystem") + [str(self.place)])

    def test_everything(self):
        self.spend("everything", node_server("server-everything"))

    def test_memory(self):
        self.spend("memory", node_server("server-memory"))

    def test_git(self):
        self.spend("git", python_server("mcp-server-git"))

    def test_time(self):
        self.spend("time", python_server("mcp-server-time"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
