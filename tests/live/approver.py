"""A person at `callgate approve`: a terminal of its own, read and typed into by a test."""
import os
import pty
import re
import select
import signal
import termios
import time

PATIENCE = 60.0
# Wide, so that no line which a test looks for is broken.
SIZE = (50, 500)
YES = re.compile(r"^\s+(.+?) - (this call only|until this session ends|writes the rule)", re.MULTILINE)
SCOPES = {"this call only": "once", "until this session ends": "session", "writes the rule": "always"}


class Approver:
    """`callgate approve --plain` at a pseudo-terminal."""

    def __init__(self, gate, environment, cwd):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            termios.tcsetwinsize(0, SIZE)
            os.execve(gate, [gate, "approve", "--plain"], {**environment, "TERM": "dumb"})
        self.seen, self.read_to = "", 0

    def wait_for(self, pattern, patience=PATIENCE):
        """Waits until new text on the screen matches `pattern`; gives back that text."""
        until = time.monotonic() + patience
        while not (found := re.compile(pattern, re.MULTILINE).search(self.seen, self.read_to)):
            left = until - time.monotonic()
            ready, _, _ = select.select([self.terminal], [], [], max(0.0, left))
            if not ready:
                raise AssertionError(f"`{pattern}` did not appear within {patience} s in:\n{self.seen[-3000:]}")
            self.seen += os.read(self.terminal, 65536).decode("utf-8", "replace").replace("\r\n", "\n")
        text, self.read_to = self.seen[self.read_to : found.end()], found.end()
        return text

    def question(self, *parts):
        """Waits until a question that shows all `parts` takes an answer; gives back what is to be typed for each kind of yes."""
        shown = self.wait_for(r"next N - ")
        self.wait_for("^> ")
        for part in parts:
            if part not in shown:
                raise AssertionError(f"`{part}` is missing in:\n{shown}")
        return {SCOPES[meaning]: typed for typed, meaning in YES.findall(shown)}

    def type(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
