"""gspread uses Sheets and Drive with one credential. It gets an account token for both connections, and an adapter that sends
each request to the proxy host."""

import os
from urllib.parse import urlsplit

import gspread
import requests
from requests.adapters import HTTPAdapter

from checks import PROXY, check


class Stead(HTTPAdapter):
    """Sends every request to Stead instead of Google."""

    def send(self, request, **options):
        url = urlsplit(request.url)
        request.url = PROXY + url.path + ("?" + url.query if url.query else "")
        return super().send(request, **options)


session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["SHEETS_AND_DRIVE_TOKEN"]
session.mount("https://", Stead())
client = gspread.Client(auth=None, session=session)


@check("gspread: create a spreadsheet, append rows and read them")
def _():
    sheet = client.create("Made by gspread").sheet1
    sheet.append_row(["Ada", 3])
    sheet.append_rows([["Grace", 4], ["Alan", 5]])
    rows = sheet.get_all_values()
    assert rows == [["Ada", "3"], ["Grace", "4"], ["Alan", "5"]], rows


@check("gspread: open a spreadsheet by its title, and update it")
def _():
    titles = [one["name"] for one in client.list_spreadsheet_files()]
    assert "Made by gspread" in titles, titles
    sheet = client.open("Made by gspread").sheet1
    sheet.update([["Edsger"]], "A1")
    assert sheet.acell("A1").value == "Edsger"
