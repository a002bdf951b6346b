"""A small MCP client for the live tests: speaks both eras over stdio, answers questions, and keeps every line as bytes.

Standard library only. Every wait has an end.
"""
import json
import os
import queue
import signal
import subprocess
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
FORMS = {"elicitation": {"form": {}}}
PATIENCE = 60.0


class Gone(Exception):
    """The server closed its output, or did not answer in time."""


class Client:
    """One session with one server process.

    `answer` gets the parameters of each elicitation and gives back the result to send; without it the client declares no elicitation.
    """

    def __init__(self, command, era="legacy", version=None, answer=None, capabilities=None, env=None, cwd=None):
        self.era, self.answer = era, answer
        self.version = version or (MODERN if era == "modern" else LEGACY)
        self.capabilities = capabilities if capabilities is not None else (FORMS if answer else {})
        self.asked, self.notifications, self.stray = [], [], []
        self.replies, self.inbox, self.next_id = {}, queue.Queue(), 0
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd)
        self.errors = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()

    # -- the wire

    def _read(self):
        for line in self.process.stdout:
            self.inbox.put(line)
        self.inbox.put(None)

    def _drain(self):
        for line in self.process.stderr:
            self.errors.append(line.decode("utf-8", "replace"))

    def stderr(self):
        """What the process wrote to its standard error so far."""
        return "".join(self.errors)

    def send_bytes(self, data):
        """Sends bytes as they are."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def _take(self, line):
        """Sorts one line of the server: a reply, a request to answer, a notification, or noise."""
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self.stray.append(line)
        elif "method" in message and "id" in message:
            self._serve(message)
        elif "method" in message:
            self.notifications.append(message)
        else:
            self.replies.setdefault(json.dumps(message.get("id")), []).append(line)

    def _serve(self, message):
        if message["method"] == "elicitation/create" and self.answer:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self._answered(message.get("params", {}))})
        elif message["method"] == "roots/list":
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": []}})
        else:
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    def _answered(self, params):
        result = self.answer(params)
        self.asked.append({"params": params, "result": result})
        return result

    # -- requests

    def begin(self, method, params=None, id=None):
        """Sends a request and gives back its id."""
        if id is None:
            self.next_id += 1
            id = self.next_id
        params = dict(params or {})
        if self.era == "modern":
            own = {
                "io.modelcontextprotocol/protocolVersion": self.version,
                "io.modelcontextprotocol/clientInfo": {"name": "callgate-live", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            }
            params["_meta"] = {**own, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def end(self, id, patience=PATIENCE):
        """Waits for the reply to `id` and gives back its line."""
        key, until = json.dumps(id), time.monotonic() + patience
        while not self.replies.get(key):
            try:
                line = self.inbox.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise Gone(f"no reply to {id} within {patience} s; standard error: {self.stderr()[-800:]}") from None
            if line is None:
                self.inbox.put(None)
                raise Gone(f"the server closed its output before the reply to {id}; standard error: {self.stderr()[-800:]}")
            self._take(line)
        return self.replies[key].pop(0)

    def line(self, method, params=None, patience=PATIENCE):
        """One request; its reply as the bytes of the line."""
        return self.end(self.begin(method, params), patience)

    def request(self, method, params=None, patience=PATIENCE):
        """One request; its reply as a message. In the modern era an `input_required` is answered and the call repeated."""
        params = dict(params or {})
        for _ in range(8):
            reply = json.loads(self.line(method, params, patience))
            result = reply.get("result")
            if not (isinstance(result, dict) and result.get("resultType") == "input_required"):
                return reply
            answers = {key: self._answered(asked.get("params", {})) for key, asked in result.get("inputRequests", {}).items()}
            params = {**params, "inputResponses": answers}
            if result.get("requestState") is not None:
                params["requestState"] = result["requestState"]
        raise Gone("the server asked again and again")

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def connect(self):
        """The handshake of the era; gives back its reply line."""
        if self.era == "modern":
            return self.line("server/discover")
        about = {"protocolVersion": self.version, "capabilities": self.capabilities, "clientInfo": {"name": "callgate-live", "version": "1"}}
        line = self.line("initialize", about)
        self.notify("notifications/initialized")
        return line

    def call(self, tool, arguments=None, patience=PATIENCE, **more):
        """One tool call; its reply as a message."""
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}, **more}, patience)

    # -- the end

    def close(self, patience=5.0):
        """Ends the input and gives back the exit status; a process that stays is killed and reported."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        return self.wait(patience)

    def wait(self, patience=5.0):
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Gone(f"the process did not end within {patience} s; standard error: {self.stderr()[-800:]}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            kill_all(self.process.pid)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


def kill_all(root):
    """Ends `root` and all processes below it."""
    for pid in [*descendants(root), root]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def descendants(root):
    """The ids of all processes below `root`."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    parents[int(entry)] = int(stat.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    found, next_ones = [], [root]
    while next_ones:
        next_ones = [pid for pid, parent in parents.items() if parent in next_ones]
        found += next_ones
    return found


def alive(pid):
    """Whether `pid` still runs (a zombie does not)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pids, patience):
    """Waits until none of `pids` runs; gives back those that still do."""
    until = time.monotonic() + patience
    while (left := [pid for pid in pids if alive(pid)]) and time.monotonic() < until:
        time.sleep(0.01)
    return left
