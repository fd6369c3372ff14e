"""Python's own library (like the guide of google-api-python-client) and Stead compose the same mails."""

import json
import os
import urllib.parse
import urllib.request
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import getaddresses

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc

from checks import PROXY, check, token

SERVICE = os.environ["STEAD_URL"]
USER = "acme/user 1"

document = json.loads(get_static_doc("gmail", "v1"))
document["rootUrl"] = PROXY + "/"
gmail = build_from_document(document, credentials=Credentials(token=token("mail"))).users()


def post(path, body, headers):
    request = urllib.request.Request(SERVICE + path, data=body, headers=headers)
    return json.load(urllib.request.urlopen(request))


form = {
    "grant_type": "client_credentials",
    "client_id": os.environ["APPLICATION_ID"],
    "client_secret": os.environ["APPLICATION_SECRET"],
}
form = urllib.parse.urlencode(form).encode()
bearer = post("/oauth/token", form, {"Content-Type": "application/x-www-form-urlencoded"})["access_token"]


def by_stead(tool, **tool_input):
    call = {"connection_name": "mail", "identifier": USER, "input": tool_input}
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    return post(f"/v1/tools/{tool}/execute", json.dumps(call).encode(), headers)["data"]


def by_sdk(mail, thread=None):
    body = {"raw": urlsafe_b64encode(mail.as_bytes()).decode()}
    if thread:
        body["threadId"] = thread
    return gmail.messages().send(userId="me", body=body).execute()


def content(message_id, part):
    body = part["body"]
    if "attachmentId" in body:
        where = {"userId": "me", "messageId": message_id, "id": body["attachmentId"]}
        body = gmail.messages().attachments().get(**where).execute()
    return urlsafe_b64decode(body.get("data", "") + "==")


def tree(message_id, part):
    inner = [tree(message_id, one) for one in part.get("parts", [])]
    if inner:
        return (part["mimeType"], inner)
    read = content(message_id, part)
    # Libraries add a line break to the end of a text.
    if not part["filename"]:
        read = read.replace(b"\r\n", b"\n").rstrip(b"\n")
    return (part["mimeType"], part["filename"], read)


def read(message_id):
    """Returns the recipients, the subject, the thread and the parts."""
    message = gmail.messages().get(userId="me", id=message_id).execute()
    found = {}
    for header in message["payload"]["headers"]:
        found.setdefault(header["name"].lower(), []).append(str(make_header(decode_header(header["value"]))))
    people = {name: getaddresses(found.get(name, [])) for name in ["to", "cc", "bcc", "reply-to"]}
    others = {name: " ".join(found.get(name, [""])[0].split()) for name in ["subject", "in-reply-to", "references"]}
    return people | others | {"parts": tree(message_id, message["payload"])}


def same(stead, sdk):
    one, other = read(stead["id"]), read(sdk["id"])
    for name, value in one.items():
        assert value == other[name], f"{name}: {value!r} by Stead, {other[name]!r} by the SDK"
    return len(one)


@check("composing: a text to several people")
def _():
    to = ["Zoë Müller <zoe@example.com>", '"Doe, Jane" <jane@example.org>', "bob@example.com"]
    body = "Grüße aus Köln.\n\n.\nFrom here on: 1 < 2 — 日本\n" + "x" * 300
    stead = by_stead("mail_send_message", to=to, cc=["team@example.com"], bcc=["log@example.com"], reply_to="r@example.com", subject="Grüße — 日本 " + "lang " * 20 + "ende", body=body)
    mail = EmailMessage()
    mail["To"], mail["Cc"], mail["Bcc"], mail["Reply-To"] = ", ".join(to), "team@example.com", "log@example.com", "r@example.com"
    mail["Subject"] = "Grüße — 日本 " + "lang " * 20 + "ende"
    mail.set_content(body)
    same(stead, by_sdk(mail))


@check("composing: HTML with its plain version, and files of any bytes")
def _():
    every_byte = bytes(range(256)) * 5
    files = [
        {"name": "Übersicht 日本.pdf", "media_type": "application/pdf", "content_base64": b64encode(every_byte).decode()},
        {"name": "plan.csv", "media_type": "text/csv", "text": "a,b\r\n1,2\nü\n"},
    ]
    html = "<p>Hello <b>all</b>, see the <a href='https://example.com/?a=1&b=2'>plan</a>.</p>"
    stead = by_stead("mail_send_message", to=["ada@example.com"], subject="Plan", body=html, body_type="html", attachments=files)
    plain = read(stead["id"])["parts"][1][0][1][0][2].decode()
    mail = EmailMessage()
    mail["To"], mail["Subject"] = "ada@example.com", "Plan"
    mail.set_content(plain)
    mail.add_alternative(html, subtype="html")
    mail.add_attachment(every_byte, maintype="application", subtype="pdf", filename=files[0]["name"])
    mail.add_attachment(files[1]["text"].encode(), maintype="text", subtype="csv", filename="plan.csv")
    same(stead, by_sdk(mail))


@check("composing: a reply stays in its thread")
def _():
    found = gmail.messages().list(userId="me", q="subject:lunch from:grace").execute()["messages"][0]
    headers = gmail.messages().get(userId="me", id=found["id"], format="metadata").execute()["payload"]["headers"]
    original = {header["name"].lower(): header["value"] for header in headers}
    stead = by_stead("mail_reply_to_message", message_id=found["id"], body="Yes, gladly.", quote=False)
    mail = EmailMessage()
    mail["To"], mail["Subject"] = original["from"], "Re: " + original["subject"]
    mail["In-Reply-To"] = mail["References"] = original["message-id"]
    mail.set_content("Yes, gladly.")
    sdk = by_sdk(mail, found["threadId"])
    same(stead, sdk)
    assert stead["threadId"] == sdk["threadId"] == found["threadId"], (stead, sdk, found)
