"""Prints a line for each check. The process fails if a check failed."""

import atexit
import os
import sys
import traceback

# The proxy host. The token decides which account a request uses.
PROXY = os.environ["STEAD_PROXY_URL"]

failed = 0


def token(connection, access="WRITE"):
    """Returns the user's account token for a connection."""
    return os.environ[f"{connection.upper()}_{access}_TOKEN"]


def check(name):
    """Runs the function immediately, and prints whether it passed."""

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
