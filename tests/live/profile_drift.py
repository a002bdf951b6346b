#!/usr/bin/env python3
"""Compare the server profiles in policy/servers/ with what the servers themselves list.

usage: profile_drift.py CACHE_DIRECTORY [--only NAME]

Installs each server at its pinned version below the given directory (npm and pip, by name), starts it with made-up credentials,
reads its whole `tools/list` and reports, per profile:
  unlisted  a tool that the profile does not know (drift)
  argument  an argument that the profile gives a role and the tool does not have (drift)
  hint      the server's readOnlyHint differs from the profile's word (told, since hints are claims)
  gone      a tool of the profile that this version does not have (told, since other versions do)
Exit 1 when there is drift or a server could not be asked, else 0.
"""
import argparse, json, os, subprocess, sys, threading, tomllib, venv
from pathlib import Path

SERVERS = Path(__file__).resolve().parents[2] / "policy" / "servers"
NPM, PYPI = "npm", "pypi"
MODERN, OLD = (), ("mcp<2",)
# profile, kind, package, program, arguments, further requirements
PINNED = [
    ("filesystem", NPM, "@modelcontextprotocol/server-filesystem@2026.8.31", "mcp-server-filesystem", ["{cache}"], MODERN),
    ("memory", NPM, "@modelcontextprotocol/server-memory@2026.8.31", "mcp-server-memory", [], MODERN),
    ("everything", NPM, "@modelcontextprotocol/server-everything@2026.8.31", "mcp-server-everything", [], MODERN),
    ("sequential-thinking", NPM, "@modelcontextprotocol/server-sequential-thinking@2026.8.31", "mcp-server-sequential-thinking", [], MODERN),
    ("github", NPM, "@modelcontextprotocol/server-github@2025.4.8", "mcp-server-github", [], MODERN),
    ("gitlab", NPM, "@modelcontextprotocol/server-gitlab@2025.4.25", "mcp-server-gitlab", [], MODERN),
    ("slack", NPM, "@modelcontextprotocol/server-slack@2025.4.25", "mcp-server-slack", [], MODERN),
    ("postgres", NPM, "@modelcontextprotocol/server-postgres@0.6.2", "mcp-server-postgres", ["postgresql://u:p@127.0.0.1:9/d"], MODERN),
    ("puppeteer", NPM, "@modelcontextprotocol/server-puppeteer@2025.5.12", "mcp-server-puppeteer", [], MODERN),
    ("playwright", NPM, "@playwright/mcp@0.0.83", "playwright-mcp", [], MODERN),
    ("brave-search", NPM, "@modelcontextprotocol/server-brave-search@0.6.2", "mcp-server-brave-search", [], MODERN),
    ("context7", NPM, "@upstash/context7-mcp@4.1.1", "context7-mcp", [], MODERN),
    ("kubernetes", NPM, "mcp-server-kubernetes@4.1.7", "mcp-server-kubernetes", [], MODERN),
    ("desktop-commander", NPM, "@wonderwhy-er/desktop-commander@0.2.52", "desktop-commander", [], MODERN),
    ("chrome-devtools", NPM, "chrome-devtools-mcp@1.11.0", "chrome-devtools-mcp", [], MODERN),
    ("notion", NPM, "@notionhq/notion-mcp-server@2.5.2", "notion-mcp-server", [], MODERN),
    ("playwright-executeautomation", NPM, "@executeautomation/playwright-mcp-server@1.0.12", "playwright-mcp-server", [], MODERN),
    ("firecrawl", NPM, "firecrawl-mcp@3.22.2", "firecrawl-mcp", [], MODERN),
    ("tavily", NPM, "tavily-mcp@0.2.22", "tavily-mcp", [], MODERN),
    ("markitdown", PYPI, "markitdown-mcp==0.0.1a8", "markitdown-mcp", [], MODERN),
    ("duckduckgo", PYPI, "duckduckgo-mcp-server==0.7.0", "duckduckgo-mcp-server", [], MODERN),
    ("git", PYPI, "mcp-server-git==2026.10.19", "mcp-server-git", [], MODERN),
    ("time", PYPI, "mcp-server-time==2026.10.19", "mcp-server-time", [], MODERN),
    ("fetch", PYPI, "mcp-server-fetch==2026.10.24", "mcp-server-fetch", [], MODERN),
    ("sqlite", PYPI, "mcp-server-sqlite==2025.4.25", "mcp-server-sqlite", ["--db-path", "{cache}/drift.db"], OLD),
    ("shell", PYPI, "mcp-shell-server==1.1.14", "mcp-shell-server", [], MODERN),
    ("shell", PYPI, "cli-mcp-server==0.2.5", "cli-mcp-server", [], OLD),
    ("obsidian", PYPI, "mcp-obsidian==0.2.3", "mcp-obsidian", [], MODERN),
    ("serena", PYPI, "serena-agent==2.1.0", "serena", ["start-mcp-server", "--enable-web-dashboard", "false"], MODERN),
]
ENVIRONMENT = {
    "GITHUB_PERSONAL_ACCESS_TOKEN": "made-up", "GITLAB_PERSONAL_ACCESS_TOKEN": "made-up", "SLACK_BOT_TOKEN": "made-up", "SLACK_TEAM_ID": "made-up",
    "BRAVE_API_KEY": "made-up", "OBSIDIAN_API_KEY": "made-up", "ALLOW_COMMANDS": "ls", "PUPPETEER_SKIP_DOWNLOAD": "1",
    "NOTION_TOKEN": "made-up", "FIRECRAWL_API_KEY": "made-up", "TAVILY_API_KEY": "tvly-made-up",
}
ROLES = ("paths", "write_paths", "commands", "content", "patterns", "urls", "code", "sql", "plain")
PATIENCE = 60


def install(kind, package, program, further, cache):
    """Install one server (once) and return the program's path."""
    if kind == NPM:
        place = cache / "npm"
        found = place / "node_modules" / ".bin" / program
        if not found.exists():
            place.mkdir(parents=True, exist_ok=True)
            run(["npm", "install", "--prefix", str(place), "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", package])
        return found
    place = cache / "pypi" / package.split("==")[0]
    found = place / "bin" / program
    if not found.exists():
        venv.create(place, with_pip=True)
        run([str(place / "bin" / "pip"), "install", "--quiet", package, *further])
    return found


def run(command):
    subprocess.run(command, check=True, timeout=600, stdin=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})


def listed(command, cache):
    """Start a server and return all tools it lists."""
    home = cache / "home"
    home.mkdir(exist_ok=True)
    log = open(cache / "servers.log", "ab")
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=home,
                              env={**os.environ, **ENVIRONMENT, "HOME": str(home), "ALLOWED_DIR": str(home)})
    timer = threading.Timer(PATIENCE, server.kill)
    timer.start()
    try:
        return converse(server)
    finally:
        timer.cancel()
        server.kill()
        server.wait()


def converse(server):
    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    def reply(number):
        for line in server.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and message.get("id") == number and "method" not in message:
                return message["result"]
        raise OSError("no answer")

    client = {"name": "profile-drift", "version": "1"}
    send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}})
    reply(1)
    send({"method": "notifications/initialized"})
    tools, cursor, number = [], None, 2
    while True:
        send({"id": number, "method": "tools/list", "params": {"cursor": cursor} if cursor else {}})
        page = reply(number)
        tools += page["tools"]
        cursor, number = page.get("nextCursor"), number + 1
        if not cursor:
            return tools


def arguments(schema):
    return set((schema or {}).get("properties") or {})


def compare(name, profile, tools):
    """Print what differs; return the number of drifts."""
    drifts = 0
    known = profile.get("tools", {})
    for tool in tools:
        entry = known.get(tool["name"])
        if entry is None:
            print(f"{name}: unlisted {tool['name']} {sorted(arguments(tool.get('inputSchema')))}")
            drifts += 1
            continue
        for selector in [selector for role in ROLES for selector in entry.get(role, [])]:
            top = selector.lstrip("/").split("/")[0]
            if top not in arguments(tool.get("inputSchema")):
                print(f"{name}: argument {tool['name']} has no {selector}")
                drifts += 1
        hint = (tool.get("annotations") or {}).get("readOnlyHint")
        if hint is not None and hint != entry.get("read_only"):
            print(f"{name}: hint {tool['name']} says readOnlyHint {hint}, the profile says {entry.get('read_only')}")
    gone = sorted(set(known) - {tool["name"] for tool in tools})
    if gone:
        print(f"{name}: gone {' '.join(gone)}")
    return drifts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cache", type=Path)
    parser.add_argument("--only")
    options = parser.parse_args()
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    drifts = faults = asked = 0
    for name, kind, package, program, extra, further in PINNED:
        if options.only and name != options.only:
            continue
        try:
            path = install(kind, package, program, further, cache)
            tools = listed([str(path), *[item.replace("{cache}", str(cache)) for item in extra]], cache)
        except (OSError, subprocess.SubprocessError, KeyError, ValueError) as fault:
            print(f"{name}: {package} could not be asked: {fault!r}")
            faults += 1
            continue
        asked += 1
        profile = tomllib.loads((SERVERS / f"{name}.toml").read_text())
        drifts += compare(f"{name} ({package})", profile, tools)
    print(f"{asked} servers asked, {drifts} drifts, {faults} could not be asked")
    return 1 if drifts or faults else 0


if __name__ == "__main__":
    sys.exit(main())
