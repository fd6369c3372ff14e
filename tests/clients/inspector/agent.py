"""The command line of the MCP inspector as an agent's client: it lists tools, calls one, learns that its user must authorize,
and continues after the consent."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "python"))

from checks import check
from consent import consent

BIN = "target/clients/inspector/node_modules/.bin/"
TOOL = "mail_list_drafts"


def inspector(*arguments):
    """Returns what the inspector prints for one method."""
    command = [BIN + "node", BIN + "mcp-inspector", "--cli", os.environ["STEAD_URL"] + "/mcp", "--transport", "http"]
    command += ["--header", "Authorization: Bearer " + os.environ["INSPECTOR_MCP_TOKEN"], *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(f"{done.returncode}: {done.stdout}{done.stderr}") from error


def call():
    return inspector("--method", "tools/call", "--tool-name", TOOL)


@check("inspector: list, call, authorize, go on")
def _():
    tools = inspector("--method", "tools/list")["tools"]
    assert TOOL in [tool["name"] for tool in tools], tools
    asked = call()
    assert asked["isError"], asked
    sentence, link, then = asked["content"][0]["text"].splitlines()
    assert "/connect/" in link and then == "Then try again.", asked
    consent(link)
    done = call()
    assert not done.get("isError") and "drafts" in done["structuredContent"], done
    return f"{len(tools)} tools"
