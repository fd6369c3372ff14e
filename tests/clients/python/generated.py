"""openapi-python-client: generates a client from /openapi.json without a warning, and runs the whole journey with it."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request

from checks import check
from consent import consent

SERVICE = os.environ["STEAD_URL"]
USER = "user of generated.py"
folder = tempfile.TemporaryDirectory()


def generate():
    document = os.path.join(folder.name, "openapi.json")
    urllib.request.urlretrieve(SERVICE + "/openapi.json", document)
    program = os.path.join(os.path.dirname(sys.executable), "openapi-python-client")
    command = [program, "generate", "--path", document, "--meta", "none", "--fail-on-warning"]
    command += ["--output-path", os.path.join(folder.name, "stead_client")]
    # It formats the client with ruff, which is installed in the same folder.
    path = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(command, cwd=folder.name, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "warning" not in said.lower(), said


def the_whole_way():
    from stead_client import AuthenticatedClient, Client, models
    from stead_client.api.accounts import accounts_list, accounts_read
    from stead_client.api.authorization_links import authorization_links_create
    from stead_client.api.oauth import oauth_issue
    from stead_client.api.proxy import proxy_json
    from stead_client.api.tools import tools_execute, tools_list

    form = models.TokenRequest.from_dict(
        {
            "grant_type": "client_credentials",
            "client_id": os.environ["APPLICATION_ID"],
            "client_secret": os.environ["APPLICATION_SECRET"],
        }
    )
    token = oauth_issue.sync(client=Client(SERVICE), body=form).access_token
    client = AuthenticatedClient(SERVICE, token)
    new = models.NewAuthorizationLink(connection_name="mail", identifier=USER)
    consent(authorization_links_create.sync(client=client, body=new).link)
    account = accounts_read.sync("mail", USER, client=client)
    assert account.state == "active", account
    call = {"identifier": USER, "connection_name": "mail", "input": {}, "view": "readable"}
    call = models.ExecuteRequest.from_dict(call)
    done = tools_execute.sync("mail_fetch_mails", client=client, body=call)
    assert isinstance(done, models.Execution), done
    raw = {"connection_name": "mail", "identifier": USER, "method": "GET", "path": "/gmail/v1/users/me/profile"}
    raw = proxy_json.sync_detailed(client=client, body=models.ProxyRequest.from_dict(raw))
    assert "emailAddress" in json.loads(raw.content), raw
    problem = accounts_read.sync("mail", "nobody", client=client)
    assert problem.kind == "account_not_found", problem
    page = accounts_list.sync(client=client, page_size=1)
    assert len(page.items) == 1 and page.next_page_token, page
    tools = tools_list.sync(client=client, product=["mail", "drive"])
    assert isinstance(tools, models.ToolDescriptionPage), tools


@check("a client is generated without a warning, and goes the whole way")
def _():
    generate()
    sys.path.insert(0, folder.name)
    the_whole_way()
