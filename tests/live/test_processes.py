"""How a session ends: the end of input, signals, a dead server. Nothing is left behind and the status is the server's."""
import os
import signal
import sys
import time
import unittest

from client import descendants, wait_for_end
from parts import CACHE, Live, need, node_server

# The design gives an end two seconds; the rest is for a loaded machine.
END = 4.0


class Endings(Live):
    def setUp(self):
        super().setUp()
        self.fill()

    def npx(self):
        """A server below a launcher below a shell, as clients' configurations start it."""
        need(CACHE / "node" / "node_modules")
        return ["npx", "--no-install", "--prefix", str(CACHE / "node"), "mcp-server-filesystem", str(self.project)]

    def running(self):
        client = self.client(self.gated(self.npx(), "--access", "full"), variables={"npm_config_cache": str(self.place / "npm")})
        client.connect()
        below = descendants(client.process.pid)
        self.assertGreaterEqual(len(below), 2, "a launcher and its server")
        return client, below

    def test_end_of_input(self):
        client, below = self.running()
        client.close(END)
        self.assertEqual(wait_for_end(below, END), [])

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                client, below = self.running()
                client.process.send_signal(number)
                client.wait(END)
                self.assertEqual(wait_for_end(below, END), [])

    def test_a_killed_server_ends_the_session_with_its_status(self):
        client = self.client(self.gated(node_server("server-everything"), "--access", "full"))
        client.connect()
        (server,) = descendants(client.process.pid)
        held = client.begin("tools/call", {"name": "trigger-long-running-operation", "arguments": {"duration": 30, "steps": 2}})
        client.line("ping")
        os.kill(server, signal.SIGKILL)
        self.assertIn("error", client.end(held, END).decode())
        self.assertEqual(client.wait(END), 128 + signal.SIGKILL)

    def test_the_status_of_the_server(self):
        for status in (0, 1, 7):
            with self.subTest(status):
                client = self.client(self.gated([sys.executable, "-c", f"import sys; sys.stdin.read(); sys.exit({status})"]))
                self.assertEqual(client.close(END), status)

    def test_a_server_that_cannot_start(self):
        client = self.client(self.gated([str(self.place / "no-such-program")]))
        self.assertNotEqual(client.wait(END), 0)
        self.assertIn("no-such-program", client.stderr())

    def test_a_server_that_ignores_the_end(self):
        stubborn = "import signal,sys,time\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\nprint('{}', flush=True)\nwhile True: time.sleep(60)"
        client = self.client(self.gated([sys.executable, "-c", stubborn]))
        until = time.monotonic() + 10
        while not (below := descendants(client.process.pid)) and time.monotonic() < until:
            time.sleep(0.01)
        client.close(END)
        self.assertEqual(wait_for_end(below, END), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
