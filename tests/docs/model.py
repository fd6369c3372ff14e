"""A scripted model for the recipes of the book. It speaks the chat APIs of OpenAI and Anthropic on loopback.

    python tests/docs/model.py [--port PORT]

It prints four lines, `NAME=value`, and then serves until it is stopped:

    OPENAI_BASE_URL=http://127.0.0.1:PORT/v1
    OPENAI_API_KEY=scripted
    ANTHROPIC_BASE_URL=http://127.0.0.1:PORT
    ANTHROPIC_API_KEY=scripted

The vendors' SDKs read these variables, so a page's program runs unchanged. `PORT` is any free one unless given.

The model keeps no state. It looks at the tools that a request offers and at the calls made so far, and asks for the next
step of `STEPS`. After the last step it answers in words that it takes from the results. A program that loses a result, or
sends an error as one, gets 400 with the reason, which every SDK raises.
"""

import argparse
import json
import re
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Calls of one step are asked for together. The model skips tools that it isn't offered.
STEPS = [
    [
        ("mail_fetch_mails", {"query": "is:unread", "max_results": 5}),
        (
            "calendar_list_events",
            {"time_min": "2026-05-04", "time_max": "2026-05-04", "order_by": "startTime"},
        ),
    ],
    [("drive_search_content", {"search_term": "engine"})],
]

# The member of each tool's result that the answer quotes.
QUOTED = {"mail_fetch_mails": "subject", "calendar_list_events": "summary", "drive_search_content": "name"}


class Refused(Exception):
    """The request isn't what the script expects."""


def text_of(content):
    """The text of a message or a result, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [])


def chat_history(body):
    """Chat Completions: the tools, the calls in their order, and the results by the call's id."""
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    calls, results = [], {}
    for message in body["messages"]:
        for call in message.get("tool_calls") or []:
            calls.append((call["id"], call["function"]["name"]))
        if message["role"] == "tool":
            results[message["tool_call_id"]] = text_of(message["content"])
    return tools, calls, results


def responses_history(body):
    """Responses, likewise."""
    tools = [tool["name"] for tool in body.get("tools", [])]
    calls, results = [], {}
    items = body["input"] if isinstance(body["input"], list) else []
    for item in items:
        if item.get("type") == "function_call":
            calls.append((item["call_id"], item["name"]))
        if item.get("type") == "function_call_output":
            results[item["call_id"]] = text_of(item["output"])
    return tools, calls, results


def messages_history(body):
    """Anthropic's Messages, likewise."""
    tools = [tool["name"] for tool in body.get("tools", [])]
    calls, results = [], {}
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        for block in blocks:
            if block["type"] == "tool_use":
                calls.append((block["id"], block["name"]))
            if block["type"] == "tool_result":
                if block.get("is_error"):
                    raise Refused(f"a call failed: {text_of(block['content'])}")
                results[block["tool_use_id"]] = text_of(block["content"])
    return tools, calls, results


def next_step(tools, calls, results):
    """The calls that the model wants next, or nothing and its answer."""
    if not tools:
        raise Refused("the request offers no tools")
    quotes = []
    for call_id, name in calls:
        if call_id not in results:
            raise Refused(f"the call {call_id} of {name} has no result")
        found = re.findall(rf'"{QUOTED[name]}": ?"((?:[^"\\]|\\.)*)"', results[call_id])
        if not found:
            raise Refused(f"the result of {name} isn't one: {results[call_id][:500]}")
        quotes += [json.loads(f'"{text}"') for text in found]
    done = {name for _, name in calls}
    for step in STEPS:
        wanted = [(name, given) for name, given in step if name in tools and name not in done]
        if wanted:
            return wanted, None
    if not calls:
        raise Refused(f"none of the tools is in the script: {', '.join(tools)}")
    return [], "I found: " + "; ".join(quotes) + "."


def chat(body):
    wanted, answer = next_step(*chat_history(body))
    calls = [
        {
            "id": "call_" + secrets.token_hex(12),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for name, given in wanted
    ]
    message = {"role": "assistant", "content": answer, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    return {
        "id": "chatcmpl-" + secrets.token_hex(12),
        "object": "chat.completion",
        "created": 1777885200,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def responses(body):
    wanted, answer = next_step(*responses_history(body))
    output = [
        {
            "type": "function_call",
            "id": "fc_" + secrets.token_hex(12),
            "call_id": "call_" + secrets.token_hex(12),
            "name": name,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        for name, given in wanted
    ]
    if answer:
        content = [{"type": "output_text", "text": answer, "annotations": [], "logprobs": []}]
        message = {"type": "message", "id": "msg_" + secrets.token_hex(12), "role": "assistant"}
        output.append({**message, "status": "completed", "content": content})
    return {
        "id": "resp_" + secrets.token_hex(12),
        "object": "response",
        "created_at": 1777885200,
        "status": "completed",
        "model": body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools", []),
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def messages(body):
    wanted, answer = next_step(*messages_history(body))
    content = [
        {"type": "tool_use", "id": "toolu_" + secrets.token_hex(12), "name": name, "input": given}
        for name, given in wanted
    ]
    if answer:
        content.append({"type": "text", "text": answer})
    return {
        "id": "msg_" + secrets.token_hex(12),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if wanted else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


ROUTES = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": messages}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0]
        try:
            if path not in ROUTES:
                raise Refused(f"there is no {path}")
            if not (self.headers.get("Authorization") or self.headers.get("x-api-key")):
                raise Refused("the request has no API key")
            body = json.loads(body)
            if body.get("stream"):
                raise Refused("the script doesn't stream")
            status, reply = 200, ROUTES[path](body)
        except (Refused, KeyError, TypeError, ValueError) as reason:
            text = f"{type(reason).__name__}: {reason}"
            error = {"type": "invalid_request_error", "message": text, "code": None, "param": None}
            status, reply = 400, {"type": "error", "error": error}
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Says nothing."""


def main():
    parser = argparse.ArgumentParser(description="A scripted model on loopback.")
    parser.add_argument("--port", type=int, default=0)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Model)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    print(f"OPENAI_BASE_URL={url}/v1\nOPENAI_API_KEY=scripted", flush=True)
    print(f"ANTHROPIC_BASE_URL={url}\nANTHROPIC_API_KEY=scripted", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
