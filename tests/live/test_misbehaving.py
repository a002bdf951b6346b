"""Odd servers behind the gate: each call ends in a result or a clear error, and neither side sees what was not meant for it."""
import json
import time
import unittest
from pathlib import Path

from client import Gone
from parts import Live, shared_tool

# Modes whose call must come back with the server's own result.
RESULT = """banner banner_json badutf8 init_noise init_server_request init_logging_true init_no_serverinfo_version init_experimental_bool
list_one_bad list_bad_annot noise crlf unknown_block surrogate dupid progress discover_silent""".split()
# Modes whose call may come back either way, but must come back: the reply is not what the protocol asks for.
EITHER = """bom init_extra_error_null pretty two_in_line batch noeol str_id float_id error_null err_bigcode err_nomsg rawctl badutf8_in_string nan deep 1e400
crash""".split()
PATIENCE = 15.0


class Misbehaving(Live):
    def session(self, mode, *more, gate=True, era="legacy"):
        log = self.place / f"received-{'gate' if gate else 'bare'}"
        log.unlink(missing_ok=True)
        server = ["env", f"UPLOG={log}", *shared_tool("misbehaving_server.py"), mode, *more]
        client = self.client(self.gated(server, "--access", "full") if gate else server, era=era)
        return client, log

    def one_call(self, mode):
        client, log = self.session(mode)
        client.connect()
        client.line("tools/list")
        reply = json.loads(client.line("tools/call", {"name": "good", "arguments": {}, "_meta": {"progressToken": "p"}}, PATIENCE))
        client.close()
        self.assertEqual(client.stray, [], "noise on the client's side")
        sent = [json.loads(line).get("method") for line in log.read_text().splitlines()]
        sent = [method for method in sent if method]  # a reply to the server's own request has none
        self.assertEqual(sent, ["initialize", "notifications/initialized", "tools/list", "tools/call"], "what the server got")
        return client, reply

    def test_results(self):
        for mode in RESULT:
            with self.subTest(mode):
                client, reply = self.one_call(mode)
                self.assertIn("result", reply)
                if mode == "progress":
                    steps = [note["params"]["progress"] for note in client.notifications]
                    self.assertEqual(steps, list(range(1, 201)), "progress in order")

    def test_results_or_errors(self):
        for mode in EITHER:
            with self.subTest(mode):
                _, reply = self.one_call(mode)
                self.assertTrue("result" in reply or "error" in reply, reply)

    def test_a_handshake_with_another_id(self):
        client, _ = self.session("init_str_id")
        try:
            client.end(client.begin("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}), 3)
        except Gone:
            pass  # a reply to an id that nobody used is nobody's reply; the client's own limit ends the wait
        client.close()

    def test_a_silent_server_holds_nobody(self):
        for mode in ("hang", "neverread"):
            with self.subTest(mode):
                client, _ = self.session(mode)
                client.connect()
                held = client.begin("tools/call", {"name": "good", "arguments": {}})
                client.notify("notifications/cancelled", {"requestId": held})
                began = time.monotonic()
                client.close()
                self.assertLess(time.monotonic() - began, 4)

    def test_large_results_pass_whole(self):
        client, _ = self.session("big", "10000000")
        client.connect()
        line = client.line("tools/call", {"name": "good", "arguments": {}})
        self.assertEqual(len(json.loads(line)["result"]["content"][0]["text"]), 10_000_000)

    def test_two_hundred_in_flight(self):
        for mode in ("many", "many_rev"):
            with self.subTest(mode):
                client, _ = self.session(mode)
                client.connect()
                ids = [client.begin("tools/call", {"name": "good", "arguments": {"i": number}}) for number in range(200)]
                for number, id in enumerate(ids):
                    self.assertIn(f'"i={number}."', client.end(id).decode())

    def test_the_modern_era(self):
        for mode in ("modern", "modern_progress", "modern_server_request"):
            with self.subTest(mode):
                client, _ = self.session(mode, era="modern")
                client.connect()
                self.assertIn("result", json.loads(client.line("tools/call", {"name": "good", "arguments": {}}, PATIENCE)))


class NewlineSplitting(Live):
    """A server for which a carriage return ends a line, as the official Python SDK has it."""

    DANGER = b'{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"danger","arguments":{}}}'
    SAFE = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"safe","arguments":{}%s}}'
    FORMS = {
        "between members": SAFE % (b',"extra":[\r' + DANGER + b"\r]"),
        "with a line feed's partner": SAFE % (b',"extra":[\r\r' + DANGER + b"\r\r]"),
        "before everything": b"\r" + SAFE % (b',"extra":\r' + DANGER + b"\r"),
        "in a notification": b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r' + DANGER + b"\r}}",
        "in a reply": b'{"jsonrpc":"2.0","id":"nobody","result":{"a":\r' + DANGER + b"\r}}",
        "in a string": SAFE % (b',"extra":"\r' + DANGER.replace(b'"', b'\\"') + b'\r"'),
        "other line ends": SAFE % (b',"extra":[\x0b' + DANGER + b"\x0c" + DANGER + b"]"),
        "next line and separators": SAFE % (',"extra":"\u0085\u2028'.encode() + DANGER.replace(b'"', b'\\"') + '\u2029"'.encode()),
        "after a value": SAFE % b"" + b"\r" + DANGER,
        "a batch": b"[" + SAFE % b"" + b"," + DANGER + b"]",
    }

    def run_with(self, data, gate):
        policy = self.place / "policy.toml"
        policy.write_text('version = 1\naccess = "full"\n[[rules]]\ntool = "danger"\naction = "deny"\nreason = "danger"\n')
        said = self.place / "said"
        said.write_text("")
        server = ["sh", "-c", f'exec "$@" 2>{said}', "sh", "python3", str(Path(__file__).with_name("splitting_server.py"))]
        client = self.client(self.gated(server, "--policy", str(policy)) if gate else server)
        client.connect()
        client.line("tools/list")
        client.send_bytes(data + b"\n")
        try:
            client.line("ping", patience=PATIENCE)
            client.close()
        except Gone:
            if gate:
                raise  # the bare server may die of such a line; behind the gate it must not
        return said.read_text()

    def test_danger_never_runs(self):
        without_gate = 0
        for name, data in self.FORMS.items():
            with self.subTest(name):
                without_gate += "DANGER" in self.run_with(data, gate=False)
                self.assertNotIn("DANGER", self.run_with(data, gate=True))
        self.assertGreater(without_gate, 3, "without the gate the trick works")


if __name__ == "__main__":
    unittest.main(verbosity=2)
