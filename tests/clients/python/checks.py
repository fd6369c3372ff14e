"""A line per check; the process fails where one did."""

import atexit
import os
import sys
import traceback

# The proxy host: a token says whose account is meant.
PROXY = os.environ["STEAD_PROXY_URL"]

failed = 0


def token(connection, access="WRITE"):
    """The account token of the user at a connection."""
    return os.environ[f"{connection.upper()}_{access}_TOKEN"]


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
