"""The Model Context Protocol's own SDK as an agent's client: it lists tools, calls one, learns that its user must authorize,
and continues after the consent."""

import asyncio
import os

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from checks import check
from consent import consent

URL = os.environ["STEAD_URL"] + "/mcp"
TOOL = "mail_list_drafts"


async def session(token):
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"})
    async with Client(streamable_http_client(URL, http_client=http)) as client:
        tools = (await client.list_tools()).tools
        assert TOOL in [tool.name for tool in tools], tools
        asked = await client.call_tool(TOOL, {})
        assert asked.is_error, asked
        sentence, link, then = asked.content[0].text.splitlines()
        assert "/connect/" in link and then == "Then try again.", asked
        consent(link)
        done = await client.call_tool(TOOL, {})
        assert not done.is_error, done
        wrong = await client.call_tool(TOOL, {"max_results": "many"})
        assert wrong.is_error and "/max_results" in wrong.content[0].text, wrong
        return f"{client.protocol_version}, {len(tools)} tools"


@check("mcp: list, call, authorize, go on")
def _():
    return asyncio.run(session(os.environ["PYTHON_MCP_TOKEN"]))
