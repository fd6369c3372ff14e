"""A line per check; the process fails where one did."""

import atexit
import os
import sys
import traceback
from urllib.parse import quote

STEAD = os.environ["STEAD_URL"]
TOKEN = os.environ["STEAD_TOKEN"]
IDENTIFIER = os.environ["STEAD_IDENTIFIER"]

failed = 0


def base_url(connection):
    """The address below which the product's own API begins."""
    return f"{STEAD}/proxy/{connection}/{quote(IDENTIFIER, safe='')}"


def check(name):
    """Runs the function at once and says how it ended."""

    def run(function):
        global failed
        try:
            note = function()
            print(f"  ok    {name}" + (f": {note}" if note else ""), flush=True)
        except Exception:
            failed += 1
            print(f"  FAIL  {name}", flush=True)
            traceback.print_exc(limit=4, file=sys.stdout)
        return function

    return run


@atexit.register
def _end():
    if failed:
        sys.stdout.flush()
        os._exit(1)
