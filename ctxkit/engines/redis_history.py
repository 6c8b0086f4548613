"""Store the histories of sessions on a Redis or Valkey server.

A history is a string that only grows, and a list of its additions. Both change in one script, so no line is ever torn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ctxkit.core.session.history import Addition, AppendResult, HistoryExtent, parse_addition
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.engines.ledger_scripts import COMMON, SessionKeys
from ctxkit.engines.redis_connection import LARGE
from ctxkit.engines.redis_server import RedisServer, make_script
from ctxkit.engines.redis_session_state import TTL

CHUNK = 1 << 20
"""Maximum bytes in one answer."""
APPEND = make_script(
    COMMON
    + """
local size, lines = redis.call('STRLEN', KEYS[1]), 0
local last = redis.call('LINDEX', KEYS[2], -1)
if last then
  local first, count = string.match(last, '^%S+ (%d+) (%d+) ')
  lines = first + count - 1
end
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('RPUSH', KEYS[2], now() .. string.format(' %d %d %d %d', lines + 1, ARGV[3], size, #ARGV[2]))
keep(ARGV[1])
return {lines, size}
"""
)
"""Append bytes of a number of lines; return the lines and the bytes before."""


class RedisHistories:
    """Histories on a server; satisfies core.session.history.HistoryStore. Every method raises ServerError."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._keys = SessionKeys(server)

    def path(self, name: str) -> str:
        """Return the server and the key of a history."""
        return f"{self._server.place} {self._make_keys(name)[0]}"

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines; add all or none."""
        data = b"".join(line + b"\n" for line in lines)
        total, size = self._server.run(APPEND, self._make_keys(name), TTL, data, len(lines))
        return AppendResult(total + 1, HistoryExtent(total + len(lines), size + len(data)))

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none."""
        last = self.find_last_addition(name)
        return HistoryExtent(last.first + last.lines - 1, last.offset + last.size) if last else None

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""
        extent = self.extent(name)
        if extent is None:
            return None
        marks = LineIndex()
        for piece in self._read(name, 0, extent.size):
            marks.update(piece)

        def read(offset: int, length: int) -> bytes:
            """Return bytes of the history within its extent."""
            return b"".join(self._read(name, offset, min(offset + length, extent.size)))

        return IndexedLines(read, extent.size, marks.newline_counts, marks.total)

    def read_after(self, name: str, start: HistoryExtent, end: HistoryExtent) -> list[bytes]:
        """Return the lines of a history between two of its extents, without reading those before them."""
        return b"".join(self._read(name, start.size, end.size)).split(b"\n")

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""
        return list(filter(None, map(_parse_row, self._list_rows(name, 0))))

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition."""
        return next(map(_parse_row, self._list_rows(name, -1)), None)

    def remove(self, name: str) -> bool:
        """Remove a history; return whether it existed."""
        return bool(self._server.execute("UNLINK", *self._make_keys(name)))

    @contextmanager
    def removal(self, name: str) -> Iterator[bool]:
        """Remove a history after the body has removed its session; yield whether there is a history."""
        yield self.extent(name) is not None
        self.remove(name)

    def _make_keys(self, name: str) -> list[str]:
        return self._keys.make(name, "history", "additions")

    def _list_rows(self, name: str, start: int) -> list[bytes]:
        rows: list[bytes] = self._server.execute("LRANGE", self._make_keys(name)[1], start, -1, most=LARGE)
        return rows

    def _read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        key = self._make_keys(name)[0]
        for offset in range(start, stop, CHUNK):
            yield self._server.execute("GETRANGE", key, offset, min(offset + CHUNK, stop) - 1)


def _parse_row(row: bytes) -> Addition | None:
    return parse_addition(f"{row.decode('ascii', 'replace')}\n")
