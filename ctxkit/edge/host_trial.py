"""Try an installed host in a home of its own, against a model that follows a script behind the APIs of vendors."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory, TemporaryFile
from types import TracebackType
from typing import Any, Self

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.hosts.host import Host
from ctxkit.core.hosts.trials import Body, Call, HostTrial, TrialResults, find_dialect, make_answer, make_calls

POLL_SECONDS = 0.05
"""Seconds until the server sees that it is to end."""


class ScriptedModel:
    """Answers each request with the step after the tool results in it: a tool call (name, input), else a text.

    ``results`` are the tool results of the longest request, in order: what a model would have seen. ``requests`` are
    the bodies of all requests, and ``tools`` the names of the tools in the last one. ``forgets`` is for a host that
    compacts: each call is then made once, whatever results a request still has.
    """

    def __init__(self, calls: Sequence[Call], *, forgets: bool = False) -> None:
        self.calls, self.results, self.forgets, self.call_count = calls, list[str](), forgets, 0
        self.requests: list[dict[str, Any]] = []
        self.tools: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def restart(self, calls: Sequence[Call]) -> None:
        """Begin anew with other calls, for a host that starts again."""
        self.calls, self.results, self.call_count = calls, [], 0

    def choose_call(self, _body: Body, results: list[str], tools: list[str]) -> Call | None:
        """Return the next call for a request, None if there is none or the request has no such tool."""
        self.tools = tools or self.tools
        if len(results) > len(self.results):
            self.results = results
        number = self.call_count if self.forgets else len(results)
        call = self.calls[number] if number < len(self.calls) else None
        call = call if call and call[0] in tools else None
        self.call_count += call is not None
        return call


class _Handler(BaseHTTPRequestHandler):
    """Speaks the part of the APIs that a host uses, for the model of a subclass."""

    model: "ScriptedModel"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
        """Print nothing."""

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self._read_body() or b"{}")
        dialect = find_dialect(self.path)
        if dialect is None:
            self._send("application/json", json.dumps({"input_tokens": 100, "totalTokens": 100}).encode())
            return
        self.model.requests.append(body)
        results = dialect.list_results(body)
        call = self.model.choose_call(body, results, dialect.list_tools(body))
        number = self.model.call_count if self.model.forgets else len(results)
        self._send(*make_answer(dialect, body, call, number))

    def do_GET(self) -> None:
        """Answer a question about the server itself."""
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}
        self._send("application/json", json.dumps(models).encode())

    def do_HEAD(self) -> None:
        """Answer a question about the server itself."""
        self._send("application/json", b"")

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, content_type: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


DEADLINE = 180
"""Seconds for both runs of a host and the setup between them."""
_LAST_BYTES = 4_096
"""Bytes of the end of a host's own output that an error message may quote a line of."""
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SHELL")
"""Variables that the host gets: no keys and no settings of the user."""
_REPOSITORY = ".git"
FOLDER = "/var/tmp"


def find_program(host: Host, trial: HostTrial) -> str:
    """Return the path of a host; raise MissingDependencyError if it is not installed."""
    path = shutil.which(host.program)
    if path is None:
        raise MissingDependencyError(f"{host.program} is not on PATH", hint=f"npm install -g {trial.package}")
    return path


def try_host(host: Host, trial: HostTrial, ctxkit: str) -> TrialResults:
    """Start a host without ctxkit and with it, and return what the model saw of each command."""
    program = find_program(host, trial)
    place = FOLDER if os.access(FOLDER, os.W_OK) else None
    directory = TemporaryDirectory(prefix="ctxkit-trial.", dir=place, ignore_cleanup_errors=True)
    with directory as folder, ScriptedModel(make_calls(trial)) as model:
        end = time.monotonic() + DEADLINE
        project, environment = _prepare(trial, folder, model.address)

        def run(argv: list[str]) -> str:
            """Run a program and return the end of what it printed."""
            return _run_until(argv, project, environment, end)

        last_line = run([program, *trial.args])
        plain = list(model.results)
        if not plain:
            raise MissingDependencyError(f"{host.title} calls no tool of the model: {last_line or 'no output'}")
        model.restart(make_calls(trial))
        run([ctxkit, "init", host.name, "--yes", *(["--trust"] if host.needs_trust else [])])
        run([program, *trial.args])
        return TrialResults(plain, list(model.results))


def _prepare(trial: HostTrial, folder: str, address: str) -> tuple[str, dict[str, str]]:
    """Write the files of a trial, and return its project and its environment."""
    home, project, temporary = (os.path.join(folder, name) for name in ("home", "project", "temporary"))
    for path in (home, temporary, os.path.join(project, "sub")):
        os.makedirs(path)
    setup = trial.make_setup(address)
    for base, files in ((home, setup.home), (project, setup.project)):
        for name, text in files.items():
            path = os.path.join(base, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    _make_repository(os.path.join(project, _REPOSITORY))
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return project, {**passed_on, "HOME": home, "TMPDIR": temporary, **setup.environment}


def _make_repository(folder: str) -> None:
    """Make an empty repository, which some hosts ask for, without a program that would read the user's settings."""
    for name in ("objects", "refs"):
        os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, "HEAD"), "w", encoding="ascii") as file:
        file.write("ref: refs/heads/main\n")


def _run_until(argv: list[str], project: str, environment: Mapping[str, str], end: float) -> str:
    """Run a program until a time, end it with all that it started, and return the last line of what it printed."""
    with TemporaryFile() as printed:
        process = subprocess.Popen(
            argv,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise MissingDependencyError(f"{os.path.basename(argv[0])} takes more than {DEADLINE} seconds") from None
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(max(0, printed.tell() - _LAST_BYTES))
        lines = printed.read(_LAST_BYTES).decode("utf-8", "replace").split("\n")
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
