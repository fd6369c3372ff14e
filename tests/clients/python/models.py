"""Checks the catalogue in the shapes of model vendors, and the results of calls, against the types of the vendors' own packages.
Nothing is sent to the vendors."""

import json
import os
import urllib.request

import anthropic.types
import google.genai.types
import openai.types.chat
import openai.types.responses
from pydantic import ConfigDict, TypeAdapter, with_config

from checks import check

URL = os.environ["STEAD_URL"]
# This token is for another check. Reading the catalogue needs no scope.
TOKEN = os.environ["WEBHOOKS_TOKEN"]
USER = "acme/user 1"


def closed(shape):
    """Returns a validator for a typed dictionary that refuses unknown members."""
    return TypeAdapter(with_config(ConfigDict(extra="forbid"))(shape)).validate_python


CHAT = closed(openai.types.chat.ChatCompletionFunctionToolParam)
ANTHROPIC = closed(anthropic.types.ToolParam)
GEMINI = google.genai.types.FunctionDeclaration.model_validate
VALIDATORS = {
    "openai": CHAT,
    "openai_responses": openai.types.responses.FunctionTool.model_validate,
    "openai_strict": CHAT,
    "anthropic": ANTHROPIC,
    "anthropic_strict": ANTHROPIC,
    "gemini": GEMINI,
}


def request(path, body=None):
    call = urllib.request.Request(URL + path, headers={"Authorization": "Bearer " + TOKEN})
    if body is not None:
        call.data = json.dumps(body).encode()
        call.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(call) as response:
        return json.load(response)


def tools(query):
    return request("/v1/tools?" + query)["items"]


for name, validate in VALIDATORS.items():

    @check(f"{name}: its package takes every tool")
    def _(name=name, validate=validate):
        for query in ("", "&detail=compact", "&mode=search"):
            found = tools(f"format={name}{query}")
            assert len(found) == (3 if "mode" in query else 55), len(found)
            for tool in found:
                validate(tool)


@check("anthropic: its package turns every schema into one for structured outputs")
def _():
    for name in ("anthropic", "anthropic_strict"):
        for tool in tools(f"format={name}"):
            anthropic.transform_schema(tool["input_schema"])


@check("openai_strict: every strict schema is closed and requires every parameter")
def _():
    def closed(schema):
        if "properties" in schema:
            assert schema["additionalProperties"] is False, schema
            assert set(schema["required"]) == set(schema["properties"]), schema
        children = list(schema.get("properties", {}).values()) + schema.get("anyOf", [])
        children += [schema["items"]] if "items" in schema else []
        for child in children:
            closed(child)

    strict = [tool["function"] for tool in tools("format=openai_strict") if tool["function"]["strict"]]
    for tool in strict:
        closed(tool["parameters"])
    return f"{len(strict)} of 55 are strict"


@check("gemini: a schema comes out of its package as it went in")
def _():
    for tool in tools("format=gemini"):
        read = GEMINI(tool).model_dump(mode="json", exclude_none=True, by_alias=True)
        assert set(read.get("parameters", {}).get("properties", {})) == set(
            tool.get("parameters", {}).get("properties", {})
        ), tool["name"]
