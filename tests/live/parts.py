"""Where the live tests find callgate, the installed servers and clients, and the shared odd servers. A missing part is a failure."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from client import Client

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("CALLGATE_LIVE_CACHE", REPOSITORY / ".cache" / "live")).resolve()
SHARED = Path(os.environ.get("CALLGATE_SHARED", REPOSITORY.parent / "shared")).resolve()
GATE = Path(os.environ.get("CALLGATE_BIN", REPOSITORY / "target" / "release" / "callgate")).resolve()


def need(path):
    """`path` as text, or a failure that says what to do."""
    if not Path(path).exists():
        raise AssertionError(f"`{path}` is missing: run `tests/live/install.sh` and `cargo build --release` first")
    return str(path)


def node_server(name):
    """The command of an npm server of the cache."""
    return ["node", need(CACHE / "node" / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js")]


def python_server(name):
    """The command of a PyPI server of the cache."""
    return [need(CACHE / "python-servers" / "bin" / name)]


def shared_tool(name):
    """A server of the shared folder beside the repository."""
    path = SHARED / "tools" / name
    if not path.exists():
        raise AssertionError(f"`{path}` is missing: put the shared folder beside the repository or set `CALLGATE_SHARED`")
    return ["python3", str(path)]


class Live(unittest.TestCase):
    """A test with a folder of its own, a project inside it, and a home that no user policy lives in."""

    def setUp(self):
        self.place = Path(tempfile.mkdtemp(prefix="callgate-live-")).resolve()
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.project, self.home, self.outside = self.place / "project", self.place / "home", self.place / "outside"
        for folder in (self.project, self.home, self.outside):
            folder.mkdir()
        (self.outside / "secret.txt").write_text("not yours\n")

    def environment(self, **more):
        """The environment of this test: a fixed set, so that nothing of the machine's user shows through."""
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        return {**kept, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "NO_UPDATE_NOTIFIER": "1", **more}

    def gated(self, command, *options):
        """`command` behind the gate."""
        return [need(GATE), "run", *options, "--", *command]

    def client(self, command, **more):
        """A client in the project folder, ended with the test."""
        environment = self.environment(**more.pop("variables", {}))
        client = Client(command, env=environment, cwd=str(self.project), **more)
        self.addCleanup(client.__exit__)
        return client

    def git(self, *words):
        fixed = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *who, *words], cwd=self.project, env=self.environment(**fixed), check=True, capture_output=True)

    def fill(self):
        """Puts the project into the same state each time: a few files, one of them in a folder."""
        shutil.rmtree(self.project)
        (self.project / "notes").mkdir(parents=True)
        (self.project / "readme.md").write_text("# Title\n\nHello, wörld.\n")
        (self.project / "notes" / "one.txt").write_text("first\nsecond\nthird\n")


def text_of(reply):
    """The text of a tool result."""
    return "\n".join(block.get("text", "") for block in reply["result"]["content"])


def refusal_of(reply):
    """The gate's own word for why it refused, from the result's `_meta`; `None` for a result that is not a refusal of the gate."""
    return reply.get("result", {}).get("_meta", {}).get("callgate/refusal", {}).get("kind")


def choose(word):
    """An answer that accepts the form and picks, for each of its properties, the offer that has `word` among its words."""

    def answer(params):
        form = params["requestedSchema"]["properties"]
        picks = {key: next((one for one in field["enum"] if word in one.split()), None) for key, field in form.items()}
        if None in picks.values():
            raise AssertionError(f"no offer with `{word}` in {form}")
        return {"action": "accept", "content": picks}

    return answer
