"""The interface of `stead dev`, called with made-up input: no server error, and no response that /openapi.json does not describe.

Input is not held against its schema: the service reads what is meant ("10" for a number), and so takes more than it describes.
The paths below /proxy/ are left out: what comes back there is the product's own, with any status and body.
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
    # What is imported here has tokens that no product knows: a refresh of it is a 503, as it should be.
    "--exclude-path-regex": "^/proxy/|^/v1/account-imports$",
    "--phases": "examples,coverage,fuzzing",
    "--max-examples": "30",
    "--max-time": "60",
    "--seed": "1",
    "--warnings": "off",
}
ANY_PORT = "127.0.0.1:0"


def token(service):
    form = {name: service[name] for name in ("client_id", "client_secret")}
    form = urllib.parse.urlencode({"grant_type": "client_credentials", **form}).encode()
    with urllib.request.urlopen(service["url"] + "/oauth/token", form) as response:
        return json.load(response)["access_token"]


def schemathesis(service):
    program = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    config = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemathesis.toml")
    command = [program, "--config-file", config, "run", service["url"] + "/openapi.json", "--no-color"]
    command += ["--header", "Authorization: Bearer " + token(service)]
    for name, value in OPTIONS.items():
        command += [name, value]
    # It leaves a cache where it runs.
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=folder).returncode


start = shlex.split(sys.argv[1]) + ["dev", "--json"]
for listen in ("--listen", "--sandbox-listen", "--proxy-listen"):
    start += [listen, ANY_PORT]
dev = subprocess.Popen(start, stdout=subprocess.PIPE)
try:
    sys.exit(schemathesis(json.loads(dev.stdout.readline())))
finally:
    dev.terminate()
    dev.wait()
