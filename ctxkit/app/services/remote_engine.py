"""Let the server of ``ctxkit serve``, if it listens, count tokens and make maps for this process.

The server loads nothing for a call, where this process would load a vocabulary and the code of maps. Its answers are
those that this process would compute; on any failure this process computes them.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ctxkit import __version__
from ctxkit.core.errors import InputOutputError
from ctxkit.edge import say, user_dirs
from ctxkit.system.processes import read_peer_uid

if TYPE_CHECKING:
    from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult
    from ctxkit.core.tokens.token_count import TokenCount
    from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

MAX_REQUESTS = 12
"""Counts that are asked for, one request each, before this process loads the vocabulary itself."""
_disabled = False


def disable() -> None:
    """Compute everything in this process: it is the server."""
    global _disabled
    _disabled = True


def name_build() -> str:
    """Return the version and the place of this installation, and its directories.

    A server of another one, or of a process with another home, does not answer.
    """
    from urllib.parse import quote

    places = (user_dirs.cache_dir(), user_dirs.data_dir(), user_dirs.settings_file(), user_dirs.fallback_dir())
    return quote(" ".join((__version__, os.path.dirname(__file__), *places)), errors="surrogateescape")


Result = TypeVar("Result")


class ServerClient:
    """A connection to the server at a path; it is opened by the first request, and kept."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: socket.socket | None = None
        self._deadline = self._end = 0.0

    def __del__(self) -> None:
        self.close()

    def post(self, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return the body of the answer; raise OSError if there is none, or if its status is not 200.

        Raise InputOutputError if the server is not of this user.
        """
        connection = self._connection or self._connect()
        self._deadline, self._end = monotonic() + _SILENCE_SECONDS, monotonic() + _ANSWER_SECONDS
        lines = [f"POST {target} HTTP/1.1", "host: ctxkit", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        try:
            self._send(connection, "\r\n".join((*lines, "", "")).encode("ascii") + body)
            return _receive_answer(lambda: self._await(connection, lambda: connection.recv(PIECE), len))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def _send(self, connection: socket.socket, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._await(connection, partial(connection.send, view), int) :]

    def _await(self, connection: socket.socket, act: Callable[[], Result], measure: Callable[[Result], int]) -> Result:
        """Return what ``act`` returns, whose bytes ``measure`` counts.

        Raise TimeoutError if it takes too long, or if the server does not work.
        """
        while True:
            try:
                _limit_wait(connection, self._deadline)
                result = act()
            except TimeoutError:
                if monotonic() > self._end or not self._is_running():
                    raise
                self._deadline = monotonic() + _SILENCE_SECONDS
            else:
                self._deadline += _SILENCE_SECONDS * measure(result) / _PACE
                return result

    def _is_running(self) -> bool:
        """Return whether the server answers another request at once, and whole."""
        deadline = monotonic() + _SILENCE_SECONDS
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:

            def receive() -> bytes:
                """Return the next piece of the answer."""
                _limit_wait(probe, deadline)
                return probe.recv(PIECE)

            try:
                _limit_wait(probe, deadline)
                probe.connect(self._path)
                probe.sendall(_HEALTH_REQUEST)
                _receive_answer(receive)
            except (OSError, ValueError):
                return False
            return True

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(_SILENCE_SECONDS)
            connection.connect(self._path)
            if read_peer_uid(connection) != os.geteuid():
                raise InputOutputError(f"{self._path}: the server belongs to another user")
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection


class RemoteEngine:
    """Counts and maps of the server at a path; after a failure, those of this process."""

    def __init__(self, path: str, load_tokenizer: Callable[[Vocabulary], Tokenizer]) -> None:
        self._path, self._load = path, load_tokenizer
        self._client: ServerClient | None = None
        self._headers: dict[str, str] = {}
        self._has_failed = False

    def tokenizer(self, vocabulary: Vocabulary) -> Tokenizer:
        """Return a tokenizer that asks the server, and loads the vocabulary itself after ``MAX_REQUESTS`` counts."""
        if not vocabulary.exact or vocabulary.file or vocabulary.rate or self._has_failed:
            return self._load(vocabulary)
        return _RemoteTokenizer(self._ask, vocabulary.name, lambda: self._load(vocabulary))

    def ask_for_map(
        self, ref: str, request: BriefingRequest, vocabulary: Vocabulary, known_count: TokenCount | None
    ) -> BriefingResult | None:
        """Return the map of stored content, None if the server makes none."""
        if not vocabulary.exact or vocabulary.file or vocabulary.rate or self._has_failed:
            return None
        import orjson

        from ctxkit.core.gate.briefing_messages import from_tuple, request_to_tuple

        order = {"request": request_to_tuple(request), "known": known_count and tuple(known_count)}
        answer = self._ask(f"map?ref={ref}&vocabulary={vocabulary.name}", orjson.dumps(order))
        return from_tuple(answer["map"]) if answer is not None else None

    def _ask(self, work: str, body: bytes) -> dict[str, Any] | None:
        """Return the object that the server answers, None after a failure."""
        if self._has_failed:
            return None
        try:
            import orjson

            answer = orjson.loads(self._open_client().post(f"/v1/engine/{work}", self._headers, body))
        except Exception as error:  # whatever it is, this process can do the work
            self._has_failed = True
            say.note(f"the server does not answer: {error or type(error).__name__}")
            return None
        return answer if isinstance(answer, dict) else None

    def _open_client(self) -> ServerClient:
        if self._client is None:
            self._headers = _make_headers()
            self._client = ServerClient(self._path)
        return self._client


def find_engine(path: str, load_tokenizer: Callable[[Vocabulary], Tokenizer]) -> RemoteEngine | None:
    """Return the engine of the server at a path; None if no server listens there, or if this process is the server."""
    if _disabled:
        return None
    try:
        is_socket = stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return None
    return RemoteEngine(path, load_tokenizer) if is_socket else None


class _RemoteTokenizer:
    """Counts by asking the server; falls back to the tokenizer of this process."""

    def __init__(
        self, ask: Callable[[str, bytes], dict[str, Any] | None], name: str, load: Callable[[], Tokenizer]
    ) -> None:
        self._ask, self._name, self._load = ask, name, load
        self._requests = 0
        self._local: Tokenizer | None = None

    def __call__(self, text: str) -> int:
        """Return the number of tokens in a text."""
        if self._local is None and self._requests < MAX_REQUESTS:
            self._requests += 1
            answer = self._ask(f"count?vocabulary={self._name}", text.encode("utf-8", "surrogatepass"))
            if answer is not None and isinstance(answer.get("tokens"), int):
                return int(answer["tokens"])
        if self._local is None:
            self._local = self._load()
        return self._local(text)


def _make_headers() -> dict[str, str]:
    """Return the headers that say for whom the server answers."""
    from urllib.parse import quote, urlencode

    from ctxkit.core.serve import DIRECTORY_HEADER, VARIABLES_HEADER
    from ctxkit.edge.call_process import list_variables
    from ctxkit.edge.setting_layers import working_directory

    return {
        DIRECTORY_HEADER: quote(working_directory(), errors="surrogateescape"),
        VARIABLES_HEADER: urlencode(list_variables(os.environ), errors="surrogateescape"),
        "ctxkit-build": name_build(),
    }


_ANSWER_SECONDS = 130.0
_SILENCE_SECONDS = 0.12
"""Seconds without an answer after which the server is asked whether it runs, and that it has to say so.

Each 16 MB that are sent or received give as much time again, a byte next to none. So a server that does not work adds
a quarter of a second.
"""
_HEALTH_REQUEST = b"GET /v1/health HTTP/1.1\r\nhost: ctxkit\r\nconnection: close\r\n\r\n"
_MAX_HEAD = 1 << 16
"""Maximum bytes of the status line and the headers of an answer."""
_MAX_ANSWER = 1 << 26
PIECE, _PACE = 1 << 18, 1 << 24


def _limit_wait(connection: socket.socket, deadline: float) -> None:
    """Let the next use of a connection wait until a time at most; raise TimeoutError if it has passed."""
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    connection.settimeout(left)


def _receive_answer(receive: Callable[[], bytes]) -> bytes:
    """Return the body of an answer that comes in pieces.

    Raise OSError for another status than 200, or an answer that is cut off.
    """
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > _MAX_HEAD:
            raise OSError("the answer has no end of its headers")
        data += _receive_piece(receive)
    status, *fields = bytes(data[:end]).split(b"\r\n")
    headers = dict(field.lower().split(b": ", 1) for field in fields if b": " in field)
    length = int(headers.get(b"content-length", b"-1"))
    if not 0 <= length <= _MAX_ANSWER:
        raise OSError("the answer has no length")
    del data[: end + 4]
    while len(data) < length:
        data += _receive_piece(receive)
    if status.split(b" ")[1:2] != [b"200"]:
        raise OSError(f"the server answered {status[:100].decode('latin-1')}")
    return bytes(data[:length])


def _receive_piece(receive: Callable[[], bytes]) -> bytes:
    piece = receive()
    if not piece:
        raise ConnectionResetError("the server closed the connection")
    return piece
