"""Let Codex trust the hooks of ctxkit, through its own app-server."""

import json
import select
import subprocess
import time
from typing import Any

from ctxkit.core.errors import CtxkitError, MissingDependencyError

DEADLINE = 30
"""Seconds for the whole conversation with the app-server."""


class AppServer:
    """A running ``codex app-server``, which speaks JSON lines on stdin and stdout."""

    def __init__(self, program: str) -> None:
        self._end = time.monotonic() + DEADLINE
        self._buffer = b""
        self._number = 0
        argv = [program, "app-server"]
        self._process = subprocess.Popen(argv, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, bufsize=0)

    def __enter__(self) -> "AppServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def initialize(self) -> None:
        """Introduce ctxkit, as the protocol demands."""
        self.call("initialize", {"clientInfo": {"name": "ctxkit", "title": "ctxkit", "version": "1"}})
        self._send({"method": "initialized"})

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request; raise MissingDependencyError if there is none in time."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = json.loads(self._read_line())
            if isinstance(message, dict) and message.get("id") == self._number and "method" not in message:
                result = message.get("result")
                if not isinstance(result, dict):
                    raise MissingDependencyError(f"codex app-server: {method} failed")
                return result

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, self._end - time.monotonic()))
            data = self._process.stdout.read(1 << 16) if ready else b""
            if not data:
                raise MissingDependencyError("codex app-server: no answer")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


def trust_hooks(program: str, command: str, directory: str) -> bool:
    """Trust the hooks that run a command, and return whether Codex then lists each of them as trusted.

    Raise CtxkitError if Codex does not answer, or knows no such hook.
    """
    try:
        with AppServer(program) as server:
            server.initialize()
            hooks = _list_hooks(server, command, directory)
            if not hooks:
                raise MissingDependencyError("codex app-server: lists no hook of ctxkit")
            value = {hook["key"]: {"trusted_hash": hook["currentHash"], "enabled": True} for hook in hooks}
            edits = [{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}]
            server.call("config/batchWrite", {"edits": edits, "filePath": None, "expectedVersion": None})
            return all(hook.get("trustStatus") == "trusted" for hook in _list_hooks(server, command, directory))
    except CtxkitError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MissingDependencyError(f"codex app-server: {error}") from error


def _list_hooks(server: AppServer, command: str, directory: str) -> list[dict[str, Any]]:
    """Return the hooks that run a command, as Codex lists them."""
    result = server.call("hooks/list", {"cwds": [directory]})
    return [hook for entry in result["data"] for hook in entry["hooks"] if hook.get("command") == command]
