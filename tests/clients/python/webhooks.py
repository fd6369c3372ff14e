"""standardwebhooks: verifies what the service sends to a receiver in this process."""

import json
import os
import queue
import threading
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from checks import check

SERVICE = os.environ["STEAD_URL"]
TOKEN = os.environ["WEBHOOKS_TOKEN"]
# The longest wait for a delivery, in seconds.
PATIENCE = 60

came = queue.Queue()
# The statuses of the next responses. 204 if there's none.
statuses = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        came.put((dict(self.headers.items()), body))
        self.send_response(204 if statuses.empty() else statuses.get())
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()


def call(method, path, body=None):
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVICE + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


def pause_and_resume():
    for verb in ("suspend", "resume"):
        call("POST", f"/v1/accounts/mail/user-1/{verb}")


def two():
    return [came.get(timeout=PATIENCE) for _ in range(2)]


def is_refused(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return True
    return False


address = f"http://127.0.0.1:{receiver.server_port}/hook"
hook = call("POST", "/v1/webhooks", {"url": address, "events": ["account.suspended", "account.resumed"]})
path = f"/v1/webhooks/{hook['id']}"
first = hook["secret"]


@check("webhooks: events verify, in their order")
def _():
    pause_and_resume()
    events = [Webhook(first).verify(body, headers) for headers, body in two()]
    assert [event["type"] for event in events] == ["account.suspended", "account.resumed"], events
    assert all(event["data"]["identifier"] == "user-1" for event in events), events


@check("webhooks: a test verifies")
def _():
    tested = call("POST", f"{path}/test")
    headers, body = came.get(timeout=PATIENCE)
    assert Webhook(first).verify(body, headers)["type"] == "webhook.test"
    assert tested["state"] == "delivered", tested


@check("webhooks: what was refused comes again under the same id, signed for its new time")
def _():
    statuses.put(500)
    call("POST", "/v1/accounts/mail/user-1/suspend")
    (headers, body), (again, same) = two()
    Webhook(first).verify(body, headers)
    Webhook(first).verify(same, again)
    assert (again["webhook-id"], same) == (headers["webhook-id"], body)
    pause = int(again["webhook-timestamp"]) - int(headers["webhook-timestamp"])
    assert 5 <= pause <= 10, pause
    call("POST", "/v1/accounts/mail/user-1/resume")
    came.get(timeout=PATIENCE)
    return f"after {pause} s"


@check("webhooks: a changed body, id or time is refused, and so is another secret")
def _():
    call("POST", f"{path}/test")
    headers, body = came.get(timeout=PATIENCE)
    changed = [body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :] for at in range(len(body))]
    for one in [*changed, body + b" ", body[:-1]]:
        assert is_refused(first, one, headers), one
    for name, value in {
        "webhook-id": headers["webhook-id"] + "0",
        "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1),
        "webhook-signature": "v1,",
    }.items():
        assert is_refused(first, body, {**headers, name: value}), name
    other = "whsec_" + "A" * 43 + "="
    assert is_refused(other, body, headers)
    assert not is_refused(first, body, headers)
    return f"{len(changed)} bytes"


@check("webhooks: an old delivery is refused, even if signed well")
def _():
    old = datetime(2020, 1, 1, tzinfo=timezone.utc)
    headers = {"webhook-id": "evt_1", "webhook-timestamp": str(int(old.timestamp()))}
    headers["webhook-signature"] = Webhook(first).sign("evt_1", old, "{}")
    assert is_refused(first, b"{}", headers)


@check("webhooks: after a rotation both secrets verify")
def _():
    second = call("POST", f"{path}/rotate-secret")["secret"]
    assert second != first
    pause_and_resume()
    for headers, body in two():
        assert Webhook(first).verify(body, headers) == Webhook(second).verify(body, headers)
        assert len(headers["webhook-signature"].split(" ")) == 2, headers


@check("webhooks: nothing else came")
def _():
    call("DELETE", path)
    assert came.empty(), came.get()
