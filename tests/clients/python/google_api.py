"""google-api-python-client: the discovery document's `rootUrl` names the proxy host."""

import io
import json
from email.message import EmailMessage
from base64 import urlsafe_b64encode

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload, MediaIoBaseDownload, MediaIoBaseUpload

from checks import PROXY, check, token

MIB = 1024 * 1024


def service(api, version, connection, access="WRITE"):
    document = json.loads(get_static_doc(api, version))
    document["rootUrl"] = PROXY + "/"
    return build_from_document(document, credentials=Credentials(token=token(connection, access)))


def expect_error(request, status):
    try:
        request.execute()
    except HttpError as error:
        assert error.resp.status == status, error
        return error
    raise AssertionError(f"expected {status}")


GMAIL = service("gmail", "v1", "mail")
gmail = GMAIL.users()
people = service("people", "v1", "mail").people()
calendar = service("calendar", "v3", "calendar")
sheets = service("sheets", "v4", "sheets").spreadsheets()
drive = service("drive", "v3", "drive")


@check("gmail: profile")
def _():
    return gmail.getProfile(userId="me").execute()["emailAddress"]


@check("gmail: list, page by page")
def _():
    messages = gmail.messages()
    ids = []
    request = messages.list(userId="me", maxResults=5)
    while request is not None:
        page = request.execute()
        ids += [message["id"] for message in page.get("messages", [])]
        request = messages.list_next(request, page)
    assert len(ids) > 5 and len(ids) == len(set(ids)), ids
    return f"{len(ids)} messages"


@check("gmail: get in four formats")
def _():
    first = gmail.messages().list(userId="me", maxResults=1).execute()["messages"][0]["id"]
    for format in ["full", "metadata", "minimal", "raw"]:
        assert gmail.messages().get(userId="me", id=first, format=format).execute()["id"] == first


@check("gmail: a search of 3,000 characters, which the SDK sends as a POST")
def _():
    query = " OR ".join(f"subject:word{number:04}" for number in range(160))
    assert len(query) > 2900, len(query)
    gmail.messages().list(userId="me", q=query).execute()


@check("gmail: an error names its reason")
def _():
    error = expect_error(gmail.messages().get(userId="me", id="0123456789abcdef"), 404)
    assert error.error_details, error


@check("gmail: a batch of 10")
def _():
    ids = [m["id"] for m in gmail.messages().list(userId="me", maxResults=10).execute()["messages"]]
    got = {}

    def take(request_id, response, error):
        assert error is None, error
        got[request_id] = response["id"]

    batch = GMAIL.new_batch_http_request(callback=take)
    for id in ids:
        batch.add(gmail.messages().get(userId="me", id=id, format="minimal"), request_id=id)
    batch.execute()
    assert got == {id: id for id in ids} and len(got) == 10, got


@check("gmail: a draft, and a mail that is sent")
def _():
    mail = EmailMessage()
    mail["To"] = "grace@example.com"
    mail["Subject"] = "Sent through a proxy"
    mail.set_content("Hello.")
    raw = urlsafe_b64encode(mail.as_bytes()).decode()
    draft = gmail.drafts().create(userId="me", body={"message": {"raw": raw}}).execute()
    assert draft["message"]["id"]
    sent = gmail.messages().send(userId="me", body={"raw": raw}).execute()
    found = gmail.messages().list(userId="me", q='subject:"Sent through a proxy" in:sent').execute()
    assert sent["id"] in [message["id"] for message in found["messages"]], found


@check("people: connections")
def _():
    page = people.connections().list(resourceName="people/me", personFields="names").execute()
    return f"{len(page['connections'])} people"


@check("calendar: insert, patch, delete, gone")
def _():
    events = calendar.events()
    start = {"dateTime": "2026-12-01T10:00:00Z"}
    end = {"dateTime": "2026-12-01T11:00:00Z"}
    body = {"summary": "By an SDK", "start": start, "end": end}
    event = events.insert(calendarId="primary", body=body).execute()
    where = {"calendarId": "primary", "eventId": event["id"]}
    assert events.patch(**where, body={"summary": "Moved"}).execute()["summary"] == "Moved"
    events.delete(**where).execute()
    expect_error(events.delete(**where), 410)


@check("calendar: a batch")
def _():
    got = []
    batch = calendar.new_batch_http_request(callback=lambda _id, page, error: got.append((page, error)))
    batch.add(calendar.calendarList().list())
    batch.add(calendar.events().get(calendarId="primary", eventId="there-is-none"))
    batch.execute()
    assert got[0][1] is None and got[1][1].resp.status == 404, got


@check("sheets: create, write, append, read")
def _():
    id = sheets.create(body={"properties": {"title": "By an SDK"}}).execute()["spreadsheetId"]
    values = sheets.values()
    where = {"spreadsheetId": id, "valueInputOption": "RAW"}
    values.update(**where, range="A1:B1", body={"values": [["name", "age"]]}).execute()
    values.append(**where, range="A1:B1", body={"values": [["Ada", 36]]}).execute()
    read = values.get(spreadsheetId=id, range="A1:B2").execute()["values"]
    assert read == [["name", "age"], ["Ada", "36"]], read


@check("drive: list, page by page")
def _():
    files = drive.files()
    names = []
    request = files.list(pageSize=3, fields="nextPageToken, files(id, name)")
    while request is not None:
        page = request.execute()
        names += [file["name"] for file in page["files"]]
        request = files.list_next(request, page)
    assert len(names) > 3, names
    return f"{len(names)} files"


def uploaded(media, **body):
    file = drive.files().create(body=body or None, media_body=media, fields="id,name,size").execute()
    return file


@check("drive: a simple upload")
def _():
    file = uploaded(MediaInMemoryUpload(b"hello", mimetype="text/plain"))
    assert file["size"] == "5", file


@check("drive: a multipart upload, read again")
def _():
    media = MediaInMemoryUpload(b"hello multipart", mimetype="text/plain")
    file = uploaded(media, name="multipart.txt")
    assert file["name"] == "multipart.txt", file
    assert drive.files().get_media(fileId=file["id"]).execute() == b"hello multipart"


@check("drive: a resumable upload of 20 MB in pieces")
def _():
    content = bytes(range(256)) * (20 * MIB // 256)
    media = MediaIoBaseUpload(
        io.BytesIO(content), mimetype="application/octet-stream", chunksize=4 * MIB, resumable=True
    )
    request = drive.files().create(body={"name": "twenty.bin"}, media_body=media, fields="id,size")
    file, pieces = None, 0
    while file is None:
        _status, file = request.next_chunk()
        pieces += 1
    assert file["size"] == str(len(content)) and pieces == 5, (file, pieces)


@check("drive: a download of 60 MB")
def _():
    content = bytes(range(256)) * (60 * MIB // 256)
    media = MediaIoBaseUpload(io.BytesIO(content), mimetype="application/octet-stream", resumable=True)
    file = uploaded(media, name="sixty.bin")
    target = io.BytesIO()
    download = MediaIoBaseDownload(target, drive.files().get_media(fileId=file["id"]))
    done = False
    while not done:
        _status, done = download.next_chunk()
    assert target.getvalue() == content


@check("drive: an error names its reason")
def _():
    expect_error(drive.files().get(fileId="there-is-none"), 404)


@check("drive: a token that only reads reads, and does not write")
def _():
    reader = service("drive", "v3", "drive", "READ").files()
    assert reader.list(pageSize=1).execute()["files"]
    expect_error(reader.create(body={"name": "x"}, media_body=MediaInMemoryUpload(b"x")), 403)


@check("gmail: a token that only reads does not write in a batch")
def _():
    reader = service("gmail", "v1", "mail", "READ")
    messages = reader.users().messages()
    batch = reader.new_batch_http_request()
    batch.add(messages.list(userId="me"))
    batch.add(messages.modify(userId="me", id="1", body={"addLabelIds": ["STARRED"]}))
    expect_error(batch, 403)
