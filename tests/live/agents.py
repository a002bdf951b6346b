"""Agents without forms of their own, run without a screen: each with the gate in its configuration and a scripted model."""
import json
import os
import signal
import subprocess
import threading

from client import kill_all
from fake_model import SERVER
from parts import CACHE, need

BIN = CACHE / "node" / "node_modules" / ".bin"


class Agent:
    """One run of an agent on one prompt."""

    def __init__(self, test, model, gate):
        environment = test.environment(**self.prepare(test, model, gate))
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(self.command(), cwd=test.project, env=environment, process_group=0, **pipes)
        self.said = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        test.addCleanup(self.end)

    def _read(self):
        for line in self.process.stdout:
            self.said.append(line.decode("utf-8", "replace"))

    def interrupt(self):
        """What Ctrl-C does: the whole foreground group hears it."""
        os.killpg(self.process.pid, signal.SIGINT)

    def finished(self, patience=60.0):
        """Waits for the agent's own end and gives back its status."""
        return self.process.wait(patience)

    def end(self):
        """Ends what still runs of it."""
        kill_all(self.process.pid)
        self.process.wait()
        self.reader.join(10)
        self.process.stdout.close()


class OpenCode(Agent):
    """opencode, over chat completions."""

    def command(self):
        return [need(BIN / "opencode"), "run", "go"]

    def prepare(self, test, model, gate):
        fake = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{model.url}/v1", "apiKey": "none"}, "models": {"fake": {"tool_call": True}}}
        own = {"model": "fake/fake", "provider": {"fake": fake}, "autoupdate": False, "share": "disabled"}
        own["mcp"] = {SERVER: {"type": "local", "command": gate}}
        (test.project / "opencode.json").write_text(json.dumps(own))
        quiet = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_DEFAULT_PLUGINS")
        return {**{name: "1" for name in quiet}, "npm_config_registry": model.url}


class Gemini(Agent):
    """Gemini CLI, over `generateContent`."""

    def command(self):
        return [need(BIN / "gemini"), "--model", "gemini-2.5-flash", "--approval-mode", "yolo", "--prompt", "go"]

    def prepare(self, test, model, gate):
        own = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "mcpServers": {SERVER: {"command": gate[0], "args": gate[1:]}},
        }
        folder = test.home / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(own))
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url}
