"""LangChain's adapters as an agent's client: they list tools, call one, are told that its user must authorize, and go on after
the consent."""

import asyncio
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "python"))

from langchain_mcp_adapters.client import MultiServerMCPClient

from checks import check
from consent import consent

TOOL = "mail_list_drafts"
STEAD = {
    "transport": "streamable_http",
    "url": os.environ["STEAD_URL"] + "/mcp",
    "headers": {"Authorization": "Bearer " + os.environ["LANGCHAIN_MCP_TOKEN"]},
}


async def session():
    tools = await MultiServerMCPClient({"stead": STEAD}).get_tools()
    tool = next(tool for tool in tools if tool.name == TOOL)
    asked = await tool.ainvoke({})
    sentence, link, then = asked[0]["text"].splitlines()
    assert "/connect/" in link and then == "Then try again.", asked
    consent(link)
    done = await tool.ainvoke({})
    assert "drafts" in str(done), done
    return f"{len(tools)} tools"


@check("langchain: list, call, authorize, go on")
def _():
    return asyncio.run(session())
