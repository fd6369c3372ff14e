"""Tries the MCP configurations that a page of the book shows.

    python tests/docs/mcp_config.py docs/recipes/claude-code.md [more pages]

It reads each page and takes

- each `json` block with the member `mcpServers`: every server in it,
- each command `claude mcp add …` in a `text` block.

For each of them it does what the client does: it fills in environment variables, connects over HTTP or starts the command,
and lists the tools by MCP. It also runs `stead mcp install claude|cursor` if the page mentions that command, and checks that
its output is one of the page's configurations.

It exits 0 and prints a line for each server if all of them have tools. Otherwise it exits 1 with the reason. A page without
a configuration fails too.

It needs a running `stead dev`, `stead` in `PATH`, the package `mcp` (see requirements.txt), and these variables:

- STEAD_URL: takes the place of `http://127.0.0.1:8484` in the configurations.
- STEAD_MCP_TOKEN: the token of an MCP session; or TOKEN, an access token of the application, with which it opens one.
"""

import asyncio
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import urllib.request

import httpx
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PRINTED_URL = "http://127.0.0.1:8484"
EXPECTED_TOOL = "mail_fetch_mails"
VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")


def blocks(page, language):
    """The text of each fenced block, without its indentation."""
    found = re.finditer(rf"^( *)```{language}\n(.*?)^\1```", page, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{match[1]}", "", match[2], flags=re.MULTILINE) for match in found]


def added_by_command(line):
    """The configuration that a `claude mcp add` makes, as Claude Code reads it."""
    words = iter(shlex.split(line)[3:])
    options, names, headers = {}, [], {}
    for word in words:
        if word == "--header":
            name, value = next(words).split(": ", 1)
            headers[name] = value
        elif word == "--":
            command = list(words)
            return names[0], {"command": command[0], "args": command[1:]}
        elif word.startswith("--"):
            options[word] = next(words)
        else:
            names.append(word)
    name, url = names
    return name, {"type": options["--transport"], "url": url, "headers": headers}


def configurations(page):
    """Name and configuration of every server that the page shows."""
    for text in blocks(page, "json"):
        try:
            yield from json.loads(text).get("mcpServers", {}).items()
        except (ValueError, AttributeError):
            continue
    for text in blocks(page, "text"):
        for line in text.replace("\\\n", " ").splitlines():
            if line.startswith("claude mcp add "):
                yield added_by_command(line)


def at_this_service(value):
    """The configuration with the address of the service under test."""
    return json.loads(json.dumps(value).replace(PRINTED_URL, os.environ["STEAD_URL"]))


def filled(value):
    """The configuration with its variables filled in."""
    if isinstance(value, dict):
        return {name: filled(member) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member) for member in value]
    if not isinstance(value, str):
        return value

    def one(match):
        found = os.environ.get(match[1], match[2])
        if found is None:
            raise SystemExit(f"the variable {match[1]} isn't set")
        return found

    return VARIABLE.sub(one, value)


async def tools_of(reader, writer):
    async with ClientSession(reader, writer) as session:
        await session.initialize()
        return [tool.name for tool in (await session.list_tools()).tools]


async def list_tools(server):
    if "command" in server:
        environment = {**os.environ, **server.get("env", {})}
        started = StdioServerParameters(
            command=server["command"], args=server.get("args", []), env=environment
        )
        async with stdio_client(started) as (reader, writer):
            return await tools_of(reader, writer)
    async with (
        httpx.AsyncClient(headers=server["headers"]) as http,
        streamable_http_client(server["url"], http_client=http) as (reader, writer, *_),
    ):
        return await tools_of(reader, writer)


def open_session():
    request = urllib.request.Request(
        os.environ["STEAD_URL"] + "/v1/mcp-sessions",
        json.dumps({"identifier": "ada"}).encode(),
        {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["token"]


def printed_by_install(client):
    command = ["stead", "mcp", "install", client, "--url", os.environ["STEAD_URL"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.JSONDecoder().raw_decode(done.stdout)[0]["mcpServers"]["stead"]


def check(path):
    page = pathlib.Path(path).read_text(encoding="utf-8")
    shown = [(name, at_this_service(server)) for name, server in configurations(page)]
    if not shown:
        raise SystemExit(f"{path}: there is no configuration")
    for client in sorted(set(re.findall(r"stead mcp install (claude|cursor)", page))):
        printed = printed_by_install(client)
        if printed not in [server for _, server in shown]:
            raise SystemExit(f"{path}: `stead mcp install {client}` prints another one: {printed}")
    for name, server in shown:
        try:
            names = asyncio.run(asyncio.wait_for(list_tools(filled(server)), 30))
        except Exception as error:
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            raise SystemExit(f"{path}: {name} doesn't respond: {error!r}") from None
        if EXPECTED_TOOL not in names:
            raise SystemExit(f"{path}: {name} has no {EXPECTED_TOOL}: {names}")
        kind = "command" if "command" in server else "http"
        print(f"{path}: {name} ({kind}): {len(names)} tools")


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    if "STEAD_MCP_TOKEN" not in os.environ:
        os.environ["STEAD_MCP_TOKEN"] = open_session()
    for path in sys.argv[1:]:
        check(path)


if __name__ == "__main__":
    main()
