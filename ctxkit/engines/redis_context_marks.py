"""Store the marks of a session's messages on a Redis or Valkey server."""

from collections.abc import Iterable

from ctxkit.core.session.history import ContextMark
from ctxkit.engines.ledger_scripts import SessionKeys
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_session_state import TTL


class RedisContextMarks:
    """The marks of sessions on a server; satisfies core.session.context_marks.MarkStore. They raise ServerError."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._keys = SessionKeys(server)

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest, and renew the time of the marks."""
        (key,) = self._keys.make(session, "marks")
        words, _ = self._server.execute_many([("HGETALL", key), ("EXPIRE", key, TTL)])
        pairs = words.items() if isinstance(words, dict) else zip(words[::2], words[1::2], strict=True)
        return {digest.decode("utf-8", "replace"): mark.decode("utf-8", "replace") for digest, mark in pairs}

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        (key,) = self._keys.make(session, "marks")
        if words := [word for digest in digests for word in (digest, mark)]:
            self._server.execute_many([("HSET", key, *words), ("EXPIRE", key, TTL)])
