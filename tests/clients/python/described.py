"""Calls every operation of `stead dev`. There must be no server error, and no response that /openapi.json doesn't describe.
Operations that need something that exists get real input first, and must succeed. Then each operation gets made-up input.

Input isn't checked against its schema, because the service accepts more than it describes, such as "10" for a number.
Paths below /proxy/ are skipped: the product's own response can have any status and body.
The argument is the command that starts the binary.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import schemathesis
from schemathesis.core import NOT_SET

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
]
OPTIONS = {
    "--checks": ",".join(CHECKS),
    # Imported accounts would have made-up tokens, so refreshing them is a 503, as it should be.
    "--exclude-path-regex": "^/proxy/|^/v1/account-imports$",
    "--phases": "examples,coverage,fuzzing",
    "--max-examples": "30",
    "--max-time": "60",
    "--seed": "1",
    "--warnings": "off",
}
ANY_PORT = "127.0.0.1:0"


MAIL = {"connection_name": "mail", "identifier": "ada"}


def token(service):
    form = {name: service[name] for name in ("client_id", "client_secret")}
    form = urllib.parse.urlencode({"grant_type": "client_credentials", **form}).encode()
    with urllib.request.urlopen(service["url"] + "/oauth/token", form) as response:
        return json.load(response)["access_token"]


def with_real_input(service):
    """Calls the operations that need something that exists. Each response must be a success that the document describes."""
    document = schemathesis.openapi.from_url(service["url"] + "/openapi.json")
    bearer = token(service)

    def call(method, path, body=NOT_SET, status=None, of=bearer, query=None, **names):
        operation = document[path][method]
        media_type = None if body is NOT_SET else "application/json"
        case = operation.Case(path_parameters=names, query=query or {}, body=body, media_type=media_type)
        response = case.call(headers={"Authorization": "Bearer " + of})
        assert response.status_code == (status or response.status_code), (method, path, response.text)
        assert status or response.status_code < 300, (method, path, response.text)
        operation.validate_response(response)
        is_json = "json" in response.headers.get("content-type", [""])[0]
        return response.json() if is_json else None

    def execute(name, status=None, of=bearer, **more):
        body = {**MAIL, "input": {}, **more}
        return call("POST", "/v1/tools/{name}/execute", body, status, of, name=name)

    execute("mail_fetch_mails")
    part = execute("mail_fetch_mails", view="readable", max_bytes=1500)
    call("GET", "/v1/files/{handle}", handle=part["left_out"][0]["handle"])
    call("POST", "/v1/proxy", {**MAIL, "method": "GET", "path": "/gmail/v1/users/me/profile"})

    made = call("POST", "/v1/account-tokens", {**MAIL, "access": "read"})
    call("GET", "/v1/account-tokens", query=MAIL)
    call("DELETE", "/v1/account-tokens/{token_id}", token_id=made["token_id"])
    for action in ("suspend", "resume"):
        call("POST", "/v1/accounts/{connection_name}/{identifier}/" + action, **MAIL)
    link = call("POST", "/v1/authorization-links", {**MAIL, "identifier": "grace"})
    call("GET", "/v1/authorizations/{authorization_id}", authorization_id=link["authorization_id"])

    # Another credential decides: an application can't approve its own calls.
    rules = {"requires_approval": {"tools": ["mail_fetch_mails"]}}
    call("PUT", "/v1/policies/{policy_name}", rules, policy_name="ask")
    asks = call("POST", "/v1/app-credentials", {"name": "asks", "policy": "ask"})
    other = token({"url": service["url"], **asks})
    for action in ("approve", "deny"):
        held = execute("mail_fetch_mails", status=409, of=other, input={"query": action})["context"]["approval_id"]
        call("GET", "/v1/approvals/{approval_id}", approval_id=held)
        call("POST", "/v1/approvals/{approval_id}/" + action, {}, approval_id=held)
    call("DELETE", "/v1/app-credentials/{client_id}", client_id=asks["client_id"])
    call("DELETE", "/v1/policies/{policy_name}", policy_name="ask")


def run_schemathesis(service):
    program = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    config = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemathesis.toml")
    command = [program, "--config-file", config, "run", service["url"] + "/openapi.json", "--no-color"]
    command += ["--header", "Authorization: Bearer " + token(service)]
    for name, value in OPTIONS.items():
        command += [name, value]
    # It leaves a cache in its working directory.
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=folder).returncode


start = shlex.split(sys.argv[1]) + ["dev", "--json"]
for listen in ("--listen", "--sandbox-listen", "--proxy-listen"):
    start += [listen, ANY_PORT]
dev = subprocess.Popen(start, stdout=subprocess.PIPE)
try:
    service = json.loads(dev.stdout.readline())
    with_real_input(service)
    sys.exit(run_schemathesis(service))
finally:
    # It must stop, although nothing reads its output after the first line.
    dev.terminate()
    dev.wait(timeout=60)
