"""A server that reads its input as text with universal newlines, as the official Python SDK does: a carriage return ends a line.

`danger` writes DANGER to standard error. The stream is wrapped by hand because Python's own `sys.stdin` splits at line feeds only.
"""
import io
import json
import sys

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("safe", "danger")]
ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "splitting", "version": "1"}}


def result_of(message):
    if message.get("method") == "tools/call":
        tool = message["params"]["name"]
        if tool == "danger":
            print("DANGER", file=sys.stderr, flush=True)
        return {"content": [{"type": "text", "text": tool}]}
    return {"initialize": ABOUT, "tools/list": {"tools": TOOLS}}.get(message.get("method"), {})


for line in io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"):
    try:
        message = json.loads(line)
    except ValueError:
        continue
    if isinstance(message, dict) and "id" in message and "method" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)}), flush=True)
