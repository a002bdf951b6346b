"""Drives a server with the official Python SDK client: `sdk_client.py MODE WORD STEPS -- COMMAND…`, one JSON line per step.

STEPS is a JSON list of [tool, arguments]; WORD is one of the words of the offer that answers each question; MODE is `legacy`, `auto` or a revision.
"""
import json
import sys

import anyio
import mcp_types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

MODE, WORD, STEPS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
COMMAND = sys.argv[sys.argv.index("--") + 1 :]


def say(**line):
    print(json.dumps(line), flush=True)


async def answer(context, params):
    schema = params.requested_schema
    picks = {key: next(word for word in field["enum"] if WORD in word.split()) for key, field in schema["properties"].items()}
    say(asked=params.message)
    return mcp_types.ElicitResult(action="accept", content=picks)


async def main():
    server = stdio_client(StdioServerParameters(command=COMMAND[0], args=COMMAND[1:]))
    async with Client(server, mode=MODE, elicitation_callback=answer) as client:
        say(version=client.protocol_version, tools=sorted(tool.name for tool in (await client.list_tools()).tools))
        for tool, arguments in STEPS:
            result = await client.call_tool(tool, arguments)
            say(result=result.model_dump(mode="json", by_alias=True, exclude_none=True))


anyio.run(main)
