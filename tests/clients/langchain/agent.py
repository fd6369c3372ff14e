"""LangChain's adapters as an agent's client: they list tools, call one, learn that the user must connect an account, and
continue after the consent. A program with an elicitation callback gets the link there."""

import asyncio
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "python"))

from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from mcp.types import ElicitResult

from checks import check
from consent import consent

TOOL = "mail_list_drafts"


def stead(agent):
    token = os.environ[agent + "_MCP_TOKEN"]
    headers = {"Authorization": "Bearer " + token}
    return {"stead": {"transport": "streamable_http", "url": os.environ["STEAD_URL"] + "/mcp", "headers": headers}}


async def tools_of(agent, callbacks=None):
    tools = await MultiServerMCPClient(stead(agent), callbacks=callbacks).get_tools()
    return tools, next(tool for tool in tools if tool.name == TOOL)


async def session():
    tools, tool = await tools_of("LANGCHAIN")
    asked = await tool.ainvoke({})
    sentence, link, then = asked[0]["text"].splitlines()
    assert "/connect/" in link and then == "Then try again.", asked
    consent(link)
    done = await tool.ainvoke({})
    assert "drafts" in str(done), done
    return f"{len(tools)} tools"


async def session_with_a_callback():
    links = []

    async def open_link(_, params, context):
        links.append(params.url)
        consent(params.url)
        return ElicitResult(action="accept")

    _, tool = await tools_of("CALLBACK", Callbacks(on_elicitation=open_link))
    done = await tool.ainvoke({})
    assert len(links) == 1 and "/connect/" in links[0], links
    assert "drafts" in str(done), done


@check("langchain: list, call, authorize, go on")
def _():
    return asyncio.run(session())


@check("langchain: the callback gets the link, and the same call continues")
def _():
    asyncio.run(session_with_a_callback())
