"""Let the server of ``ctxkit serve``, if it listens, count tokens and make maps for this process.

The server loads nothing for a call, where this process would load a vocabulary and the code of maps. Its answers are
those that this process would compute; on any failure this process computes them.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from ctxkit import __version__
from ctxkit.edge import say, user_dirs

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult
    from ctxkit.core.tokens.token_count import TokenCount
    from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
    from ctxkit.engines.server_client import ServerClient

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


def find_engine(path: str, load_tokenizer: Callable[[Vocabulary], Tokenizer]) -> RemoteEngine | None:
    """Return the engine of the server at a path; None if no server listens there, or if this process is the server."""
    if _disabled:
        return None
    try:
        is_socket = stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return None
    return RemoteEngine(path, load_tokenizer) if is_socket else None


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
            from ctxkit.engines.server_client import ServerClient

            self._headers = _make_headers()
            self._client = ServerClient(self._path)
        return self._client


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
    from ctxkit.edge.request_variables import list_variables
    from ctxkit.edge.setting_layers import working_directory

    return {
        DIRECTORY_HEADER: quote(working_directory(), errors="surrogateescape"),
        VARIABLES_HEADER: urlencode(list_variables(os.environ), errors="surrogateescape"),
        "ctxkit-build": name_build(),
    }
