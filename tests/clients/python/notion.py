"""notion-client: `base_url` names the proxy host."""

from notion_client import APIResponseError, Client
from notion_client.errors import HTTPResponseError

from checks import PROXY, check, token

def client(access):
    return Client(auth=token("workspace", access), base_url=PROXY, notion_version="2022-06-28")


notion = client("WRITE")


@check("notion: me")
def _():
    return notion.users.me()["object"]


@check("notion: search, page by page")
def _():
    seen, cursor = [], None
    while True:
        page = notion.search(page_size=3, **({"start_cursor": cursor} if cursor else {}))
        seen += [item["id"] for item in page["results"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert len(seen) > 3 and len(seen) == len(set(seen)), seen
    return f"{len(seen)} results"


@check("notion: a comment on a page")
def _():
    page = notion.search(filter={"property": "object", "value": "page"})["results"][0]
    text = [{"type": "text", "text": {"content": "By an SDK", "link": None}}]
    comment = notion.comments.create(parent={"page_id": page["id"]}, rich_text=text)
    found = notion.comments.list(block_id=page["id"])["results"]
    assert comment["id"] in [one["id"] for one in found], found


@check("notion: an error has its code")
def _():
    try:
        notion.pages.retrieve("00000000-0000-4000-8000-000000000000")
    except APIResponseError as error:
        assert error.code == "object_not_found", error.code
        return
    raise AssertionError("expected an error")


@check("notion: a token that only reads searches, and does not write")
def _():
    reader = client("READ")
    page = reader.search(filter={"property": "object", "value": "page"})["results"][0]
    try:
        reader.comments.create(parent={"page_id": page["id"]}, rich_text=[{"text": {"content": "x"}}])
    except HTTPResponseError as error:
        assert error.status == 403, error
        return
    raise AssertionError("expected an error")
