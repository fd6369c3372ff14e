"""Opens a link as a user's browser does."""

import html
import re
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar


def consent(link):
    """Opens the link, chooses the first account, and allows everything."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    page = browser.open(urllib.request.Request(link, data=b"", method="POST"))
    text, at = page.read().decode(), page.geturl()
    action = html.unescape(re.search(r'<form[^>]* action="([^"]+)"', text)[1])
    hidden = re.search(r'name="request" value="([^"]+)"', text)[1]
    user = html.unescape(re.search(r'name="user" value="([^"]+)"', text)[1])
    scopes = [html.unescape(one) for one in re.findall(r'name="scope" value="([^"]+)"', text)]
    form = [("request", hidden), ("user", user), ("action", "allow"), *(("scope", one) for one in scopes)]
    data = urllib.parse.urlencode(form).encode()
    browser.open(urllib.parse.urljoin(at, action), data=data).read()
