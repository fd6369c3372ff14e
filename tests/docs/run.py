"""Runs the blocks of the book's pages, as a reader would: `cargo xtask docs`.

    python tests/docs/run.py --stead FILE --rust FILE --node FOLDER [--docs FOLDER] [PAGE...]

A PAGE is a file or a folder below docs; without one, all pages run. Each page gets a `stead dev` of its own, with an access token in TOKEN, and a folder of its own. The `sh` blocks of a page run
in one shell, first in bash and then, against a new `stead dev`, in zsh. Each `python`, `typescript` and `rust` block is a
program. The first block that fails ends the page, and is named by its page and line. A page with the configuration of an MCP
client is also tried with mcp_config.py. The page about a server runs in copies of the system's folders, and needs root.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).parent
FENCE = re.compile(r"^( *)```([\w-]*)(.*?)\n(.*?)^\1``` *$", re.M | re.S)
RUN = ("sh", "python", "typescript", "rust")
# The pages whose blocks run.
SERVER = "run/one-server.md"
PAGES = ("start", "build", "recipes", SERVER)
# The test starts Stead itself.
REPLACED = ("cargo run -- dev", "stead dev")
# A shell shows with this that a block is done.
DONE = "block-is-done"
TSX = "node_modules/.bin/tsx"
# Seconds that a block may take.
LONGEST = 300


class Failed(Exception):
    """A block that failed."""


def blocks(page):
    """The blocks that run: language, line of the fence, and text without its indentation."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        indent, language, _, code = match.groups()
        code = re.sub(f"^{indent}", "", code, flags=re.M)
        if language in RUN and code.strip() not in REPLACED:
            yield language, text.count("\n", 0, match.start()) + 1, code


class Shell:
    """A shell that runs one block after the other, and keeps what they set."""

    def __init__(self, command, folder, environment):
        self.folder = folder
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )

    def run(self, code):
        block = self.folder / ".block"
        block.write_text(code, encoding="utf-8")
        timer = threading.Timer(LONGEST, self.kill)
        timer.start()
        print(f"set -e -o pipefail; . '{block}' </dev/null; echo; echo {DONE}", file=self.process.stdin, flush=True)
        line = output = ""
        for line in self.process.stdout:
            if line.strip() == DONE:
                break
            output += line
        timer.cancel()
        if line.strip() != DONE:
            raise Failed(f"exit {self.process.wait()}\n{output}")

    def kill(self):
        """Ends it, with what it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.communicate()


def run_page(page, name, shell, folder, environment, tools, addresses=(), within=()):
    """Runs the blocks of a page; only those of the shell if it isn't the first. Returns how many."""
    count = 0
    with Shell([*within, shell], folder, environment) as session:
        for language, line, code in blocks(page):
            if shell != "bash" and language != "sh":
                continue
            for printed, real in addresses:
                code = code.replace(printed, real)
            try:
                if language == "rust":
                    code = f"'{tools.rust}' '{name}:{line}'"
                elif language != "sh":
                    # Programs see what the shell has exported.
                    command, ending = (sys.executable, "py") if language == "python" else (tools.node / TSX, "mts")
                    file = folder / f"page.{ending}"
                    file.write_text(code, encoding="utf-8")
                    code = f"'{command}' '{file}'"
                session.run(code)
            except Failed as error:
                raise Failed(f"{page}:{line}: this {language} block fails in {shell}: {error}") from None
            count += 1
    return count


class Dev:
    """A `stead dev` in an empty folder, at free ports."""

    def __init__(self, stead, folder):
        command = [stead, "dev", "--json", "--log", "off"]
        for option in ("--listen", "--sandbox-listen", "--proxy-listen"):
            command += [option, "127.0.0.1:0"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        printed = json.loads(self.process.stdout.readline())
        form = {"grant_type": "client_credentials", **{key: printed[key] for key in ("client_id", "client_secret")}}
        form = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(printed["url"] + "/oauth/token", form) as response:
            token = json.load(response)["access_token"]
        self.environment = {
            "STEAD_URL": printed["url"],
            "STEAD_CLIENT_ID": printed["client_id"],
            "STEAD_CLIENT_SECRET": printed["client_secret"],
            "TOKEN": token,
        }
        # As pages print them.
        urls = [printed[name] for name in ("url", "sandbox_url", "proxy_url")]
        self.addresses = [(f"127.0.0.1:{8484 + at}", url.removeprefix("http://")) for at, url in enumerate(urls)]

    def end(self):
        self.process.terminate()
        self.process.wait()


def try_page(page, name, shell, tools, base):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, "page")
        folder.mkdir()
        commands = pathlib.Path(temporary, "bin")
        commands.mkdir()
        (commands / "stead").symlink_to(tools.stead)
        if any(language == "typescript" for language, _, _ in blocks(page)):
            for file in ("package.json", "package-lock.json", "node_modules"):
                if (tools.node / file).exists():
                    subprocess.run(["cp", "-al", tools.node / file, folder], check=True)
            # Written again by `npm install`, which must not reach the installed one.
            for file in folder.glob("*.json"):
                text = file.read_text(encoding="utf-8")
                file.unlink()
                file.write_text(text, encoding="utf-8")
        if name == SERVER:
            within = ["unshare", "--mount", "sh", HERE / "server.sh", tools.stead]
            return run_page(page, name, shell, folder, base, tools, (), within)
        empty = pathlib.Path(temporary, "dev")
        empty.mkdir()
        dev = Dev(tools.stead, empty)
        try:
            environment = {**base, **dev.environment}
            environment["HOME"] = temporary
            environment["PATH"] = os.pathsep.join([str(commands), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
            count = run_page(page, name, shell, folder, environment, tools, dev.addresses)
            if shell == "bash" and "mcpServers" in page.read_text(encoding="utf-8"):
                tried = subprocess.run(
                    [sys.executable, HERE / "mcp_config.py", page], env=environment, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True, check=False, timeout=LONGEST,
                )
                if tried.returncode:
                    raise Failed(f"{page}: its configuration fails: {tried.stdout}")
                count += 1
            return count
        finally:
            dev.end()


def main():
    parser = argparse.ArgumentParser()
    for option in ("--stead", "--rust", "--node"):
        parser.add_argument(option, type=lambda path: pathlib.Path(path).absolute(), required=True)
    parser.add_argument("--docs", type=pathlib.Path, default=pathlib.Path("docs"))
    parser.add_argument("pages", nargs="*")
    tools = parser.parse_args()
    found = sorted(page.relative_to(tools.docs).as_posix() for page in tools.docs.rglob("*.md"))
    for wanted in (tools.pages, PAGES):
        found = [page for page in found if not wanted or any(f"{page}/".startswith(f"{start}/") for start in wanted)]
    if not found:
        sys.exit(f"no such page: {' '.join(tools.pages)}")
    base = {**os.environ, "PIP_CONSTRAINT": str(HERE / "requirements.txt"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # The programs of recipes find a scripted model by the variables that its vendors' SDKs read.
    model = subprocess.Popen([sys.executable, HERE / "model.py"], stdout=subprocess.PIPE, text=True)
    failed = []
    try:
        for _ in range(4):
            base.update([model.stdout.readline().strip().split("=", 1)])
        for name in found:
            page = tools.docs / name
            languages = [language for language, _, _ in blocks(page)]
            shells = ["bash"] if languages else []
            if "sh" in languages and shutil.which("zsh"):
                shells.append("zsh")
            start, count = time.monotonic(), 0
            try:
                for shell in shells:
                    count += try_page(page, name, shell, tools, base)
                if shells:
                    print(f"{page}: {count} blocks, {time.monotonic() - start:.1f} s", flush=True)
            except Failed as error:
                print(error, flush=True)
                failed.append(str(page))
    finally:
        model.kill()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
