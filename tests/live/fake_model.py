"""A model for real agents that follows a script: the test decides which tool is called with what, and sees what came back.

Speaks the two wire formats that the agents of the live tests use, OpenAI's chat completions and Gemini's `generateContent`, on loopback only.
"""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 60.0
# What the agents' configurations call the gated server. Agents have tools of their own with the same names.
SERVER = "gated"
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
GEMINI_USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}


class Step:
    """One tool call of the script. With `held`, the model makes it only once the test calls `go`."""

    def __init__(self, tool, arguments, held=False):
        self.tool, self.arguments, self.released = tool, arguments, threading.Event()
        if not held:
            self.go()

    def go(self):
        self.released.set()


class FakeModel:
    """A server that plays a list of steps to whoever asks it, and says `done` after the last one."""

    def __init__(self, steps):
        self.steps, self.results, self.changed = steps, [], threading.Condition()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        for step in self.steps:
            step.go()
        self.server.shutdown()
        self.server.server_close()

    def result(self, number, patience=PATIENCE):
        """The text that the agent brought back for step `number`, counted from 0."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.results) > number, patience):
                raise AssertionError(f"no result of step {number} within {patience} s; so far: {self.results}")
            return self.results[number]

    def next(self, offered, results):
        """The name and the arguments of the tool to call after `results`, or nothing when there is nothing left to do."""
        if not offered:
            return None
        with self.changed:
            self.results = max(self.results, results, key=len)
            self.changed.notify_all()
        if len(results) >= len(self.steps):
            return None
        step = self.steps[len(results)]
        if not step.released.wait(PATIENCE):
            return None
        names = [name for name in offered if SERVER in name and name.endswith(step.tool)]
        return (names[0], step.arguments) if names else None

    def _handler(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                if self.path.endswith("/chat/completions"):
                    self.stream(chat(model, body), "[DONE]")
                elif "enerateContent" in self.path:
                    answer = gemini(model, body)
                    self.stream([answer]) if "stream" in self.path else self.whole(answer)
                else:
                    self.whole({"totalTokens": 1})

            def do_GET(self):
                self.send_error(404)

            def whole(self, answer):
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, events, *last):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for event in [*map(json.dumps, events), *last]:
                    self.wfile.write(f"data: {event}\n\n".encode())

        return Handler


def text_in(value):
    """All strings within a value, one below the other."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(filter(None, map(text_in, value)))
    return value if isinstance(value, str) else ""


def chat(model, body):
    """The events of a streamed chat completion."""
    offered = [tool["function"]["name"] for tool in body.get("tools", [])]
    results = [text_in(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    call = model.next(offered, results)
    delta, why = {"role": "assistant", "content": "done"}, "stop"
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        calls = [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}]
        delta, why = {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
    about = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    for change, reason in ((delta, None), ({}, why)):
        yield {**about, "choices": [{"index": 0, "delta": change, "finish_reason": reason}], "usage": USAGE}


def gemini(model, body):
    """A `generateContent` response."""
    offered = [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    parts = [part for content in body["contents"] for part in content.get("parts", [])]
    results = [text_in(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]
    call = model.next(offered, results)
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": GEMINI_USAGE}
